// How long does it take to restore a full part of a transfer (2,000,000 bytes) of which symbols were lost?
//   npm run bench -- raptorq
import { BlockDecoder, BlockEncoder } from '../src/index.ts'

const SYMBOL_SIZE = 768
const ROUNDS = 15
const data = Buffer.from(Uint8Array.from({ length: 2_000_000 }, (_, i) => 7 * i + 13 * (i >> 8)))
const encoder = new BlockEncoder(data, SYMBOL_SIZE)

console.log('loss    best      median    MB/s at best')
for (const loss of [0, 0.001, 0.05, 0.3]) {
  const times = Array.from({ length: ROUNDS }, () => measure(loss)).sort((a, b) => a - b)
  const [best, median] = [times[0]!, times[ROUNDS >> 1]!]
  const rate = data.length / 1e3 / best
  console.log(
    `${String(loss).padEnd(7)} ${best.toFixed(1)} ms   ${median.toFixed(1)} ms   ${rate.toFixed(0)}`,
  )
}

function measure(loss: number): number {
  const decoder = new BlockDecoder({ dataSize: data.length, symbolSize: SYMBOL_SIZE })
  const every = loss === 0 ? Number.POSITIVE_INFINITY : Math.round(1 / loss)
  for (let seqno = 0; decoder.received < decoder.symbolCount + 2; seqno++)
    if (seqno % every !== 0 || loss === 0) decoder.add(seqno, encoder.symbol(seqno))
  const start = performance.now()
  if (!decoder.decode()?.equals(data)) throw new Error('not restored')
  return performance.now() - start
}

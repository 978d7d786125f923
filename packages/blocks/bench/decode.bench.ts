// Times full decoding of one mainnet block, and reading the same bytes with @ton/core in the same process.
// Run: node --import tsx packages/blocks/bench/decode.bench.ts [block fixture] [rounds]
import { cpus } from 'node:os'
import { parseBoc, sha256 } from '@shardwalk/cells'
import { packDescription } from '@shardwalk/tlb'
import { Cell as CoreCell } from '@ton/core'
import { decodeOpenBlock } from '../src/decode-block.ts'
import { decodeBlock, decodeSkeleton, openBlock } from '../src/index.ts'
import { rawBlockOf } from '../test/fixtures.ts'

const file = process.argv[2] ?? 'mainnet_0_8000000000000000_30816553.boc'
const rounds = Number(process.argv[3] ?? 60)
const raw = rawBlockOf(file)

interface Timing {
  readonly best: number
  readonly median: number
}

/** Timing of `work` in milliseconds, after a warm-up. */
function time(work: () => unknown, times = rounds): Timing {
  const samples: number[] = []
  for (let i = 0; i < times; i++) {
    const start = performance.now()
    work()
    if (i * 3 >= times) samples.push(performance.now() - start)
  }
  samples.sort((a, b) => a - b)
  return { best: samples[0]!, median: samples[samples.length >> 1]! }
}

const block = decodeBlock(raw)
const messages = new Set(
  block.transactions.flatMap((tx) => (tx.inMsg ? [tx.inMsg, ...tx.outMsgs] : tx.outMsgs)),
)
const states = block.transactions.filter((tx) => tx.stateAfter).length
console.log(`node ${process.version}, ${cpus()[0]!.model.trim()}`)
console.log(`${file}: ${raw.bytes.length} bytes, ${parseBoc(raw.bytes).count} cells`)
console.log(
  `decoded: ${block.transactions.length} transactions, ${messages.size} messages, ${states} account states\n`,
)

const core = time(() => CoreCell.fromBoc(raw.bytes)[0]!.hash(), Math.max(6, rounds / 6))
const report = (name: string, { best, median }: Timing) => {
  const ratio = `${(core.best / best).toFixed(1)}x / ${(core.median / median).toFixed(1)}x`
  const times = `${best.toFixed(2).padStart(8)} ms best ${median.toFixed(2).padStart(8)} ms median`
  console.log(`${name.padEnd(58)} ${times}   ${ratio}`)
}
report('@ton/core Cell.fromBoc (cells and hashes, nothing decoded)', core)
report(
  'decodeBlock: everything the database stores',
  time(() => decodeBlock(raw)),
)
report(
  'decodeBlock, every hash recomputed and compared',
  time(() => decodeBlock(raw, { verify: 'cells' })),
)
report(
  'decodeSkeleton: what the shard walk needs',
  time(() => decodeSkeleton(raw)),
)
console.log('\nwhere the time of decodeBlock goes')
report(
  '  SHA-256 of the file',
  time(() => sha256(raw.bytes)),
)
report(
  '  locating and checking all cells',
  time(() => parseBoc(raw.bytes, { verifyCrc: false })),
)
report(
  '  CRC-32C, redundant with SHA-256',
  time(() => parseBoc(raw.bytes)),
)
report(
  '  all hashes of all cells',
  time(() => parseBoc(raw.bytes, { verifyCrc: false }).hashAll()),
)
report('  transactions, messages, states on an open block', timeOpen())
report(
  '  packing the descriptions',
  time(() => block.transactions.map((tx) => packDescription(tx.description))),
)

/** Each round opens a new block, because hashes are cached; opening is not timed. */
function timeOpen(): Timing {
  const samples: number[] = []
  for (let i = 0; i < rounds; i++) {
    const open = openBlock(raw)
    const start = performance.now()
    decodeOpenBlock(open)
    if (i * 3 >= rounds) samples.push(performance.now() - start)
  }
  samples.sort((a, b) => a - b)
  return { best: samples[0]!, median: samples[samples.length >> 1]! }
}

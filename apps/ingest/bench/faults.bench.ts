// Does the whole of ingest cope with lite servers as they are? Of eight servers three are 20 blocks behind,
// two accept five requests per second and are the only ones with history, one answers after 2 s, one closes
// connections at random, one is good. The head moves while history is indexed. Prints verdicts; the exit
// code is 1 if one of them is bad.
//   node --import tsx apps/ingest/bench/faults.bench.ts [blocks] [interval] [round trip]
// Interval (between blocks) and round trip in milliseconds.
import { setTimeout as delay } from 'node:timers/promises'
import { formatShortId } from '@shardwalk/model'
import { LiteserverSource } from '@shardwalk/sources'
import { ARCHIVES, type FaultyNetworkMessage, PER_SECOND } from './faulty-network-messages.ts'
import { ingestFrom, openLiteServers } from './lite-servers-run.ts'

const [blocks = 200, intervalMs = 400, roundTripMs = 20] = process.argv.slice(2).map(Number)
const FIRST = 529 - blocks

const { network, pool, zeroState } = await openLiteServers(new URL('./faulty-network.ts', import.meta.url), [
  ...[FIRST, blocks, intervalMs, roundTripMs],
])
const ingest = await ingestFrom(new LiteserverSource(pool, { zerostateId: zeroState }), pool, FIRST)
const { visible, scratch } = ingest
/** When the good server had a block: by seqno, Unix milliseconds. */
const appeared = new Map<number, number>()
while (ingest.state.newestIndexed < FIRST) await delay(20)
network.send('go')
const ended = new Promise<Extract<FaultyNetworkMessage, { type: 'end' }>>((resolve) => {
  network.on('message', (message: FaultyNetworkMessage) => {
    if (message.type === 'head') appeared.set(message.seqno, message.at)
    if (message.type === 'end') resolve(message)
  })
})
const { counts: requests, returned, oldPerSecond } = await ended
const useful = await writtenOf(new Set(returned))
for (let waited = 0; visible.size < blocks && waited < 5_000; waited += 50) await delay(50)

for (const { name, forBlocks, refused, others } of requests)
  console.log(
    `${name}: ${forBlocks} requests for blocks, ${others} others, ${refused} refused because of the rate`,
  )
const lags = [...visible].map(([seqno, at]) => at - appeared.get(seqno)!).sort((a, b) => a - b)
const at = (share: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * share))] ?? Infinity
console.log(`${lags.length} of ${blocks} new blocks; lag p90 ${at(0.9)} ms, p99 ${at(0.99)} ms`)
const allowed = ARCHIVES * PER_SECOND
const perBlock = requests.reduce((sum, { forBlocks }) => sum + forBlocks, 0) / useful
verdict('median lag of the head, ms', at(0.5), at(0.5) <= 1_000, 'at most 1000')
const isAllowed = oldPerSecond >= allowed * 0.8 && oldPerSecond <= allowed * 1.2
verdict('old blocks per second', oldPerSecond, isAllowed, `${allowed} +-20 %`)
verdict('requests per useful block', perBlock, perBlock <= 1.3, 'at most 1.3')

await ingest.close()
network.kill()
process.exit()

/** How many of these blocks are written, including those that are on their way now. */
async function writtenOf(returned: ReadonlySet<string>): Promise<number> {
  for (let before = -1; ; await delay(30_000)) {
    const { rows } = await scratch.pool.query<{ workchain: number; shard: string; seqno: number }>(
      'select workchain, shard::text, seqno from blocks',
    )
    const written = rows.filter(({ workchain, shard, seqno }) =>
      returned.has(formatShortId({ workchain, shard: BigInt.asUintN(64, BigInt(shard)), seqno })),
    ).length
    if (written === before) return written
    before = written
  }
}

function verdict(what: string, value: number, isGood: boolean, target: string): void {
  if (!isGood) process.exitCode = 1
  console.log(`${isGood ? 'good' : 'BAD '}  ${what}: ${Number(value.toFixed(2))} (target: ${target})`)
}

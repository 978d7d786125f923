// Measures how fast the replay server starts, computes states and answers.
// Run: node --import tsx packages/replay/bench/replay.bench.ts
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { LiteserverSource, Recording } from '@shardwalk/sources'
import { startReplay } from '../src/index.ts'

const FOLDER = process.argv[2] ?? 'fixtures/chain'
const took = (since: number): string => `${(performance.now() - since).toFixed(0)} ms`

let at = performance.now()
const recording = await Recording.open(FOLDER)
const replay = await startReplay({ recording })
console.log(`open and listen: ${took(at)}`)

at = performance.now()
await replay.chain.state(replay.chain.head.id)
for (const top of replay.chain.shardTops(replay.chain.headSeqno)) await replay.chain.state(top)
const blocks = [...recording.blocks()].map(({ block }) => block)
console.log(`all states up to the head, ${blocks.length} blocks: ${took(at)}`)

const { liteServers } = parseGlobalConfig(replay.globalConfig)
const source = new LiteserverSource(new LiteServerPool({ servers: liteServers }))
await source.head()
at = performance.now()
let bytes = 0
for (let i = 0; i < blocks.length; i += 16) {
  const answers = await Promise.all(blocks.slice(i, i + 16).map(({ id }) => source.getBlock(id)))
  for (const answer of answers) bytes += answer.length
}
const seconds = (performance.now() - at) / 1000
const rate = `${(blocks.length / seconds).toFixed(0)} blocks/s, ${(bytes / 1e6 / seconds).toFixed(1)} MB/s`
console.log(`getBlock over ADNL, 16 at a time, client and server in one process: ${rate}`)
console.log(`resident: ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`)
await source.close()
await replay.close()
await recording.close()

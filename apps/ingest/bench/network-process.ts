// Child process of head-lag.bench.ts: lite servers behind slow links. Arguments: first seqno, blocks, ms
// between blocks, ms of a round trip, servers.
import { setTimeout as delay } from 'node:timers/promises'
import { startReplay } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, openSlowLink } from '@shardwalk/testkit'

const [first = 1, blocks = 1, intervalMs = 400, roundTripMs = 0, servers = 1] = process.argv
  .slice(2)
  .map(Number)
const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const replays = await Promise.all(
  Array.from({ length: servers }, (_, index) =>
    startReplay({ recording, startSeqno: first, seed: Buffer.alloc(32, index + 1) }),
  ),
)
const links = await Promise.all(replays.map(({ host, port }) => openSlowLink({ host, port, roundTripMs })))
const send = (message: NetworkMessage) => process.send!(message)

process.on('message', async () => {
  const before = requests()
  const startedAt = performance.now()
  for (let seqno = first + 1; seqno <= first + blocks; seqno++) {
    for (const replay of replays) replay.setHead(seqno)
    send({ type: 'head', seqno, at: Date.now() })
    // By elapsed time: late timers must not slow the chain down.
    await delay(Math.max(0, startedAt + (seqno - first) * intervalMs - performance.now()))
  }
  send({ type: 'end', requestsPerBlock: (requests() - before) / blocks })
})
send({
  type: 'ready',
  configs: replays.map((replay) => replay.globalConfig),
  ports: links.map(({ port }) => port),
})

function requests(): number {
  return replays.reduce(
    (sum, { queryCounts }) => sum + [...queryCounts.values()].reduce((a, b) => a + b, 0),
    0,
  )
}

export type NetworkMessage =
  | { readonly type: 'ready'; readonly configs: readonly string[]; readonly ports: readonly number[] }
  /** `at`: Unix milliseconds. */
  | { readonly type: 'head'; readonly seqno: number; readonly at: number }
  | { readonly type: 'end'; readonly requestsPerBlock: number }

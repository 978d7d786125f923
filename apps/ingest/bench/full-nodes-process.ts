// Child process of p2p-head.bench.ts and p2p-soak.bench.ts: generates a chain into a folder and serves it as
// full nodes, of which the head moves on a message. Arguments: folder, steps, accounts, transactions of a
// block at most, head at first, milliseconds between blocks, `faults` or nothing.
import { setTimeout as delay } from 'node:timers/promises'
import { type FullNodeFaults, ReplayChain, ReplayFullNodes } from '@shardwalk/replay'
import { generatedRecording } from '@shardwalk/testkit'
import { LINE_FAULTS } from './line-faults.ts'

const [folder = '', ...rest] = process.argv.slice(2)
const [steps = 1, accounts = 24, transactions = 8, first = 1, intervalMs = 400] = rest.map(Number)
const recording = await generatedRecording(folder, {
  ...{ seed: 1, steps, accounts, transactions, splits: 0, keyBlocks: 0.01 },
})
const good: readonly FullNodeFaults[] = [{}, {}]
const faulty: readonly FullNodeFaults[] = [
  LINE_FAULTS,
  { ...LINE_FAULTS, sendsFalseData: true },
  { ...LINE_FAULTS, isSilent: true },
]
const chain = new ReplayChain(recording, first)
const fullNodes = await ReplayFullNodes.start({ chain, nodes: rest.includes('faults') ? faulty : good })
const send = (message: FullNodesMessage) => process.send!(message)

process.on('disconnect', () => process.exit(0))
process.on('message', async () => {
  const startedAt = performance.now()
  for (let seqno = first + 1; seqno <= steps; seqno++) {
    send({ type: 'head', seqno, at: Date.now() })
    chain.setHead(seqno)
    // By elapsed time: late timers must not slow the chain down.
    await delay(Math.max(0, startedAt + (seqno - first) * intervalMs - performance.now()))
  }
  send({ type: 'end' })
})
const sizes = [...recording.blocks()].map(({ block }) => block.size)
const meanSize = Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length)
send({ type: 'ready', dht: fullNodes.dhtConfig, meanSize })

export type FullNodesMessage =
  /** `meanSize`: bytes of a block. */
  | { readonly type: 'ready'; readonly dht: unknown; readonly meanSize: number }
  /** `at`: Unix milliseconds. */
  | { readonly type: 'head'; readonly seqno: number; readonly at: number }
  | { readonly type: 'end' }

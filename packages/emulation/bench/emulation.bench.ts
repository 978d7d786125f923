// Measures emulations of recorded traces of two and of five transactions on one thread: warm, and cold,
// that is when states of accounts are asked for the first time of a lite server that answers in 10 ms.
// Run: node --import tsx packages/emulation/bench/emulation.bench.ts [rounds]
import { Verdicts } from '@shardwalk/testkit'
import { emulateTrace, openChain, readRootMessage } from '../src/index.ts'
import { ChainUnderEmulation } from '../test/chain-under-emulation.ts'

const ROUND_TRIP_MS = 10
const rounds = Number(process.argv[2] ?? 300)
const verdicts = new Verdicts()
const chain = await ChainUnderEmulation.start()

/** A recorded message whose trace had this many transactions, with its chain. */
async function withTransactions(count: number) {
  for (const recorded of chain.externals) {
    const before = await openChain(chain.node, {}, recorded.mcBlockSeqno - 1)
    const message = readRootMessage(recorded.external)
    const run = () => emulateTrace(before, message, { ignoreSignatures: false })
    try {
      if ((await run()).transactions.length === count) return run
    } catch {
      // Not accepted in that state: another message of the wallet comes first.
    }
  }
  throw new Error(`no trace of ${count} transactions`)
}

const valueAt = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)]!
const at = (sorted: readonly number[], part: number) => `${valueAt(sorted, part).toFixed(1)} ms`

for (const [count, most] of [
  [2, 8],
  [5, 25],
] as const) {
  const run = await withTransactions(count)
  const times: number[] = []
  const start = performance.now()
  for (let round = 0; round < rounds; round++) {
    const since = performance.now()
    await run()
    times.push(performance.now() - since)
  }
  const rate = (1000 * rounds) / (performance.now() - start)
  times.sort((a, b) => a - b)
  const spread = `fastest ${at(times, 0)}, p50 ${at(times, 0.5)}, p99 ${at(times, 0.99)}`
  console.log(`${count} transactions, warm: ${spread}; ${rate.toFixed(0)} per second, one after the other`)
  verdicts.atMost(`${count} transactions, warm, median`, most, valueAt(times, 0.5), 'ms')
}
await chain.close()

/** The first emulation of every message: its block is open, its accounts have not been read. */
const distant = await ChainUnderEmulation.start({ roundTripMs: ROUND_TRIP_MS })
const cold = new Map<number, number[]>()
const whole: number[] = []
for (const recorded of distant.externals) {
  const openedAt = performance.now()
  const before = await openChain(distant.node, {}, recorded.mcBlockSeqno - 1)
  const since = performance.now()
  try {
    const { transactions } = await emulateTrace(before, readRootMessage(recorded.external), {
      ignoreSignatures: false,
    })
    cold.set(transactions.length, [...(cold.get(transactions.length) ?? []), performance.now() - since])
    if (transactions.length === 2) whole.push(performance.now() - openedAt)
  } catch {
    // Not accepted in that state: another message of the wallet comes first.
  }
}
const spreadOf = (times: number[]): string => {
  times.sort((a, b) => a - b)
  return `p50 ${at(times, 0.5)}, p99 ${at(times, 0.99)} of ${times.length}`
}
for (const count of [2, 5])
  console.log(
    `${count} transactions, states from a lite server at ${ROUND_TRIP_MS} ms: ${spreadOf(cold.get(count)!)}`,
  )
console.log(`2 transactions, the block and its configuration too: ${spreadOf(whole)}`)
const name = `2 transactions, cold, states from a lite server at ${ROUND_TRIP_MS} ms, median`
verdicts.atMost(name, 60, valueAt(whole, 0.5), 'ms')
await distant.close()
verdicts.print()

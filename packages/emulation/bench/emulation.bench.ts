// Measures emulations of recorded traces of two and of five transactions: warm, on one thread.
// Run: node --import tsx packages/emulation/bench/emulation.bench.ts [rounds]
import { emulateTrace, openChain, readRootMessage } from '../src/index.ts'
import { ChainUnderEmulation } from '../test/chain-under-emulation.ts'

const rounds = Number(process.argv[2] ?? 300)
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

const at = (sorted: readonly number[], part: number) =>
  `${sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1)} ms`

for (const [name, count] of [
  ['two transactions', 2],
  ['five transactions', 5],
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
  console.log(`${name}: ${spread}; ${rate.toFixed(0)} per second, one after the other`)
}
await chain.close()

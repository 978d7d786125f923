// How much longer does it take to index a chain from full nodes, one dishonest and one silent, on a
// line that loses a tenth of the datagrams and reorders a third? Target: twice as long, and equal tables.
//   npm run bench -- p2p-faults      all blocks of the recorded chain; or up to a masterchain block
import { isDeepStrictEqual } from 'node:util'
import { readDhtConfig } from '@shardwalk/dht'
import { silentLogger } from '@shardwalk/observability'
import { damagedLine, type FullNodeFaults, ReplayChain, ReplayFullNodes } from '@shardwalk/replay'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, randomFrom } from '@shardwalk/testkit'
import { checksumsOf } from '../test/run-ingest.ts'
import { LINE_FAULTS } from './line-faults.ts'

const SEED = Number(process.env['SEED'] ?? 1)

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const last = Math.min(recording.last, Number(process.argv[2] ?? recording.last))
console.log(`masterchain blocks ${recording.first} to ${last}, seed ${SEED}`)
console.log('nodes                       found after s  indexed s  CPU s    queries')
const without = await measure('two', [{}, {}])
const withFaults = await measure('one, a dishonest one, a silent one', [
  LINE_FAULTS,
  { ...LINE_FAULTS, sendsFalseData: true },
  { ...LINE_FAULTS, isSilent: true },
])
const areEqual = isDeepStrictEqual(without.tables, withFaults.tables)
console.log(`${(withFaults.seconds / without.seconds).toFixed(1)} times as long, target 2`)
console.log(`the tables are ${areEqual ? 'equal' : 'NOT equal'}`)
if (!areEqual) process.exitCode = 1
await recording.close()
process.exit()

/** Seconds from the start of a source, which knows the hash table alone, until all is in the tables. */
async function measure(name: string, nodes: readonly FullNodeFaults[]) {
  const random = randomFrom(SEED)
  const fullNodes = await ReplayFullNodes.start({ chain: new ReplayChain(recording, last), nodes, random })
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const source = await FullNodeSource.open({
    dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
    zerostateId: recording.network.zerostate,
    host: '127.0.0.1',
    log: silentLogger,
    ...(nodes[0]?.loss !== undefined && { line: damagedLine(LINE_FAULTS, random) }),
  })
  while (!(await source.head().catch(() => undefined)));
  const found = (performance.now() - startedAt) / 1_000
  const tables = await checksumsOf({ source, range: { from: recording.first, to: last }, timeoutMs: 900_000 })
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const queries = [...fullNodes.queryCounts.values()].reduce((sum, count) => sum + count, 0)
  const figures = [
    found.toFixed(1).padEnd(14),
    seconds.toFixed(1).padEnd(10),
    ((user + system) / 1e6).toFixed(1),
  ]
  console.log(`${name.padEnd(28)}${figures.join(' ')}     ${queries}`)
  await source.close()
  await fullNodes.close()
  return { seconds, tables }
}

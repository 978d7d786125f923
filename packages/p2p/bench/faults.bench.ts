// How much longer does it take to read a chain from full nodes of which one lies and one is silent, on a line
// that loses a tenth of the datagrams and reorders a third? Target: at most twice as long.
//   npm run bench -- faults p2p 60
import { readDhtConfig } from '@shardwalk/dht'
import { silentLogger } from '@shardwalk/observability'
import { damagedLine, type FullNodeFaults, ReplayChain, ReplayFullNodes } from '@shardwalk/replay'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, randomFrom } from '@shardwalk/testkit'

const SEED = Number(process.env['SEED'] ?? 1)
const LINE = { loss: 0.1, reorder: 0.3 }
/** Blocks read at a time. */
const PLACES = 8

const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
const last = Math.min(recording.last, Number(process.argv[2] ?? 60))
console.log('nodes                       start s  read s   CPU s    queries')
const without = await measure('two', [{}, {}])
const withFaults = await measure('one, a liar, a silent one', [
  LINE,
  { ...LINE, lies: true },
  { ...LINE, isSilent: true },
])
console.log(`${(withFaults / without).toFixed(1)} times as long`)
await recording.close()

/** Seconds until every block is there. */
async function measure(name: string, nodes: readonly FullNodeFaults[]): Promise<number> {
  const random = randomFrom(SEED)
  const chain = new ReplayChain(recording, last)
  const fullNodes = await ReplayFullNodes.start({ chain, nodes, random })
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const source = await FullNodeSource.open({
    dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
    zerostateId: recording.network.zerostate,
    host: '127.0.0.1',
    log: silentLogger,
    ...(nodes[0]?.loss !== undefined && { line: damagedLine(LINE, random) }),
  })
  while (!(await source.head().catch(() => undefined)));
  const foundAt = performance.now()
  let next = recording.first
  const work = async () => {
    for (let seqno = next++; seqno <= last; seqno = next++) {
      await source.getBlock(await source.masterchainBlockId(seqno))
      for (const { id } of recording.step(seqno)!.shards) await source.getBlock(id)
    }
  }
  await Promise.all(Array.from({ length: PLACES }, work))
  const seconds = (performance.now() - foundAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const queries = [...fullNodes.queryCounts.values()].reduce((sum, count) => sum + count, 0)
  const figures = [
    ((foundAt - startedAt) / 1_000).toFixed(1),
    seconds.toFixed(1),
    ((user + system) / 1e6).toFixed(1),
    queries,
  ]
  console.log(`${name.padEnd(28)}${figures.map((figure) => String(figure).padEnd(8)).join(' ')}`)
  await source.close()
  await fullNodes.close()
  return seconds
}

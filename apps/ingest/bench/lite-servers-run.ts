import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { liteServerStates } from '@shardwalk/contract-indexer'
import { INDEXED_CHANNEL } from '@shardwalk/db'
import { CheckedPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import type { LiteserverSource } from '@shardwalk/sources'
import { scratchDatabase } from '@shardwalk/testkit'
import { startIngest } from '../src/ingest.ts'

/** First message of a process with lite servers. */
interface Ready {
  readonly configs: readonly string[]
  readonly ports: readonly number[]
}

/** Lite servers in a process of their own. */
export async function openLiteServers(program: URL, args: readonly number[]) {
  const network = fork(fileURLToPath(program), args.map(String), { execArgv: ['--import', 'tsx'] })
  const [{ configs, ports }] = (await once(network, 'message')) as [Ready]
  const parsed = configs.map(parseGlobalConfig)
  const zeroState = parsed[0]!.zeroState!
  const servers = parsed.flatMap(({ liteServers }, index) =>
    liteServers.map((server) => ({ ...server, port: ports[index]!, name: `server ${index}` })),
  )
  return { network, zeroState, pool: new CheckedPool({ servers, zeroState }) }
}

/** Indexes the head, which is `first`, and history, with contracts. */
export async function ingestFrom(source: LiteserverSource, pool: CheckedPool, first: number) {
  const scratch = await scratchDatabase()
  /** When blocks behind `first` were visible to readers: by seqno, Unix milliseconds. */
  const visible = new Map<number, number>()
  let newest = first
  const listener = await scratch.pool.connect()
  listener.on('notification', ({ payload }) => {
    for (; newest < Number(payload); newest++) visible.set(newest + 1, Date.now())
  })
  await listener.query(`listen ${INDEXED_CHANNEL}`)
  const ingest = await startIngest({
    ...{ source, database: scratch, decodeThreads: 1, log: silentLogger, metrics: noMetrics },
    queueStore: { databaseUrl: scratch.url },
    ...{ start: 1, order: 'newest-first', backfillConcurrency: 4 },
    contracts: { states: liteServerStates(pool), threads: 1 },
  })
  const close = async (): Promise<void> => {
    listener.release(true)
    await ingest.close(5_000)
    await source.close()
    await scratch.close()
  }
  return { scratch, visible, state: ingest.state, close }
}

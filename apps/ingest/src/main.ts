import type { ChainConflict } from '@shardwalk/chain-prover'
import {
  checkSchema,
  createDb,
  type DatabaseHandle,
  type Db,
  endWhenMigrated,
  warnOfFewLocks,
} from '@shardwalk/db'
import { repair, repairQuarantined, type Verdict, verify } from '@shardwalk/indexing'
import type { LiteServerPool } from '@shardwalk/liteserver'
import { keepServersFresh } from '@shardwalk/networks'
import {
  beginProcess,
  createMetrics,
  EXIT,
  type ExitCode,
  endOnFailure,
  type Logger,
  type Metrics,
  serveProcessStatus,
  tellSupervisor,
} from '@shardwalk/observability'
import { maskedSettings } from '@shardwalk/settings'
import { readConfig } from './config.ts'
import { type Ingest, startIngest } from './ingest.ts'
import { reportLiteServers } from './lite-server-report.ts'
import { openOrigin } from './origin.ts'
import { progressLine } from './progress.ts'
import { ingestReadiness } from './readiness.ts'

/** Time limit for running jobs, out of the ten seconds that a shutdown may take. */
const CLOSE_MS = 5_000
const LOG_PROGRESS_EVERY_MS = 10_000
const VERIFY_EXIT = {
  same: EXIT.done,
  different: EXIT.fix,
  incomplete: EXIT.incomplete,
} as const satisfies Record<Verdict, ExitCode>

const config = await readConfig(process.env)
const { settings } = config
const { log, shutdown } = beginProcess('ingest', settings, { deadlineMs: 9_000 })

const [task, ...operands] = process.argv.slice(2)
try {
  if (task === undefined) await follow()
  else await shutdown.run(await runTask(task, operands))
} catch (error) {
  const message = task === undefined ? 'ingest could not start' : `${task} failed`
  await endOnFailure(error, { log, shutdown, message })
}

/** Follows the head and closes gaps until stopped. */
async function follow(): Promise<void> {
  log.info('ingest starting', { settings: maskedSettings(settings), from: config.origin.kind })
  const { database, metrics, source, start, chain } = await connect()
  const ingest = await startIngest({
    source,
    database,
    log,
    metrics,
    queueStore: config.queueStore,
    start,
    order: config.order,
    retention: settings.retention,
    watch: config.watch,
    decodeThreads: config.decodeThreads,
    partitionWidth: BigInt(settings.partitionWidth),
    backfillConcurrency: settings.backfillConcurrency,
    chainEnds: config.chainEnds,
    contracts: { states: chain?.states, threads: config.tvmThreads },
    ...(chain && {
      evidence: chain.evidence,
      fullNodes: chain.fullNodes,
      proving: { pool: chain.proofs, anchors: chain.anchors, onConflict: stopOverConflict },
    }),
  })
  shutdown.onShutdown('ingest', () => ingest.close(CLOSE_MS))
  if (chain?.pool) followServers(chain.pool, database.db)
  await serveProcessStatus({
    host: settings.apiHost,
    port: settings.ingestPort,
    setting: 'INGEST_PORT',
    metrics,
    log,
    shutdown,
    readiness: () => ingestReadiness(ingest),
  })
  reportProgress(ingest, log, shutdown.signal)
}

/** Keeps the list of lite servers up to date and reports their faults, until the process stops. */
function followServers(pool: LiteServerPool, db: Db): void {
  const { signal } = shutdown
  void reportLiteServers({ pool, db, log, signal })
  if (config.origin.kind !== 'liteservers') return
  const { choice, own } = config.origin
  void keepServersFresh({ choice, own, dataDir: settings.dataDir, pool, log, signal })
}

/** A stored block is false. An operator has to decide; a restart would not help. */
function stopOverConflict(conflict: ChainConflict): void {
  void tellSupervisor({ type: 'fatal', message: conflict.message })
  void shutdown.run(EXIT.fix)
}

/** Runs `repair <from> <to>`, `repair quarantined` or `verify <from> <to>` once, then exits. */
async function runTask(name: string, [from, to]: readonly string[]): Promise<ExitCode> {
  const { database, source } = await connect()
  const range = { from: Number(from), to: Number(to) }
  const options = {
    source,
    database,
    log,
    signal: shutdown.signal,
    decodeThreads: config.decodeThreads,
    partitionWidth: BigInt(settings.partitionWidth),
  }
  if (name === 'repair' && from === 'quarantined') await repairQuarantined(options)
  else if (name === 'repair') await repair(range, options)
  else if (name === 'verify') return VERIFY_EXIT[await verify(range, options)]
  else throw new Error(`unknown task ${name}`)
  return EXIT.done
}

async function connect() {
  const metrics = createMetrics({ processMetrics: true })
  const database = createDb({
    url: config.databaseUrl,
    max: settings.databasePoolSize,
    applicationName: 'shardwalk ingest',
    ofPrimary: true,
    // Its locks would keep others from writing for as long as this process is suspended.
    idleTransactionMs: 30_000,
    onIdleError: (error) => log.warn('database connection lost', { error }),
    metrics,
  })
  shutdown.onShutdown('database', () => database.close())
  await checkSchema(database.db)
  void endWhenMigrated({ db: database.db, log, shutdown })
  await warnOfFewLocks(database.db, (message) => log.warn(message))
  const onMessage = await openForwarded(database, metrics)
  const opened = await openOrigin(config, { metrics, log, onMessage })
  shutdown.onShutdown('source', () => opened.source.close())
  return { database, metrics, ...opened }
}

/** What admits messages of other senders to the pending ones; undefined if there are none to admit. */
async function openForwarded(database: DatabaseHandle, metrics: Metrics) {
  const { origin } = config
  if (origin.kind !== 'liteservers' || !origin.fullNodes || !settings.pending) return undefined
  // Without full nodes the process need not load what reads messages.
  const { ForwardedMessages } = await import('@shardwalk/pending')
  const forwarded = new ForwardedMessages({ db: database.db, metrics, log })
  shutdown.onShutdown('messages of full nodes', () => forwarded.close())
  return (boc: Buffer) => forwarded.take(boc)
}

/** Every second to the supervisor's terminal, every ten seconds to the log while there is progress. */
function reportProgress(ingest: Ingest, log: Logger, signal: AbortSignal): void {
  let loggedAt = 0
  let logged = ''
  const timer = setInterval(() => {
    const report = ingest.progress.report()
    void tellSupervisor({ type: 'progress', line: progressLine(report) })
    const state = `${report.newestIndexed} ${report.missing}`
    if (performance.now() - loggedAt < LOG_PROGRESS_EVERY_MS || state === logged) return
    loggedAt = performance.now()
    logged = state
    log.info('progress', {
      head: report.head,
      mc_block_seqno: report.newestIndexed,
      missing: report.missing,
      blocks_per_second: Math.round(report.blocksPerSecond),
      transactions_per_second: Math.round(report.transactionsPerSecond),
      eta_seconds: report.etaSeconds === undefined ? undefined : Math.round(report.etaSeconds),
    })
  }, 1_000)
  signal.addEventListener('abort', () => clearInterval(timer))
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { OwnerLock, untilAborted } from '@shardwalk/concurrency'
import { isDiskFull } from '@shardwalk/embedded-postgres'
import { isFiles, NetworkUnreachable } from '@shardwalk/networks'
import {
  createLogger,
  createShutdown,
  EXIT,
  type ExitCode,
  LOST_LINES,
  type Logger,
  outliveFullLogDisk,
  type Shutdown,
} from '@shardwalk/observability'
import { maskedSettings, type Settings } from '@shardwalk/settings'
import { checkFiles } from '../check-files.ts'
import type { Context } from '../context.ts'
import { saveCurrentNetwork } from '../data-dir.ts'
import { FullDisk } from '../full-disk.ts'
import { KeptDatabase } from '../kept-database.ts'
import { migrateDatabase } from '../migrate-database.ts'
import { onNpmExit } from '../npm-parent.ts'
import { CommandError } from '../outcome.ts'
import { claimPorts } from '../ports.ts'
import { reachNetwork } from '../reach.ts'
import { prepareRoles, type RoleUrls } from '../role-urls.ts'
import { StartOutput } from '../start-output.ts'
import { Supervisor } from '../supervisor.ts'
import { Terminal } from '../terminal.ts'
import { untilSpace } from '../until-space.ts'
import { withDbRetry } from '../with-db.ts'
import { announceApi, networkOfApi, startApi, startIngest, startWorkers } from './started-processes.ts'

const OVERRIDES = ['metadataOverrides'] as const

/**
 * `start`: runs database, migrations, a server for a recorded chain, ingest and API until a signal arrives.
 */
export async function start(context: Context): Promise<ExitCode> {
  const reader = new AbortController()
  outliveFullLogDisk(process.stdout, () => reader.abort())
  const terminal = new Terminal(process.stdout)
  const log = supervisorLog(context.settings, terminal)
  const noteLost = (lines: number) => log.warn(LOST_LINES, { lines })
  terminal.onLost = noteLost
  const fullDisk = new FullDisk(context.dataDir, log)
  const owner = await untilSpace(() => claimNetwork(context), {
    isFull: async (error) => isDiskFull(error),
    onFull: () => fullDisk.report(),
    signal: new AbortController().signal,
  })
  try {
    return await run(context, terminal, reader.signal)
  } finally {
    await owner.release()
  }
}

/** A second `start` would take over the recorded chain's server and index everything twice. */
async function claimNetwork({ dataDir, network, settings }: Context): Promise<OwnerLock> {
  const owner = await OwnerLock.acquire(join(dataDir, 'networks', `${network.slug}.owner`))
  if (owner) return owner
  throw new CommandError(
    `Shardwalk runs on ${settings.network} in ${dataDir} already. Stop it first, or choose another ` +
      'folder: --data-dir <folder>',
  )
}

/** `readerGone`: aborted when nobody reads the output any more. */
async function run(asked: Context, terminal: Terminal, readerGone: AbortSignal): Promise<ExitCode> {
  const output = new StartOutput(asked, terminal)
  const { context } = output
  const log = supervisorLog(context.settings, terminal)
  const { settings } = context
  await checkFiles(settings, ['marketplaceNames', ...(settings.metadataFetch ? OVERRIDES : [])])
  const apiPort = await claimPorts(settings)
  const unreachable = await networkProblem(context)
  if (unreachable && hasNoDatabase(context)) throw unreachable
  output.begin()

  const { shutdown, exited } = interruptible(log, output)
  whenAborted(readerGone, () => {
    process.stderr.write('Nobody reads the output any more: stopping\n')
    void shutdown.run(EXIT.fix)
  })
  const supervisor = new Supervisor({ terminal, log })
  let exitCode: ExitCode = EXIT.done
  supervisor.failed.then((message) => {
    log.error('stopping', { reason: message })
    exitCode = EXIT.fix
    void shutdown.run(EXIT.fix)
  })
  try {
    await startAll({ context, apiPort, unreachable, supervisor, terminal, log, shutdown })
  } catch (error) {
    // If start was interrupted while waiting, the user knows why it ended.
    if (shutdown.signal.aborted) return await end(exited, output)
    void shutdown.run(EXIT.fix)
    await exited
    throw error
  }
  return Math.max(await end(exited, output), exitCode) as ExitCode
}

interface Start {
  readonly context: Context
  /** The port that was found for the API. */
  readonly apiPort: number
  readonly unreachable: NetworkUnreachable | undefined
  readonly supervisor: Supervisor
  readonly terminal: Terminal
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** Opens the database, then starts the processes that need it. */
async function startAll(start: Start): Promise<void> {
  const { context, apiPort, unreachable, supervisor, terminal, log, shutdown } = start
  const { signal } = shutdown
  const database = new KeptDatabase(context, { log, signal })
  // A migration may take hours; what is interrupted is continued by the next start.
  const urls = await untilAborted(startDatabase(context, { database, log, shutdown }), signal)
  if (unreachable && !(await hasIndexedBlocks(urls.writer))) throw unreachable
  await database.untilSpace(async () => saveCurrentNetwork(context.dataDir, context.settings.network))
  const settings: Settings = { ...context.settings, apiPort, databaseUrl: urls.writer }
  log.info('starting', { settings: maskedSettings(settings) })
  shutdown.onShutdown('processes', () => supervisor.stop())
  startApi(supervisor, { ...settings, databaseUrl: urls.reader, network: networkOfApi(context) })
  startWorkers(supervisor, settings)
  void announceApi(settings, terminal, signal)
  await startIngest({ context, settings, database, supervisor, log, unreachable, signal })
}

/** Ends on signals and with npm. `exited` resolves to the exit code when everything has ended. */
function interruptible(log: Logger, output: StartOutput) {
  let resolveExit: (code: ExitCode) => void = () => {}
  const exited = new Promise<ExitCode>((resolve) => {
    resolveExit = resolve
  })
  const shutdown = createShutdown({ log, exit: (code) => resolveExit(code as ExitCode) })
  shutdown.signal.addEventListener('abort', () => output.stopping())
  shutdown.listen()
  onNpmExit(() => void shutdown.run())
  return { shutdown, exited }
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

async function end(exited: Promise<ExitCode>, output: StartOutput): Promise<ExitCode> {
  const code = await exited
  if (code === EXIT.done) output.stopped()
  return code
}

function supervisorLog(settings: Settings, terminal: Terminal): Logger {
  const output = new Writable({
    write(chunk, _encoding, done) {
      terminal.line(String(chunk).replace(/\n$/, ''))
      done()
    },
  })
  const format = settings.logFormat ?? (terminal.isTerminal ? 'pretty' : 'json')
  return createLogger({ level: settings.logLevel, format, output, fields: { process: 'start' } })
}

async function networkProblem(context: Context): Promise<NetworkUnreachable | undefined> {
  if (isFiles(context.network)) return undefined
  try {
    await reachNetwork(context)
    return undefined
  } catch (error) {
    if (error instanceof NetworkUnreachable) return error
    throw error
  }
}

/** True if there is no database yet, so that starting the server to ask it is pointless. */
const hasNoDatabase = ({ settings, dataDir }: Context): boolean =>
  settings.databaseUrl === undefined && !existsSync(join(dataDir, 'postgres'))

const hasIndexedBlocks = (url: string): Promise<boolean> =>
  withDbRetry(
    url,
    async ({ pool }) => (await pool.query('select 1 from indexed_ranges limit 1')).rowCount === 1,
  )

async function startDatabase(
  context: Context,
  { database, log, shutdown }: { database: KeptDatabase; log: Logger; shutdown: Shutdown },
): Promise<RoleUrls> {
  shutdown.onShutdown('database', () => database.stop())
  const first = await database.open()
  database.lost.catch((error: unknown) => {
    if (shutdown.signal.aborted) return
    log.error('embedded PostgreSQL not restarted', { error })
    void shutdown.run(EXIT.fix)
  })
  const migrations = await database.untilSpace(() => migrateDatabase(first.url))
  if (migrations.length > 0) log.info('database migrated', { migrations })
  return database.untilSpace(() => prepareRoles(first, context.settings))
}

import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { OwnerLock, sleep, untilAborted } from '@shardwalk/concurrency'
import { isDiskFull } from '@shardwalk/embedded-postgres'
import { isFiles, NetworkUnreachable, writeConfig } from '@shardwalk/networks'
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
import { apiMemory, maskedSettings, type Settings } from '@shardwalk/settings'
import { startPoint } from '../chain-access.ts'
import { checkFiles } from '../check-files.ts'
import type { Context } from '../context.ts'
import { saveCurrentNetwork } from '../data-dir.ts'
import { FullDisk } from '../full-disk.ts'
import { KeptDatabase } from '../kept-database.ts'
import type { ChildMessage } from '../messages.ts'
import { migrateDatabase } from '../migrate-database.ts'
import { onNpmExit } from '../npm-parent.ts'
import { CommandError, messageOf } from '../outcome.ts'
import { addressOf } from '../own-address.ts'
import { claimPort, claimPorts } from '../ports.ts'
import { reachNetwork } from '../reach.ts'
import { prepareRoles, processEnvironment, type RoleUrls } from '../role-urls.ts'
import { StartOutput } from '../start-output.ts'
import { Supervisor } from '../supervisor.ts'
import { Terminal } from '../terminal.ts'
import { untilSpace } from '../until-space.ts'
import { withDbRetry } from '../with-db.ts'
import { ACTIONS_PROCESS } from './actions.ts'
import { METADATA_PROCESS } from './metadata.ts'
import { apiNetwork } from './processes.ts'

const RECONNECT_INTERVAL_MS = 15_000
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

function startWorkers(supervisor: Supervisor, settings: Settings): void {
  const env = childEnvironment(settings)
  supervisor.start({ name: 'actions', entry: ACTIONS_PROCESS, env })
  if (settings.metadataFetch) supervisor.start({ name: 'metadata', entry: METADATA_PROCESS, env })
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

const startApi = (supervisor: Supervisor, settings: Settings): void =>
  supervisor.start({
    name: 'api',
    entry: 'apps/api/src/main.ts',
    env: { ...childEnvironment(settings), ...apiMemory(settings, process.env) },
  })

/** A config left by an earlier replay is deleted, because its port is no longer valid. */
function networkOfApi(context: Context): string {
  const name = apiNetwork(context)
  if (context.network.kind === 'recording') rmSync(name, { force: true })
  return name
}

interface IngestStart {
  readonly context: Context
  readonly settings: Settings
  readonly database: KeptDatabase
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly unreachable: NetworkUnreachable | undefined
  readonly signal: AbortSignal
}

async function startIngest(options: IngestStart): Promise<void> {
  const { context, settings, database, supervisor, signal } = options
  const { network, dataDir } = context
  const indexFrom = await startPoint(context)
  const ingest = (name: string) => {
    if (supervisor.has('ingest')) return
    const env = childEnvironment({ ...settings, network: name, indexFrom })
    if (isFiles(network)) env['CHAIN_ENDS'] = '1'
    supervisor.start({ name: 'ingest', entry: 'apps/ingest/src/main.ts', env })
  }
  if (network.kind === 'archive') return ingest(network.folder)
  if (network.kind !== 'recording') {
    void reachUntilFound(options).then((found) => found && ingest(settings.network))
    return
  }
  const port = await claimPort('127.0.0.1', 0, 'replay server')
  const env = childEnvironment({ ...settings, network: network.folder })
  const served = (message: ChildMessage) => {
    if (message.type !== 'serving') return
    const written = database.untilSpace(() => writeConfig(`${network.slug}_replay`, dataDir, message.config))
    written.then(ingest).catch((error: unknown) => {
      if (!signal.aborted) supervisor.abandon(`config of the replay not written: ${messageOf(error)}`)
    })
  }
  supervisor.start(
    { name: 'replay', entry: 'apps/ops/src/replay-process.ts', env: { ...env, REPLAY_PORT: String(port) } },
    served,
  )
}

async function reachUntilFound({ context, log, unreachable, signal }: IngestStart): Promise<boolean> {
  const report = (problem: unknown) =>
    // Without the advice for a first start, which follows.
    log.warn('network not reached; indexed data served', { error: messageOf(problem).split('\n')[0] })
  if (unreachable) report(unreachable)
  while (!signal.aborted) {
    try {
      const { warning } = await reachNetwork(context)
      if (warning) log.warn('global config', { notice: warning })
      return true
    } catch (error) {
      report(error)
      await sleep(RECONNECT_INTERVAL_MS, signal)
    }
  }
  return false
}

function childEnvironment(settings: Settings): Record<string, string> {
  const format = settings.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
  return processEnvironment({ ...settings, logFormat: format })
}

/** Prints the address of the API as soon as it answers. */
async function announceApi(settings: Settings, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const base = addressOf(settings)
  while (!signal.aborted) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(1000) }).catch(
      () => undefined,
    )
    if (answer?.ok)
      return terminal.line(
        `Shardwalk serves ${settings.network} at ${base}/api/v3/ with profile ${settings.apiProfile} ` +
          '(Ctrl-C stops it)',
      )
    await sleep(100, signal)
  }
}

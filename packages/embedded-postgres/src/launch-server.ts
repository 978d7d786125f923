import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '@shardwalk/concurrency'
import { program } from './binaries.ts'
import { type PreparedFolder, passwordFile } from './data-folder.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { ProcessGuard } from './guard.ts'
import { keepPort, keptPort, otherPort, untilFree } from './kept-port.ts'
import { cannotRun, programEnvironment } from './run.ts'
import { connectionProblem, databaseUrl, HOST, isWrongPassword } from './server-database.ts'
import { isServerReady, stopProcess } from './server-process.ts'
import { postgresSettings } from './settings.ts'

export interface EmbeddedOptions {
  /** The server's files are in `<dataDir>/postgres`, next to its log and password. Created if missing. */
  readonly dataDir: string
  /** Default: the port that the folder had last; at first one that is derived from its path. */
  readonly port?: number
  /** Settings in addition to, or instead of, the tuned ones. */
  readonly settings?: Readonly<Record<string, string>>
  readonly onNotice?: (text: string) => void
  /**
   * The folder had a database a moment ago, which others still use: none is made if it is gone. Default
   * false.
   */
  readonly again?: boolean
}

/** A server that answers. */
export interface RunningServer {
  readonly pid: number
  readonly port: number
  readonly exited: Promise<void>
}

/** How long a kept port is waited for: children of a killed server may still have it. */
const PORT_PATIENCE_MS = 5_000
/** More than anyone kills by hand; a server that always runs out of memory reaches it in seconds. */
const MOST_KILLS = 8

/**
 * Starts a server and waits until it answers. One that is killed or finds its port taken is started again.
 * `dataDir` is absolute. Throws `EmbeddedPostgresError`.
 */
export async function launchServer(
  options: EmbeddedOptions,
  folder: PreparedFolder,
  deadline: number,
): Promise<RunningServer> {
  const { dataDir } = options
  let port = options.port ?? (await keptPort(HOST, dataDir))
  const patience = Math.min(deadline, performance.now() + PORT_PATIENCE_MS)
  for (let kills = 0; ; ) {
    const outcome = await tryLaunch({ options, folder, port, deadline })
    if ('pid' in outcome) {
      await keepPort(dataDir, port)
      return outcome
    }
    const { reason, wasKilled } = outcome
    const isTaken = /Address already in use|could not bind/i.test(reason)
    if (wasKilled) kills++
    const mayGoOn = wasKilled && kills < MOST_KILLS
    const isTransient = mayGoOn || isTaken || /still in use/i.test(reason)
    if (isTaken && options.port !== undefined)
      throw new EmbeddedPostgresError(
        `PostgreSQL did not start: port ${port} is in use by another program; set another DATABASE_PORT`,
      )
    if (!isTransient || performance.now() > deadline)
      throw new EmbeddedPostgresError(`PostgreSQL did not start: ${reason}${adviceOn(reason)}`)
    if (!isTaken) await sleep(250)
    if (!isTaken || (await untilFree(HOST, port, patience))) continue
    const other = await otherPort(HOST, dataDir, port)
    options.onNotice?.(
      `port ${port} is in use by another program: PostgreSQL listens on ${other} from now on`,
    )
    port = other
  }
}

/** What a server says that lacks files, or finds damaged ones, before it answers. */
const DAMAGE = [
  /could not (find the database system|locate a valid checkpoint)|control file/i,
  /WAL directory .* does not exist/,
  /could not (open|access) (the server )?(configuration )?(file|directory) "[^"]*": No such file/,
]

function adviceOn(reason: string): string {
  // Servers do not read what another major version wrote.
  if (/incompatible with server/i.test(reason))
    return (
      '. Use the version of this program that wrote the data, or choose another DATA_DIR to index again; ' +
      'see docs/upgrading.md'
    )
  if (DAMAGE.some((pattern) => pattern.test(reason)))
    return (
      '. Files of the database are missing or damaged: restore a complete copy of the folder, with its ' +
      'empty folders, or choose another DATA_DIR to index again; see docs/upgrading.md'
    )
  return ''
}

interface NotStarted {
  /** What the server logged before it exited. */
  readonly reason: string
  /** Ended by a signal from elsewhere, such as the system's when memory runs out. */
  readonly wasKilled: boolean
}

interface Attempt {
  readonly options: EmbeddedOptions
  readonly folder: PreparedFolder
  readonly port: number
  readonly deadline: number
}

async function tryLaunch({ options, folder, port, deadline }: Attempt): Promise<RunningServer | NotStarted> {
  const { child, exited, log, failure } = spawnServer(options, folder, port)
  const url = databaseUrl(folder.password, port, 'postgres')
  for (;;) {
    // Before that, a server of another folder may answer at the port.
    const isReady = await isServerReady(folder.cluster, child.pid)
    const problem = await connectionProblem(url)
    if (child.pid !== undefined && isReady && problem === undefined) return { pid: child.pid, port, exited }
    if (child.pid !== undefined && isReady && isWrongPassword(problem)) {
      await stopProcess(child.pid, exited, folder)
      throw new EmbeddedPostgresError(
        `${passwordFile(options.dataDir)} is not the password of the database beside it; restore the file`,
        { cause: problem },
      )
    }
    if (hasEnded(child)) {
      const reason = log.written() || cannotRun(program(folder.binaries, 'postgres'), failure()).message
      return { reason, wasKilled: child.signalCode === 'SIGKILL' }
    }
    if (performance.now() > deadline) {
      child.kill('SIGQUIT')
      return { reason: `no answer in time (${problem?.message}); ${log.written()}`, wasKilled: false }
    }
    await sleep(30)
  }
}

function spawnServer(options: EmbeddedOptions, folder: PreparedFolder, port: number) {
  const log = openLog(join(options.dataDir, 'postgres.log'))
  // It is there before the server, so that no moment is left in which nothing would end that.
  const guard = new ProcessGuard(GUARD_STEPS)
  const child = spawn(program(folder.binaries, 'postgres'), serverArguments(options, folder, port), {
    cwd: '/',
    // A separate process group: Ctrl-C must not reach the server before the last batch is written.
    detached: true,
    env: programEnvironment(folder.binaries.env),
    stdio: ['ignore', log.fd, log.fd],
    ...folder.user,
  })
  closeSync(log.fd)
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  const exited = guarded(child, guard)
  child.unref()
  return { child, exited, log, failure: () => failure }
}

/** Resolves when the server has ended, which it does with this process, also before it is ready. */
function guarded(child: ChildProcess, guard: ProcessGuard): Promise<void> {
  if (child.pid !== undefined) guard.set([child.pid])
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return exited.then(() => guard.close())
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

function serverArguments(options: EmbeddedOptions, folder: PreparedFolder, port: number): string[] {
  const settings: Record<string, string> = {
    ...Object.fromEntries(postgresSettings().map(({ name, value }) => [name, value])),
    log_min_messages: 'warning',
    ...options.settings,
    listen_addresses: HOST,
    unix_socket_directories: '',
  }
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', folder.cluster, '-p', String(port), ...assignments]
}

const MOST_LOG_BYTES = 16 * 1024 * 1024

/** Opens the log for appending; `written` returns what has been added since. */
function openLog(path: string): { fd: number; written: () => string } {
  const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (before > MOST_LOG_BYTES) truncateSync(path)
  const from = before > MOST_LOG_BYTES ? 0 : before
  const fd = openSync(path, 'a', 0o600)
  return { fd, written: () => readFileSync(path).subarray(from).toString('utf8').trim().slice(-2000) }
}

/** Fast shutdown, immediate shutdown, and the end: less than five seconds for a server without a parent. */
const GUARD_STEPS = [
  ['INT', 2_000],
  ['QUIT', 1_500],
  ['KILL', 0],
] as const

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OwnerLock, sleep } from '@shardwalk/concurrency'
import { program } from './binaries.ts'
import { clusterFolder, isCluster, type PreparedFolder, passwordFile, prepareFolder } from './data-folder.ts'
import { isDiskFull, lacksSpace } from './disk-space.ts'
import { DiskFull, EmbeddedPostgresError } from './errors.ts'
import { ProcessGuard } from './guard.ts'
import { keepPort, keptPort, otherPort, untilFree } from './kept-port.ts'
import { cannotRun, programEnvironment } from './run.ts'
import {
  connectionProblem,
  createDatabase,
  DATABASE,
  databaseUrl,
  HOST,
  isWrongPassword,
} from './server-database.ts'
import { endsWithin, isServerReady, readPostmaster, stopProcess, untilGone } from './server-process.ts'
import { postgresSettings } from './settings.ts'

const MOST_LOG_BYTES = 16 * 1024 * 1024

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

/** A running server. */
export interface EmbeddedPostgres {
  /** URL of the database `shardwalk` for the superuser. */
  readonly url: string
  readonly port: number
  /** Process id of the server. */
  readonly pid: number
  /** False if another process runs the server; `stop` then leaves it running. */
  readonly owned: boolean
  /** Resolves when the server has exited. */
  readonly exited: Promise<void>
  /** Stops the server (fast shutdown) and waits until it has exited. */
  stop(): Promise<void>
}

/** Time limit of a start, with recovery after a crash. */
const START_MS = 300_000

/**
 * Starts a PostgreSQL server on loopback and waits until it answers. It ends with this process, even if that
 * is killed. A server that another process runs on the folder is used, not owned. Throws
 * `EmbeddedPostgresError` with the reason and the next step.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const deadline = performance.now() + START_MS
  if (options.again && !(await isCluster(clusterFolder(dataDir))))
    throw new EmbeddedPostgresError(
      `there is no database in ${clusterFolder(dataDir)} any more: it was removed, or its volume is not ` +
        'mounted. Bring it back, then start again',
    )
  await mkdir(dataDir, { recursive: true })
  for (;;) {
    const lock = await OwnerLock.acquire(join(dataDir, 'postgres-owner')).catch((error: unknown) => {
      throw isDiskFull(error) ? new DiskFull(dataDir, { cause: error }) : error
    })
    if (lock) return startOwned({ ...options, dataDir }, lock, deadline)
    const running = await findEmbeddedPostgres(dataDir)
    if (running) return running
    if (performance.now() > deadline)
      throw new EmbeddedPostgresError(`another process starts PostgreSQL in ${dataDir} and does not finish`)
    await sleep(100)
  }
}

/** The server that another process runs on this folder; undefined if none answers. */
export async function findEmbeddedPostgres(dataDir: string): Promise<EmbeddedPostgres | undefined> {
  const found = await readPostmaster(clusterFolder(resolve(dataDir)))
  const password = await readFile(passwordFile(resolve(dataDir)), 'utf8').catch(() => undefined)
  if (!found || !password) return undefined
  const url = databaseUrl(password.trim(), found.port, DATABASE)
  if ((await connectionProblem(url)) !== undefined) return undefined
  return { url, ...found, owned: false, exited: untilGone(found.pid), stop: async () => {} }
}

interface Start extends EmbeddedOptions {
  readonly dataDir: string
}

async function startOwned(options: Start, lock: OwnerLock, deadline: number): Promise<EmbeddedPostgres> {
  try {
    const folder = await prepareFolder(options.dataDir)
    for (const notice of folder.notices) options.onNotice?.(notice)
    await endOrphan(folder)
    return toHandle(await launchWithDatabase(options, folder, deadline), folder, lock)
  } catch (error) {
    await lock.release()
    // A server that cannot write its log either leaves no reason behind.
    const isFull = isDiskFull(error) || (await lacksSpace(options.dataDir))
    throw isFull ? new DiskFull(options.dataDir, { cause: error }) : error
  }
}

interface RunningServer {
  readonly pid: number
  readonly port: number
  readonly exited: Promise<void>
}

/**
 * Ends a server whose starter was killed, unless its guard has done so. A lock file without a server is
 * removed, even if its pid is reused.
 */
async function endOrphan(folder: PreparedFolder): Promise<void> {
  const found = await readPostmaster(folder.cluster)
  if (found) await stopProcess(found.pid, untilGone(found.pid), folder)
  await rm(join(folder.cluster, 'postmaster.pid'), { force: true })
}

/** How long it takes at most to see that a server has ended. */
const END_SEEN_MS = 1_000

/** A server that is killed before it has the database is started again. */
async function launchWithDatabase(
  options: Start,
  folder: PreparedFolder,
  deadline: number,
): Promise<RunningServer> {
  for (;;) {
    const server = await launch(options, folder, deadline)
    try {
      await createDatabase(folder.password, server.port)
      return server
    } catch (error) {
      const hasEnded = await endsWithin(server.exited, END_SEEN_MS)
      if (!hasEnded) await stopProcess(server.pid, server.exited, folder)
      if (!hasEnded || performance.now() > deadline) throw error
    }
  }
}

/** How long a kept port is waited for: children of a killed server may still have it. */
const PORT_PATIENCE_MS = 5_000
/** More than anyone kills by hand; a server that always runs out of memory reaches it in seconds. */
const MOST_KILLS = 8

async function launch(options: Start, folder: PreparedFolder, deadline: number): Promise<RunningServer> {
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

/** Servers do not read what another major version wrote. */
const adviceOn = (reason: string): string =>
  /incompatible with server/i.test(reason)
    ? '. Use the version of this program that wrote the data, or choose another DATA_DIR to index again; ' +
      'see docs/upgrading.md'
    : ''

interface NotStarted {
  /** What the server logged before it exited. */
  readonly reason: string
  /** Ended by a signal from elsewhere, such as the system's when memory runs out. */
  readonly wasKilled: boolean
}

interface Attempt {
  readonly options: Start
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

function spawnServer(options: Start, folder: PreparedFolder, port: number) {
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

function serverArguments(options: Start, folder: PreparedFolder, port: number): string[] {
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

/** Opens the log for appending; `written` returns what has been added since. */
function openLog(path: string): { fd: number; written: () => string } {
  const before = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (before > MOST_LOG_BYTES) truncateSync(path)
  const from = before > MOST_LOG_BYTES ? 0 : before
  const fd = openSync(path, 'a', 0o600)
  return { fd, written: () => readFileSync(path).subarray(from).toString('utf8').trim().slice(-2000) }
}

function toHandle(server: RunningServer, folder: PreparedFolder, lock: OwnerLock): EmbeddedPostgres {
  const { exited } = server
  let stopping: Promise<void> | undefined
  return {
    url: databaseUrl(folder.password, server.port, DATABASE),
    port: server.port,
    pid: server.pid,
    owned: true,
    exited,
    stop: () => (stopping ??= stopProcess(server.pid, exited, folder).then(() => lock.release())),
  }
}

/** Fast shutdown, immediate shutdown, and the end: less than five seconds for a server without a parent. */
const GUARD_STEPS = [
  ['INT', 2_000],
  ['QUIT', 1_500],
  ['KILL', 0],
] as const

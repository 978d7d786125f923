import { mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { OwnerLock, sleep } from '@shardwalk/concurrency'
import { clusterFolder, isCluster, type PreparedFolder, passwordFile, prepareFolder } from './data-folder.ts'
import { isDiskFull, lacksSpace } from './disk-space.ts'
import { DiskFull, EmbeddedPostgresError } from './errors.ts'
import { type EmbeddedOptions, launchServer, type RunningServer } from './launch-server.ts'
import { connectionProblem, createDatabase, DATABASE, databaseUrl } from './server-database.ts'
import { endsWithin, readPostmaster, stopProcess, untilGone } from './server-process.ts'

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

/** PostgreSQL does not notice all that is wrong with such a copy, so what it reads may be false. */
const COPIED =
  'the folder looks like a copy that was made while its database ran, or after that was killed: if it was ' +
  'copied file by file while the database ran, what it holds may be damaged (docs/upgrading.md); if it was ' +
  'not copied, its file system numbers files anew, and nothing is wrong'

async function startOwned(
  options: EmbeddedOptions,
  lock: OwnerLock,
  deadline: number,
): Promise<EmbeddedPostgres> {
  try {
    const folder = await prepareFolder(options.dataDir)
    if (lock.foundCopy) options.onNotice?.(COPIED)
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
  options: EmbeddedOptions,
  folder: PreparedFolder,
  deadline: number,
): Promise<RunningServer> {
  for (;;) {
    const server = await launchServer(options, folder, deadline)
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

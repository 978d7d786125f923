import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { replaceFile } from '@shardwalk/concurrency'
import { copyBinaries, linkLibraries, locateBinaries, type PostgresBinaries, program } from './binaries.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { run } from './run.ts'
import {
  canEnter,
  giveTo,
  isRoot,
  makeOpenFolder,
  type ServerUser,
  userForInitdb,
  userForServer,
} from './server-user.ts'

/** When started by root: location of the files if the server's user cannot access the data folder. */
const SHARED_FOLDER = '/var/lib/shardwalk'

/** Owner of the database, whose password is in `passwordFile`. */
export const SUPERUSER = 'shardwalk'

/** Everything needed to start the server. */
export interface PreparedFolder {
  readonly binaries: PostgresBinaries
  /** PostgreSQL's data directory. */
  readonly cluster: string
  readonly password: string
  /** Set if the server must run as another user. */
  readonly user?: ServerUser
  /** Notices for the operator, e.g. that the data are stored elsewhere. */
  readonly notices: readonly string[]
}

/** The password of the server, readable by its user only. */
export const passwordFile = (dataDir: string): string => join(dataDir, 'postgres-password')
/** PostgreSQL's own data directory. */
export const clusterFolder = (dataDir: string): string => join(dataDir, 'postgres')

/**
 * Creates the database cluster if missing; an interrupted creation is repeated. The caller holds the owner
 * lock.
 */
export async function prepareFolder(dataDir: string): Promise<PreparedFolder> {
  const located = await locateBinaries()
  const user = isRoot() ? await userForServer(clusterFolder(dataDir)) : undefined
  const place = user ? await placeForUser(user, dataDir) : { home: dataDir, notices: [] }
  const reachable = !user || (await canEnter(user, join(located.root, 'bin')))
  const own = reachable
    ? located
    : await copyBinaries(located, join(await sharedFolder(), `postgresql-${located.version}`))
  const binaries = await linkLibraries(own, join(place.home, 'postgres-lib'))
  const cluster = join(place.home, 'postgres')
  const password = await readOrMakePassword(dataDir, await isCluster(cluster))
  if (!(await isCluster(cluster))) {
    await refuseLostCluster(clusterFolder(dataDir))
    await initialise({ binaries, cluster, password, user })
  }
  if (user) await giveTo(user, cluster)
  await makePrivate(cluster, 0o700)
  await makePrivate(passwordFile(dataDir), 0o600)
  if (place.home !== dataDir) await pointTo(cluster, clusterFolder(dataDir))
  return { binaries, cluster, password, user, notices: place.notices }
}

/**
 * A copy may have lost its modes: the server refuses a folder that others may enter. If they cannot be set,
 * it says so itself.
 */
async function makePrivate(path: string, mode: number): Promise<void> {
  if (((await stat(path)).mode & 0o027) !== 0) await chmod(path, mode).catch(() => {})
}

/**
 * The data folder if the server's user can access it, else a folder named after its path that the user can
 * access.
 */
async function placeForUser(
  user: ServerUser,
  dataDir: string,
): Promise<{ home: string; notices: readonly string[] }> {
  if (await canEnter(user, dataDir)) return { home: dataDir, notices: [] }
  const path = await realpath(dataDir)
  const name = `${basename(dirname(path))}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`
  const home = join(await sharedFolder(), name)
  await makeOpenFolder(home)
  const reason = `PostgreSQL does not run as root and no other user may enter ${path}`
  const notice = `${reason}: its data are kept in ${home}/postgres`
  return { home, notices: [notice] }
}

async function sharedFolder(): Promise<string> {
  try {
    await makeOpenFolder(SHARED_FOLDER)
    return SHARED_FOLDER
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and no other user may enter this folder; ' +
        `${SHARED_FOLDER} cannot be used instead. ` +
        'Choose a data directory that others may enter (chmod o+x), run as another user, or set DATABASE_URL',
      { cause },
    )
  }
}

/** Whether the folder has a database. Throws if that cannot be read: nothing must be made in its place. */
export async function isCluster(folder: string): Promise<boolean> {
  try {
    await readFile(join(folder, 'PG_VERSION'))
    return true
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    const isOfOther = code === 'EACCES' || code === 'EPERM'
    const advice = 'start as the user who did before, or make this one the owner of the folder (chown -R)'
    throw new EmbeddedPostgresError(`cannot read the database: ${message}${isOfOther ? `; ${advice}` : ''}`, {
      cause,
    })
  }
}

/**
 * Throws if the folder is a link to a place without a database: such links are made for databases elsewhere,
 * or lead to another disk, which is then not mounted.
 */
async function refuseLostCluster(folder: string): Promise<void> {
  const target = await readlink(folder).catch(() => undefined)
  if (target === undefined || (await isCluster(folder))) return
  throw new EmbeddedPostgresError(
    `${folder} is a link to ${target}, where there is no database. Mount the disk or restore a copy; ` +
      'to begin with an empty database, remove the link',
  )
}

async function readOrMakePassword(dataDir: string, clusterExists: boolean): Promise<string> {
  const file = passwordFile(dataDir)
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT' || clusterExists)
      throw new EmbeddedPostgresError(`cannot read the database password in ${file}; restore the file`, {
        cause,
      })
  }
  const password = randomBytes(24).toString('hex')
  await replaceFile(file, `${password}\n`, 0o600)
  return password
}

/** Runs initdb in a temporary folder, then renames it, so that the cluster is either complete or absent. */
async function initialise(
  to: Pick<PreparedFolder, 'binaries' | 'cluster' | 'password' | 'user'>,
): Promise<void> {
  const { binaries, cluster, password, user } = to
  await removeUnfinished(cluster)
  const unfinished = `${cluster}.unfinished`
  const passwordCopy = `${cluster}.initdb-password`
  const runner = user ? await userForInitdb() : undefined
  await mkdir(unfinished, { mode: 0o700 })
  await writeFile(passwordCopy, password, { mode: 0o600 })
  if (runner) for (const path of [unfinished, passwordCopy]) await chown(path, runner.uid, runner.gid)
  try {
    // C locale: sorts by bytes on every machine and after every update of system libraries.
    const args = ['-D', unfinished, '-U', SUPERUSER, '--pwfile', passwordCopy, '--no-instructions']
    args.push('--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale', '--locale-provider', 'libc')
    await run(program(binaries, 'initdb'), args, { env: binaries.env, user: runner })
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('could not look up effective user ID'))
      throw error
    const advice = 'run as a user that has a name, or set DATABASE_URL'
    throw new EmbeddedPostgresError(
      `PostgreSQL is not set up for a user id without a name in /etc/passwd; ${advice}`,
      {
        cause: error,
      },
    )
  } finally {
    await rm(passwordCopy, { force: true })
  }
  await rename(unfinished, cluster)
}

/** Folder that a new file system has. */
const OF_DISK = 'lost+found'

async function removeUnfinished(cluster: string): Promise<void> {
  for (const suffix of ['unfinished', 'initdb-password'])
    await rm(`${cluster}.${suffix}`, { recursive: true, force: true })
  if (!existsSync(cluster)) return
  const found = await readdir(cluster)
  if (found.some((name) => name !== OF_DISK))
    throw new EmbeddedPostgresError(
      `${cluster} holds files but no database; move them away or choose another DATA_DIR`,
    )
  await rmdir(cluster).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EBUSY' && found.length === 0) throw cause
    throw new EmbeddedPostgresError(
      `${cluster} is where a volume is mounted; PostgreSQL makes this folder itself. Mount the volume at ` +
        `${dirname(cluster)} instead`,
      { cause },
    )
  })
}

/** Creates a link at the expected location of the data. */
async function pointTo(cluster: string, link: string): Promise<void> {
  if (await lstat(link).catch(() => undefined)) return
  await symlink(resolve(cluster), link)
}

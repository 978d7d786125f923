import { chmod, chown, lchown, mkdir, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'

/** The user of the operating system that runs the server, which refuses to run as root. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root, so it gets a separate user id that no other service shares. */
const FIRST_OWN_ID = 59432

/** PostgreSQL refuses to run as root; Windows has no such user. */
export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * The user for the server if this process is root: the owner of an existing data folder (created by an
 * ordinary user earlier), otherwise an unused id.
 */
export async function userForServer(dataFolder: string): Promise<ServerUser> {
  const owner = await stat(dataFolder).catch(() => undefined)
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const taken = new Set((await namedUsers()).map((user) => user.uid))
  let id = FIRST_OWN_ID
  while (taken.has(id)) id++
  return { uid: id, gid: id }
}

/** initdb requires a user with a name; ownership of its files is changed afterwards. */
export async function userForInitdb(): Promise<ServerUser> {
  const users = (await namedUsers()).filter((user) => user.uid !== 0)
  const user = users.find(({ name }) => name === 'nobody') ?? users[0]
  if (!user)
    throw new EmbeddedPostgresError('PostgreSQL cannot be set up by root: /etc/passwd names no other user')
  return user
}

/** Whether `user` may search `folder` and all folders above it. */
export async function canEnter(user: ServerUser, folder: string): Promise<boolean> {
  for (let path = await realpath(folder); ; path = dirname(path)) {
    const info = await stat(path)
    const bit = info.uid === user.uid ? 0o100 : info.gid === user.gid ? 0o010 : 0o001
    if ((info.mode & bit) === 0) return false
    if (path === dirname(path)) return true
  }
}

/** Makes a folder that every user may enter, whatever the umask of this process. */
export async function makeOpenFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
}

/** Like `chmod -R a+rX`, without following links. */
export async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(path)
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644)
  }
}

/**
 * Like `chown -R`, without following links. Entries that vanish meanwhile are passed over: an earlier server
 * may be removing its files.
 */
export async function giveTo(user: ServerUser, folder: string): Promise<void> {
  await chown(folder, user.uid, user.gid)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const given = entry.isDirectory() ? giveTo(user, path) : lchown(path, user.uid, user.gid)
    await given.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

async function namedUsers(): Promise<readonly (ServerUser & { readonly name: string })[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

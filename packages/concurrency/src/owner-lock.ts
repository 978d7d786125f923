import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/**
 * Lock file with the process that owns a part of a data folder, e.g. its embedded server: `<pid> <start
 * time>`. A killed process leaves its file; the start time distinguishes it from a later process with the
 * same pid, which is common in containers.
 */
export class OwnerLock {
  private constructor(private readonly path: string) {}

  /** Undefined if another running process, or another part of this one, holds the lock. */
  static async acquire(path: string): Promise<OwnerLock | undefined> {
    const mine = `${path}.${process.pid}`
    try {
      await writeFile(mine, identity(process.pid))
      if (await created(mine, path)) return new OwnerLock(path)
      const holder = await readFile(path, 'utf8').catch(() => '')
      if (holder !== '' && isAlive(holder)) return undefined
      await removeStale(path, holder)
      return (await created(mine, path)) ? new OwnerLock(path) : undefined
    } finally {
      await rm(mine, { force: true })
    }
  }

  async release(): Promise<void> {
    await rm(this.path, { force: true })
  }
}

/** Creates a hard link, which appears atomically with its content. */
async function created(content: string, path: string): Promise<boolean> {
  try {
    await link(content, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moves the file and checks it again, because another process may have taken the lock since it was read. */
async function removeStale(path: string, expected: string): Promise<void> {
  const aside = `${path}.stale.${process.pid}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== expected) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

function isAlive(holder: string): boolean {
  const pid = Number(holder.split(' ')[0])
  return isRunning(pid) && identity(pid) === holder
}

/** Whether a process with this id runs, whoever owns it. One that has ended may still wait for its parent. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || isZombie(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function isZombie(pid: number): boolean {
  const state = statFields(pid)?.[0]
  return state === 'Z' || state === 'X'
}

/** The start in clock ticks since boot. Other systems use the pid alone. */
const identity = (pid: number): string => `${pid} ${statFields(pid)?.[19] ?? '-'}`

/** Fields of /proc/<pid>/stat from the third on, the state; the 22nd is the start. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

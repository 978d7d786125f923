import { readFileSync } from 'node:fs'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/**
 * Says which process owns a part of a data folder, e.g. runs its embedded server: `<pid> <start of that process>`. A process that was
 * killed leaves its file behind; the start time tells it from a later process with the same number (in containers numbers repeat on
 * each start).
 */
export class OwnerLock {
  private constructor(private readonly path: string) {}

  /** Undefined while another living process (or another part of this one) holds it. */
  static async acquire(path: string): Promise<OwnerLock | undefined> {
    const mine = `${path}.${process.pid}`
    await writeFile(mine, identity(process.pid))
    try {
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

/** A hard link appears with its content, or not at all. */
async function created(content: string, path: string): Promise<boolean> {
  try {
    await link(content, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Moves first and looks again: between reading and removing, another process may have taken the lock over. */
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

/** True while the system knows a process of this number, whoever owns it. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Field 22 of /proc/<pid>/stat is the start in clock ticks since boot; elsewhere the number alone has to do. */
function identity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`
  } catch {
    return `${pid} -`
  }
}

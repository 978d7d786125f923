import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

interface OwnerLockOptions {
  /** How often the holder touches its file. Default 1,000. Milliseconds. */
  readonly touchMs?: number
  /** How long a file of a process that cannot be seen from here must stay untouched. Default 10,000. */
  readonly watchMs?: number
  /**
   * What is locked exists once, whatever folder it was copied to: a copy is held with its original, if the
   * holder of that can be seen from here.
   */
  readonly withCopies?: boolean
}

const CHECK_MS = 100
/** Last touches of several locks of one process are not further apart. Milliseconds. */
const TOGETHER_MS = 5_000

/**
 * Lock file with the process that owns a part of a data folder, e.g. its embedded server: `<pid> <start time>
 * <where its pid holds> <device and inode of the file>`. A killed process leaves its file; the start time
 * distinguishes it from a later process with the same pid, which is common in containers, and the inode its
 * file from one in a copy of the folder. Of a process in another container or on another machine only the
 * file is seen, so its holder touches it.
 */
export class OwnerLock {
  private readonly touching: NodeJS.Timeout

  private constructor(
    private readonly path: string,
    touchMs: number,
    /** The folder was copied, file by file, while another process held the lock, or after that was killed. */
    readonly foundCopy = false,
  ) {
    const touch = () => void utimes(path, new Date(), new Date()).catch(() => {})
    this.touching = setInterval(touch, touchMs).unref()
  }

  /**
   * Undefined if another running process, or another part of this one, holds the lock. Takes `watchMs` if the
   * file is that of a process which cannot be seen from here, or a copy, and is not touched.
   */
  static async acquire(
    path: string,
    { touchMs = 1_000, watchMs = 10_000, withCopies = false }: OwnerLockOptions = {},
  ): Promise<OwnerLock | undefined> {
    // Pids of two containers may be equal.
    const suffix = randomUUID()
    const mine = `${path}.${suffix}`
    try {
      await writeIdentity(mine)
      if (await created(mine, path)) return new OwnerLock(path, touchMs)
      const holder = await readFile(path, 'utf8').catch(() => '')
      const copy = await copied(path, holder)
      const isCopy = copy !== undefined && !withCopies
      if (holder !== '' && (await isHeld({ path, holder, watchMs, isCopy }))) return undefined
      await removeStale(path, holder, suffix)
      return (await created(mine, path)) ? new OwnerLock(path, touchMs, copy === 'contents') : undefined
    } finally {
      await rm(mine, { force: true })
    }
  }

  /** A file that cannot be removed, because the disk is read-only for instance, holds nothing when we end. */
  async release(): Promise<void> {
    clearInterval(this.touching)
    await rm(this.path, { force: true }).catch(() => {})
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
async function removeStale(path: string, expected: string, suffix: string): Promise<void> {
  const aside = `${path}.stale.${suffix}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  if ((await readFile(aside, 'utf8')) !== expected) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

interface FoundLock {
  readonly path: string
  readonly holder: string
  readonly watchMs: number
  readonly isCopy: boolean
}

async function isHeld({ path, holder, watchMs, isCopy }: FoundLock): Promise<boolean> {
  const { pid, startedAt, place } = parsed(holder)
  if (place === '' || place === PID_SPACE) {
    if (!isRunning(pid) || startOf(pid) !== startedAt) return false
    // Some file systems number a file anew: whether it is one of its holder is then seen by its touches.
    if (!isCopy) return true
  }
  return isTouchedByHolder(path, holder, watchMs)
}

/** When holders in other places that have ended last touched a file, by what their files say. */
const ended = new Map<string, number>()

/** A process that holds several locks is watched once: it touched all of them until it ended. */
async function isTouchedByHolder(path: string, holder: string, watchMs: number): Promise<boolean> {
  const touchedAt = (await modifiedAt(path)) ?? 0
  const { owner } = parsed(holder)
  const endedAt = ended.get(owner)
  if (endedAt !== undefined && touchedAt < endedAt + TOGETHER_MS) return false
  if (await isTouched(path, watchMs)) return true
  ended.set(owner, touchedAt)
  return false
}

/** Whether the file changes, or goes, within `watchMs`. Clocks of two machines are not compared. */
async function isTouched(path: string, watchMs: number): Promise<boolean> {
  const before = await modifiedAt(path)
  for (const start = performance.now(); performance.now() - start < watchMs; ) {
    if ((await modifiedAt(path)) !== before) return true
    await delay(Math.min(CHECK_MS, watchMs))
  }
  return false
}

const modifiedAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  )

/**
 * Whether a process with this id runs, under any user. One that has ended but was not waited for by its
 * parent does not count.
 */
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

async function writeIdentity(path: string): Promise<void> {
  const file = await open(path, 'wx')
  try {
    const { pid } = process
    await file.writeFile(`${pid} ${startOf(pid)} ${PID_SPACE} ${numberOf(await file.stat({ bigint: true }))}`)
  } finally {
    await file.close()
  }
}

/** What a lock file says; the number of the file may be missing. */
function parsed(holder: string) {
  const [owner = '', file] = holder.split(/ (?=\d+:\d+$)/)
  const [pid, startedAt, ...place] = owner.split(' ')
  return { owner, pid: Number(pid), startedAt, place: place.join(' '), file }
}

const numberOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string => `${dev}:${ino}`

/** Whether the file is a copy of the one that its holder wrote, by its contents or with its file system. */
async function copied(path: string, holder: string): Promise<'contents' | 'snapshot' | undefined> {
  const { file } = parsed(holder)
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  if (file === undefined || found === undefined || numberOf(found) === file) return undefined
  // A snapshot of a file system has its inodes on another device; so has a disk after a restart.
  return file.endsWith(`:${found.ino}`) ? 'snapshot' : 'contents'
}

/** In clock ticks since boot. Other systems use the pid alone. */
const startOf = (pid: number): string => statFields(pid)?.[19] ?? '-'

/** Where pids of this process mean the same: a namespace of a boot. */
const PID_SPACE = pidSpace()

function pidSpace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    return `${readlinkSync('/proc/self/ns/pid')} ${boot}`
  } catch {
    return '-'
  }
}

/** Fields of /proc/<pid>/stat from the third on, the state; the 22nd is the start. */
function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

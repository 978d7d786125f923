import { readlinkSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isRunning, sleep } from '@shardwalk/concurrency'
import { program } from './binaries.ts'
import type { PreparedFolder } from './data-folder.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { run } from './run.ts'

/** Fast shutdown, then immediate shutdown if it hangs; committed data are safe in either case. */
export async function stopProcess(pid: number, exited: Promise<void>, folder: PreparedFolder): Promise<void> {
  if (process.platform === 'win32') {
    const args = ['stop', '-D', folder.cluster, '-m', 'fast']
    return run(program(folder.binaries, 'pg_ctl'), args)
  }
  for (const [name, patienceMs] of [
    ['SIGINT', 8_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    signal(pid, name)
    if (await endsWithin(exited, patienceMs)) return
  }
  throw new EmbeddedPostgresError(`the PostgreSQL server (process ${pid}) does not end`)
}

/** Whether it ends in this time. Milliseconds. */
export async function endsWithin(exited: Promise<void>, patienceMs: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(patienceMs, timer.signal).then(() => false)
  const ended = await Promise.race([exited.then(() => true), late])
  timer.abort()
  return ended
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has exited already.
  }
}

/** Resolves when the process, which may be of another parent, has ended. */
export async function untilGone(pid: number): Promise<void> {
  // Waiting for it must not keep this process alive, as `sleep` would.
  while (isRunning(pid)) await delay(50, undefined, { ref: false })
}

/**
 * Reads postmaster.pid (line 1 pid, line 2 data directory, line 4 port). Undefined if that process is not a
 * server on this folder.
 */
export async function readPostmaster(cluster: string): Promise<{ pid: number; port: number } | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const port = Number(lines[3])
  if (!isRunning(pid) || !(port > 0)) return undefined
  const isWorking = process.platform === 'linux' ? await isWorkingIn(pid, cluster) : undefined
  if (!(isWorking ?? (await isNotElsewhere(lines[1]!, cluster)))) return undefined
  return { pid, port }
}

/** Whether this server has bound its port and accepts connections, by line 8 of postmaster.pid. */
export async function isServerReady(cluster: string, pid: number | undefined): Promise<boolean> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

/**
 * A server's working directory is its cluster; a process that reuses the pid of a dead server works
 * elsewhere. Undefined: the process belongs to another user, and so may the server.
 */
async function isWorkingIn(pid: number, cluster: string): Promise<boolean | undefined> {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === (await realpath(cluster))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : false
  }
}

/** False for a copy of the lock file of a server on another folder, which must not be ended. */
async function isNotElsewhere(dataDirectory: string, cluster: string): Promise<boolean> {
  // If it is not there any more, the folder may have been moved while the server runs.
  const real = await realpath(dataDirectory).catch(() => undefined)
  return real === undefined || real === (await realpath(cluster))
}

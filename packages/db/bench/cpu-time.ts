import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/**
 * CPU time in milliseconds: of this process with its threads, and of the database server's processes.
 * Undefined when they cannot be read: another system than Linux, or another machine.
 */
export interface CpuTime {
  readonly node: number
  readonly postgres: number | undefined
}

export interface CpuClock {
  readonly node: number
  /** Keyed by process id. */
  readonly postgres: ReadonlyMap<number, number>
}

/** Source: proc(5), sysconf(_SC_CLK_TCK), which is 100 ticks per second on every Linux that Node runs on. */
const MS_PER_TICK = 10

/**
 * CPU time since the processes started. Unlike wall time, it hardly depends on what else the machine does.
 */
export async function cpuClock(pool: pg.Pool): Promise<CpuClock> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { user, system } = process.cpuUsage()
  return { node: (user + system) / 1000, postgres: serverProcesses(rows[0]!.pid) }
}

/** CPU time between two readings; processes that ended in between are not counted. */
export function cpuBetween(before: CpuClock, after: CpuClock): CpuTime {
  const used = [...after.postgres].map(([pid, ms]) => ms - (before.postgres.get(pid) ?? 0))
  return {
    node: after.node - before.node,
    postgres: used.length === 0 ? undefined : used.reduce((sum, ms) => sum + ms, 0),
  }
}

function serverProcesses(backend: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const postmaster = readStat(backend)?.parent
  if (postmaster === undefined) return found
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const stat = readStat(pid)
    if (stat?.parent === postmaster) found.set(pid, stat.ticks * MS_PER_TICK)
  }
  return found
}

/**
 * Source: proc(5), /proc/pid/stat: fields 4 (ppid), 14 (utime) and 15 (stime), counted after the name in
 * parentheses.
 */
function readStat(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}

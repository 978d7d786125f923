import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/**
 * CPU time in milliseconds: of this process with its threads, and of the database server's processes.
 * Undefined: not Linux, or another machine.
 */
export interface CpuTime {
  readonly node: number
  readonly postgres: number | undefined
}

export interface CpuClock {
  readonly node: number
  /** By process. */
  readonly postgres: ReadonlyMap<number, number>
}

/** Ticks a second. Source: proc(5), sysconf(_SC_CLK_TCK), which is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10

/**
 * CPU time since the processes began. Unlike wall time, what passes between two looks hardly depends on what
 * else the machine does.
 */
export async function cpuClock(pool: pg.Pool): Promise<CpuClock> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { user, system } = process.cpuUsage()
  return { node: (user + system) / 1000, postgres: serverProcesses(rows[0]!.pid) }
}

/** What passed between two looks; of processes that ended in between nothing is known. */
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
 * Source: proc(5), /proc/pid/stat: fields 4 (ppid), 14 (utime) and 15 (stime), counted behind the name in
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

import { readdirSync, readFileSync } from 'node:fs'
import type pg from 'pg'

/** CPU time in milliseconds: of this process with its threads, and of the database server's processes. Undefined: not Linux, or another machine. */
export interface CpuTime {
  readonly node: number
  readonly postgres: number | undefined
}

/** Ticks a second. Source: proc(5), sysconf(_SC_CLK_TCK), which is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10

/** CPU time since the processes began; only differences tell something. Unlike wall time it hardly depends on what else the machine does. */
export async function cpuTime(pool: pg.Pool): Promise<CpuTime> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { user, system } = process.cpuUsage()
  return { node: (user + system) / 1000, postgres: serverTime(rows[0]!.pid) }
}

export const cpuSince = (before: CpuTime, after: CpuTime): CpuTime => ({
  node: after.node - before.node,
  postgres:
    after.postgres === undefined || before.postgres === undefined ? undefined : after.postgres - before.postgres,
})

function serverTime(backend: number): number | undefined {
  const postmaster = readStat(backend)?.parent
  if (postmaster === undefined) return undefined
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === postmaster)
    .reduce((sum, stat) => sum + stat!.ticks * MS_PER_TICK, 0)
}

/** Source: proc(5), /proc/pid/stat: fields 4 (ppid), 14 (utime) and 15 (stime), counted behind the name in parentheses. */
function readStat(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}

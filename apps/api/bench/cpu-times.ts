import { readdirSync, readFileSync } from 'node:fs'

export const CPU_KINDS = ['mainThread', 'backgroundThreads', 'otherThreads', 'postgres'] as const

/**
 * `backgroundThreads`: those of lower priority, which run get-methods and messages, and answer many previews.
 * `otherThreads`: the rest, of V8 (garbage, compiling) and libuv.
 */
export type CpuKind = (typeof CPU_KINDS)[number]

/** CPU time of threads and processes since each began. Milliseconds; Linux only: elsewhere there are none. */
export type CpuTimes = ReadonlyMap<string, { readonly kind: CpuKind; readonly ms: number }>

/** Of the threads of a process. */
export const cpuOfThreads = (pid: number): CpuTimes =>
  new Map(
    threadsOf(String(pid)).map((path) => {
      const isMain = path.endsWith(`/${pid}`)
      const kind = isMain ? 'mainThread' : isNice(path) ? 'backgroundThreads' : 'otherThreads'
      return [path, { kind, ms: ranMs(path) }]
    }),
  )

/** Of the postmaster and the processes that it started. */
export const cpuOfPostgres = (postmaster: number): CpuTimes =>
  new Map(
    listed('/proc')
      .filter((name) => name === String(postmaster) || parentOf(name) === postmaster)
      .flatMap(threadsOf)
      .map((path) => [path, { kind: 'postgres', ms: ranMs(path) }]),
  )

/** The process that started this one. */
export const parentOf = (pid: string | number): number | undefined => Number(stat(`/proc/${pid}`)[1])

/**
 * What each kind took between. Threads that ended meanwhile are left out: their times would be missing from
 * the sum of all, as if time had gone back.
 */
export function spentBetween(before: CpuTimes, after: CpuTimes): Record<CpuKind, number> {
  const spent = { mainThread: 0, backgroundThreads: 0, otherThreads: 0, postgres: 0 }
  for (const [path, { kind, ms }] of after) spent[kind] += ms - (before.get(path)?.ms ?? 0)
  return spent
}

const threadsOf = (pid: string): string[] =>
  listed(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`)

/** Fields of `stat` from the state on; see proc(5). */
const stat = (path: string): string[] => (text(`${path}/stat`).split(') ').at(-1) ?? '').split(' ')
const isNice = (path: string): boolean =>
  Number(stat(path)[16]) > Number(stat(path.replace(/\/task.*/, ''))[16])
const ranMs = (path: string): number => Number(text(`${path}/schedstat`).split(' ')[0] ?? 0) / 1e6

function listed(path: string): string[] {
  try {
    return readdirSync(path).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** Processes end while they are looked at. */
function text(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

import { readdirSync, readFileSync } from 'node:fs'

/** CPU times in milliseconds since the start of each. Linux only: elsewhere there are none. */
export interface CpuTimes {
  readonly mainThread: number
  /** Threads of lower priority, which run get-methods and messages. */
  readonly tvmThreads: number
  /** The rest: of V8 (garbage, compiling) and libuv. */
  readonly otherThreads: number
}

const NONE: CpuTimes = { mainThread: 0, tvmThreads: 0, otherThreads: 0 }

/** Of the threads of a process. */
export function cpuOfThreads(pid: number): CpuTimes {
  const times = { ...NONE }
  for (const thread of listed(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${thread}`
    const kind = thread === String(pid) ? 'mainThread' : isNice(path) ? 'tvmThreads' : 'otherThreads'
    times[kind] += ranMs(path)
  }
  return times
}

/** Of a process and those that it started, together. */
export function cpuOfFamily(pid: number): number {
  const members = listed('/proc').filter((name) => name === String(pid) || parentOf(name) === pid)
  return members.flatMap(threadsOf).reduce((sum, path) => sum + ranMs(path), 0)
}

/** The process that started this one. */
export const parentOf = (pid: string | number): number | undefined => Number(stat(`/proc/${pid}`)[1])

export const minus = (a: CpuTimes, b: CpuTimes): CpuTimes => ({
  mainThread: a.mainThread - b.mainThread,
  tvmThreads: a.tvmThreads - b.tvmThreads,
  otherThreads: a.otherThreads - b.otherThreads,
})

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

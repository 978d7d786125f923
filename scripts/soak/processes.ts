import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

export interface ProcessUse {
  readonly pid: number
  readonly parent: number
  /** Processor time so far. Seconds. */
  readonly cpuSeconds: number
}

/** All processes, or none where there is no /proc. */
export function listProcesses(): readonly ProcessUse[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => readProcess(Number(name)) ?? [])
  } catch {
    return []
  }
}

function readProcess(pid: number): ProcessUse | undefined {
  const stat = read(`/proc/${pid}/stat`)
  // Its name, in parentheses, may have spaces.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (!fields) return undefined
  return {
    pid,
    parent: Number(fields[1]),
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
  }
}

/** Resident memory without what processes share: files and shared memory. MB; undefined: it has ended. */
export function ownMemory(pid: number): number | undefined {
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '') ?? []
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

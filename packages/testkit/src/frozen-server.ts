import { readdirSync, readFileSync } from 'node:fs'
import { isLong } from './runs.ts'

/**
 * How long tests keep a server frozen beyond what they need. Milliseconds: `FREEZE_SECONDS`, 30 s with
 * `LONG_TESTS`, otherwise 0.
 */
export const FREEZE_MS = 1000 * Number(process.env['FREEZE_SECONDS'] ?? (isLong ? 30 : 0))

/** Stops a server and its sessions without ending them, as a broken disk or network would. Linux only. */
export function freezeServer(pid: number): { thaw(): void } {
  const stopped = new Set<number>()
  // The parent first, so that it makes no new children meanwhile.
  for (const one of [pid, ...childrenOf(pid)]) {
    stopped.add(one)
    process.kill(one, 'SIGSTOP')
  }
  return {
    thaw: () => {
      for (const one of stopped)
        try {
          process.kill(one, 'SIGCONT')
        } catch {
          // It ended meanwhile.
        }
      stopped.clear()
    },
  }
}

/** Field 4 of /proc/<pid>/stat is the parent. */
function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        const stat = readFileSync(`/proc/${one}/stat`, 'latin1')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
      } catch {
        return false
      }
    })
}

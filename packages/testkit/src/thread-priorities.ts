import { readdirSync, readFileSync } from 'node:fs'

/** How nice each thread of this process is, by its number. Linux only; source: proc(5), `stat`, field 19. */
export function threadPriorities(): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const thread of readdirSync('/proc/self/task')) {
    const stat = statOf(thread)
    // The name, in parentheses, may have spaces.
    if (stat) found.set(thread, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]))
  }
  return found
}

/** Undefined when the thread has just ended. */
function statOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
  } catch {
    return undefined
  }
}

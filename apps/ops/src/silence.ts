import type { EventEmitter } from 'node:events'

/**
 * A silent process is killed after this time. Garbage collection or a large decode may block the event loop
 * for a second, a busy machine for longer. Milliseconds.
 */
const SILENCE_MS = 60_000
/** For `runForeground`. */
export const WATCHED = { silenceMs: SILENCE_MS } as const

/** Number of checks within that time. A machine that was suspended resumes in the middle of a check. */
const CHECKS = 6

/** The part of `ChildProcess` that is used. */
type Process = Pick<EventEmitter, 'on' | 'once'> & { kill(signal: 'SIGKILL'): unknown }

/**
 * Kills a process started with heartbeat.mjs when its event loop is blocked or it is stopped, which nothing
 * inside the process can notice. `onKill` is called first.
 */
export function killWhenSilent(child: Process, onKill: () => void, limitMs = SILENCE_MS): void {
  let missed = 0
  child.on('message', () => {
    missed = 0
  })
  const timer = setInterval(() => {
    if (++missed <= CHECKS) return
    clearInterval(timer)
    onKill()
    child.kill('SIGKILL')
  }, limitMs / CHECKS)
  timer.unref()
  child.once('exit', () => clearInterval(timer))
}

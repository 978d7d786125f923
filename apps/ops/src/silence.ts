import type { EventEmitter } from 'node:events'

/**
 * A process that gives no sign for this long is killed. Garbage collection or a large decode may block the
 * event loop for a second, a busy machine for some more. Milliseconds.
 */
const SILENCE_MS = 60_000
/** For `runForeground`. */
export const WATCHED = { silenceMs: SILENCE_MS } as const

/** Looks within that time. A machine that slept wakes up in the middle of one look. */
const LOOKS = 6

/** The part of `ChildProcess` that is used. */
type Process = Pick<EventEmitter, 'on' | 'once'> & { kill(signal: 'SIGKILL'): unknown }

/**
 * Kills a process started with give-signs.mjs when its event loop is blocked or it is stopped, which nothing
 * inside the process can notice. `onKill` is called first.
 */
export function killWhenSilent(child: Process, onKill: () => void, limitMs = SILENCE_MS): void {
  let looks = 0
  child.on('message', () => {
    looks = 0
  })
  const timer = setInterval(() => {
    if (++looks <= LOOKS) return
    clearInterval(timer)
    onKill()
    child.kill('SIGKILL')
  }, limitMs / LOOKS)
  timer.unref()
  child.once('exit', () => clearInterval(timer))
}

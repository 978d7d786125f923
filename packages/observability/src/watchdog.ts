import { type Logger, silentLogger } from './logger.ts'
import { EXIT, type Shutdown } from './shutdown.ts'

/** When a part counts as stalled, and what is ended then. */
export interface WatchdogOptions {
  readonly shutdown: Pick<Shutdown, 'run' | 'signal' | 'onShutdown'>
  readonly log?: Logger
  /**
   * A part that has not called its function for this long counts as stalled. Milliseconds, default 5 minutes.
   */
  readonly limitMs?: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Ends a process of which a part has stalled. */
export interface Watchdog {
  /** Registers a part; returns the function that it must call at every step. */
  watch(part: string): () => void
  /** Checks all parts. A timer does this as long as the process runs. */
  check(): void
}

/** Checks that are this many intervals apart had a pause between them. */
const PAUSE = 3

/**
 * Ends the process, so that it is started again, when a part of it stalls. The last resort: every wait has a
 * deadline of its own.
 */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { shutdown, log = silentLogger, limitMs = 300_000, now = () => performance.now() } = options
  const parts = new Map<string, number>()
  const check = () => {
    if (shutdown.signal.aborted) return
    for (const [part, at] of parts) {
      const silentMs = now() - at
      if (silentMs < limitMs) continue
      log.error('process is blocked and exits', { part, silent_seconds: Math.round(silentMs / 1000) })
      void shutdown.run(EXIT.tryAgain)
      return
    }
  }
  const everyMs = Math.min(limitMs / 4, 10_000)
  let lookedAt = now()
  const look = () => {
    const pausedMs = now() - lookedAt
    lookedAt += pausedMs
    // Nothing ran: the process was suspended. Its parent ends one whose event loop is blocked. Since then a
    // part may have run already.
    if (pausedMs > PAUSE * everyMs)
      for (const [part, at] of parts) parts.set(part, Math.min(at + pausedMs, lookedAt))
    check()
  }
  const timer = setInterval(look, everyMs)
  timer.unref()
  shutdown.onShutdown('watchdog', () => clearInterval(timer))
  return {
    watch(part) {
      const sign = () => void parts.set(part, now())
      sign()
      return sign
    },
    check,
  }
}

import { type Logger, silentLogger } from './logger.ts'
import { EXIT, type Shutdown } from './shutdown.ts'

export interface WatchdogOptions {
  readonly shutdown: Pick<Shutdown, 'run' | 'signal' | 'onShutdown'>
  readonly log?: Logger
  /** A part that gives no sign for this long stands still. Milliseconds, default 5 minutes. */
  readonly limitMs?: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

export interface Watchdog {
  /** Returns what the part calls whenever it goes on. */
  watch(part: string): () => void
  /** One look; made by itself as long as the process runs. */
  look(): void
}

/**
 * Ends the process, to be started again, when a part of it stands still although every wait in it should have
 * a deadline of its own.
 */
export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { shutdown, log = silentLogger, limitMs = 300_000, now = () => performance.now() } = options
  const parts = new Map<string, number>()
  const look = () => {
    if (shutdown.signal.aborted) return
    for (const [part, at] of parts) {
      const silentMs = now() - at
      if (silentMs < limitMs) continue
      log.error('process is blocked and exits', { part, silent_seconds: Math.round(silentMs / 1000) })
      void shutdown.run(EXIT.tryAgain)
      return
    }
  }
  const timer = setInterval(look, Math.min(limitMs / 4, 10_000))
  timer.unref()
  shutdown.onShutdown('watchdog', () => clearInterval(timer))
  return {
    watch(part) {
      const sign = () => void parts.set(part, now())
      sign()
      return sign
    },
    look,
  }
}

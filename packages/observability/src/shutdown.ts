import { setMaxListeners } from 'node:events'
import { type Logger, silentLogger } from './logger.ts'

/** Exit codes: done, fix something (the message says what), try again (EX_TEMPFAIL). */
export const EXIT = { done: 0, fix: 1, tryAgain: 75 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The parts of `process` that are used; tests give their own. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown
  off(signal: NodeJS.Signals, listener: () => void): unknown
}

export interface ShutdownOptions {
  readonly log?: Logger
  /** After this long the process exits whatever is still closing. */
  readonly deadlineMs?: number
  readonly exit?: (code: number) => void
  /** Milliseconds of a clock that only grows. */
  readonly now?: () => number
}

export interface Shutdown {
  /** Aborted the moment shutting down starts: give it to every wait. */
  readonly signal: AbortSignal
  /** Registers a closer; closers run one after the other in reverse order. Returns a function that forgets it. */
  onShutdown(name: string, close: () => unknown): () => void
  /** Starts shutting down (again: same promise) and exits with the code of the first call, or 75 when the deadline passed. */
  run(code?: ExitCode): Promise<void>
  /** SIGINT and SIGTERM start it, a later one exits at once. Returns a function that stops listening. */
  listen(source?: SignalSource): () => void
}

export function createShutdown(options: ShutdownOptions = {}): Shutdown {
  const {
    log = silentLogger,
    deadlineMs = 10_000,
    exit = process.exit,
    now = () => performance.now(),
  } = options
  const abort = new AbortController()
  // Every wait of the process listens to it: no leak.
  setMaxListeners(0, abort.signal)
  const closers: { readonly name: string; readonly close: () => unknown }[] = []
  let running: Promise<void> | undefined

  const run = (code: ExitCode = EXIT.done): Promise<void> => {
    running ??= close(code)
    return running
  }
  const close = async (code: ExitCode): Promise<void> => {
    abort.abort(new Error('shutting down'))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, deadlineMs, 'late')
    })
    const outcome = await Promise.race([closeAll(closers, log), late])
    clearTimeout(timer)
    if (outcome === 'late')
      log.error('shutdown deadline passed', { deadline_ms: deadlineMs, open: closers.map((c) => c.name) })
    exit(outcome === 'late' ? EXIT.tryAgain : code)
  }
  return {
    signal: abort.signal,
    onShutdown(name, close) {
      const closer = { name, close }
      closers.push(closer)
      return () => {
        const at = closers.indexOf(closer)
        if (at >= 0) closers.splice(at, 1)
      }
    },
    run,
    listen: (source = process) => listenTo(source, { run, exit, now }),
  }
}

async function closeAll(
  closers: { readonly name: string; readonly close: () => unknown }[],
  log: Logger,
): Promise<'closed'> {
  for (let closer = closers.at(-1); closer; closer = closers.at(-1)) {
    const start = performance.now()
    try {
      await closer.close()
      log.debug('closed', { part: closer.name, duration_ms: Math.round(performance.now() - start) })
    } catch (error) {
      log.error('closing failed', { part: closer.name, error })
    }
    const at = closers.indexOf(closer)
    if (at >= 0) closers.splice(at, 1)
  }
  return 'closed'
}

/**
 * A terminal's Ctrl-C reaches every process of the group, and npm and our own parents pass it on as well: what comes this soon
 * after a signal is the same one. Milliseconds.
 */
const SAME_SIGNAL_MS = 700

interface Heard {
  readonly run: () => Promise<void>
  readonly exit: (code: number) => void
  readonly now: () => number
}

function listenTo(source: SignalSource, { run, exit, now }: Heard): () => void {
  let firstAt: number | undefined
  const heard = () => {
    if (firstAt !== undefined && now() - firstAt > SAME_SIGNAL_MS) exit(EXIT.tryAgain)
    firstAt ??= now()
    void run()
  }
  for (const name of SIGNALS) source.on(name, heard)
  return () => {
    for (const name of SIGNALS) source.off(name, heard)
  }
}
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

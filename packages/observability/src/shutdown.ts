import { setMaxListeners } from 'node:events'
import { type Logger, silentLogger } from './logger.ts'

/** Exit codes: success, an error to be fixed by the user, a temporary failure (EX_TEMPFAIL of sysexits.h). */
export const EXIT = { done: 0, fix: 1, incomplete: 2, tryAgain: 75 } as const
/** A code that tells the supervisor what to do next. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The part of `process` that is used; tests supply their own. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown
  off(signal: NodeJS.Signals, listener: () => void): unknown
}

/** Limits of a shutdown. */
export interface ShutdownOptions {
  readonly log?: Logger
  /** Maximum duration in milliseconds, after which the process exits regardless. */
  readonly deadlineMs?: number
  readonly exit?: (code: number) => void
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** The orderly end of a process. */
export interface Shutdown {
  /** Aborted when shutdown starts; pass it to everything that waits. */
  readonly signal: AbortSignal
  /**
   * Registers a closer and returns a function that removes it. Closers run one at a time in reverse order.
   */
  onShutdown(name: string, close: () => unknown): () => void
  /** Starts shutdown once and exits with the code of the first call, or with 75 at the deadline. */
  run(code?: ExitCode): Promise<void>
  /**
   * Starts shutdown on SIGINT or SIGTERM; a later signal exits at once. Returns a function that stops
   * listening.
   */
  listen(source?: SignalSource): () => void
}

/** One per process; signals are heeded only after `listen`. */
export function createShutdown(options: ShutdownOptions = {}): Shutdown {
  const {
    log = silentLogger,
    deadlineMs = 10_000,
    exit = process.exit,
    now = () => performance.now(),
  } = options
  const abort = new AbortController()
  // Every wait in the process adds a listener; do not warn about it.
  setMaxListeners(0, abort.signal)
  const closers: Closer[] = []
  let running: Promise<void> | undefined

  const run = (code: ExitCode = EXIT.done): Promise<void> => {
    running ??= close(code)
    return running
  }
  const close = async (code: ExitCode): Promise<void> => {
    abort.abort(new Error('shutting down'))
    const isClosed = await endsWithin(deadlineMs, closeAll(closers, log))
    if (!isClosed)
      log.error('shutdown deadline passed', { deadline_ms: deadlineMs, open: closers.map((c) => c.name) })
    exit(isClosed ? code : EXIT.tryAgain)
  }
  return {
    signal: abort.signal,
    onShutdown(name, close) {
      const closer = { name, close }
      closers.push(closer)
      return () => remove(closers, closer)
    },
    run,
    listen: (source = process) => listenTo(source, { run, exit, now }),
  }
}

interface Closer {
  readonly name: string
  readonly close: () => unknown
}

/** Removes each closer when it has ended, so that the list names those that are still open. */
async function closeAll(closers: Closer[], log: Logger): Promise<void> {
  for (let closer = closers.at(-1); closer; closer = closers.at(-1)) {
    const start = performance.now()
    try {
      await closer.close()
      log.debug('closed', { part: closer.name, duration_ms: Math.round(performance.now() - start) })
    } catch (error) {
      log.error('closing failed', { part: closer.name, error })
    }
    remove(closers, closer)
  }
}

function remove(closers: Closer[], closer: Closer): void {
  const at = closers.indexOf(closer)
  if (at >= 0) closers.splice(at, 1)
}

async function endsWithin(deadlineMs: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, deadlineMs, false)
  })
  const isInTime = await Promise.race([work.then(() => true), late])
  clearTimeout(timer)
  return isInTime
}

/**
 * Signals within this many milliseconds count as one: Ctrl-C reaches every process of the group, and npm and
 * the supervisor forward the signal as well.
 */
const SAME_SIGNAL_MS = 700

interface SignalHandling {
  readonly run: () => Promise<void>
  readonly exit: (code: number) => void
  readonly now: () => number
}

function listenTo(source: SignalSource, { run, exit, now }: SignalHandling): () => void {
  let firstAt: number | undefined
  const onSignal = () => {
    if (firstAt !== undefined && now() - firstAt > SAME_SIGNAL_MS) exit(EXIT.tryAgain)
    firstAt ??= now()
    void run()
  }
  for (const name of SIGNALS) source.on(name, onSignal)
  return () => {
    for (const name of SIGNALS) source.off(name, onSignal)
  }
}
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

import pg from 'pg'
import { observeEnd } from './end-of-query.ts'
import { DatabaseSilent } from './errors.ts'

export interface DeadlineOptions {
  /**
   * Milliseconds without a byte from the server during a statement after which the connection is abandoned.
   */
  readonly silenceMs: number
  /** Called when a connection is abandoned, and when a statement was answered, even with an error. */
  readonly onSilence?: () => void
  readonly onAnswer?: () => void
}

/** Time allowed for the server to close a connection in the regular way. */
const END_MS = 2_000

/** The parts of pg's client that its type omits. */
interface Inside {
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error?: Error): void } }
}

/**
 * Connections with a deadline for statements on the client. `statement_timeout` is enforced by the server,
 * which cannot do so when it is stopped or unreachable. Silence is measured rather than duration, so that
 * COPY scripts and large results may take as long as they need. The socket of a silent connection is
 * destroyed, so that the pool does not use it again.
 */
export function deadlineClient(options: DeadlineOptions): typeof pg.Client {
  class DeadlineClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: one body for all overloads of the driver
    override query(...all: any[]): any {
      const answered = watch((this as unknown as Inside).connection, options)
      const [statement] = all
      if (typeof statement?.submit === 'function') {
        onEnd(statement, answered)
        return super.query(...(all as [string]))
      }
      return observeEnd(super.query.bind(this), all, answered)
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
    override end(callback?: any): any {
      const { stream } = (this as unknown as Inside).connection
      const timer = setTimeout(() => stream.destroy(), END_MS).unref()
      const ended = super.end().finally(() => clearTimeout(timer))
      if (!callback) return ended
      ended.then(() => callback(), callback)
    }
  }
  return DeadlineClient
}

/** Returns a function that ends the watch. */
function watch(connection: Inside['connection'], options: DeadlineOptions): () => void {
  let isDone = false
  let seen = connection.stream.bytesRead
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    // After the event loop was blocked, timers run before the bytes that have arrived meanwhile are read.
    timer = setTimeout(() => setImmediate(check), options.silenceMs)
  }
  const check = () => {
    if (isDone) return
    const { stream } = connection
    if (stream.bytesRead !== seen) {
      seen = stream.bytesRead
      return wait()
    }
    options.onSilence?.()
    stream.destroy(new DatabaseSilent(options.silenceMs))
  }
  wait()
  return () => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    if (connection.stream.bytesRead !== seen) options.onAnswer?.()
  }
}

type Script = pg.Submittable & {
  handleError?: (...all: unknown[]) => void
  handleReadyForQuery?: (...all: unknown[]) => void
}

/** A script of COPYs does not return a promise: it ends with an error, or when the server is ready again. */
function onEnd(script: Script, done: () => void): void {
  for (const name of ['handleError', 'handleReadyForQuery'] as const) {
    const handle = script[name]
    // A name of its own, so that the script does not become old (`observeEnd`).
    const handleAndEnd = (...all: unknown[]) => {
      done()
      handle?.apply(script, all)
    }
    script[name] = handleAndEnd
  }
}

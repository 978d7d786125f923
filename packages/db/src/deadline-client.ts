import pg from 'pg'
import { DatabaseSilent } from './errors.ts'

export interface DeadlineOptions {
  /**
   * Milliseconds without a byte from the server, while a statement runs, until the connection is given up.
   */
  readonly silenceMs: number
  /** Called when a connection was given up, and when a statement was answered, be it with an error. */
  readonly onSilence?: () => void
  readonly onAnswer?: () => void
}

/** Time for the server to close a connection that is ended regularly. */
const END_MS = 2_000

/** The parts of pg's client that its type leaves out. */
interface Inside {
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error?: Error): void } }
}

/**
 * Connections whose statements time out on the client. `statement_timeout` is enforced by the server, which
 * cannot do so if it is stopped or unreachable. Silence is measured, not duration, so that COPY scripts and
 * large results last as long as they have to. The socket of a silent connection is destroyed, so the pool
 * cannot hand it out again.
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
      const callback = all.at(-1)
      if (typeof callback === 'function') {
        all[all.length - 1] = (...result: unknown[]) => {
          answered()
          callback(...result)
        }
        return super.query(...(all as [string]))
      }
      const result = super.query(...(all as [string]))
      result.then(answered, answered)
      return result
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

/** Returns what ends the watch. */
function watch(connection: Inside['connection'], options: DeadlineOptions): () => void {
  let isDone = false
  let seen = connection.stream.bytesRead
  let timer: NodeJS.Timeout | undefined
  const wait = () => {
    // After a blocked event loop timers come before the bytes that have arrived meanwhile.
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

/** A script of COPYs is no promise: it ends with an error, or when the server is ready again. */
function onEnd(script: Script, done: () => void): void {
  for (const name of ['handleError', 'handleReadyForQuery'] as const) {
    const handle = script[name]
    script[name] = function (this: unknown, ...all: unknown[]) {
      done()
      handle?.apply(this, all)
    }
  }
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { NodeAccessError } from './errors.ts'

/** What holds for all questions of one request, however deep. */
export interface CallScope {
  /** Ends the wait for answers. A query that others wait for, too, goes on for them. */
  readonly signal?: AbortSignal | undefined
  /** Who asks: clients take turns at get-methods. */
  readonly client?: string | undefined
  /** Gets the number of every lite server whose answer was used. */
  readonly onServer?: ((server: number) => void) | undefined
}

const scopes = new AsyncLocalStorage<CallScope>()

/**
 * Runs the work with that deadline and observer. Rejects with `NodeAccessError` `aborted` once the signal is.
 */
export async function within<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
  try {
    return await scopes.run(scope, () => untilAborted(work()))
  } catch (error) {
    if (!scope.signal?.aborted) throw error
    throw new NodeAccessError('aborted', 'the deadline has passed', { cause: error })
  }
}

export const callScope = (): CallScope => scopes.getStore() ?? {}

/**
 * Work whose result is shared: the deadline of the caller that begins it does not hold for the others.
 * `signal`: ends it for all of them.
 */
export function shared<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const scope = callScope()
  return scope.signal || signal ? scopes.run({ ...scope, signal }, work) : work()
}

/** The result, or the reason of the caller's signal if that comes first. */
export function untilAborted<T>(result: Promise<T>): Promise<T> {
  const { signal } = callScope()
  if (!signal) return result
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    // Heard to the end: a failure that comes after the deadline would else be an unhandled rejection.
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { untilAborted as raceSignal } from '@shardwalk/concurrency'
import { NodeAccessError } from './errors.ts'

/** Properties of one request that apply to all its queries. */
export interface CallScope {
  /** Ends the wait for answers. A query that other requests also wait for continues. */
  readonly signal?: AbortSignal | undefined
  /** Identifies the client; clients take turns at get-methods. */
  readonly client?: string | undefined
  /** Called with the number of each lite server whose answer was used. */
  readonly onServer?: ((server: number) => void) | undefined
}

const scopes = new AsyncLocalStorage<CallScope>()
let inProgress = 0

/**
 * Switches the storage off when nothing needs it: before Node.js 24, each promise of the thread costs more
 * while it is on, also those of requests that are answered from the tables.
 */
async function counted<T>(work: () => Promise<T>): Promise<T> {
  inProgress++
  try {
    return await work()
  } finally {
    if (--inProgress === 0) scopes.disable()
  }
}

/** Runs the work in this scope. Rejects with `NodeAccessError` `aborted` once the signal is aborted. */
export async function within<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
  try {
    return await scopes.run(scope, () => untilAborted(counted(work)))
  } catch (error) {
    if (!scope.signal?.aborted) throw error
    throw new NodeAccessError('aborted', 'the deadline has passed', { cause: error })
  }
}

/** The scope of the running request; empty outside of `within`. */
export const callScope = (): CallScope => scopes.getStore() ?? {}

/**
 * Runs work whose result is shared by several requests, so that the deadline of the one that starts it does
 * not apply. `signal` ends it for all of them.
 */
export function shared<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const scope = callScope()
  const run = () => counted(work)
  return scope.signal || signal ? scopes.run({ ...scope, signal }, run) : run()
}

/** The result, or the reason of the caller's signal if that is aborted first. */
export function untilAborted<T>(result: Promise<T>): Promise<T> {
  const { signal } = callScope()
  return signal ? raceSignal(result, signal) : result
}

import type pg from 'pg'
import { DatabaseSilent } from './errors.ts'

/** While the server is silent, one caller per period may try it. */
const PROBE_EVERY_MS = 1_000
/** Message of pg-pool for a server that accepts connections but does not answer. */
const SILENT_CONNECT = /connection timeout/

/**
 * Circuit breaker for a server that does not answer. Callers that would only wait for the deadline are
 * rejected at once, so that they get an answer in time and occupy no connections.
 */
export class CircuitBreaker {
  private isSilent = false
  private nextProbeAt = 0

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The server did not answer. */
  trip(): void {
    this.isSilent = true
    this.nextProbeAt = this.now() + PROBE_EVERY_MS
  }

  /** The server answered. */
  reset(): void {
    this.isSilent = false
  }

  /** True if the caller must not wait for the server; false lets it try. */
  refuses(): boolean {
    if (!this.isSilent) return false
    if (this.now() < this.nextProbeAt) return true
    this.nextProbeAt = this.now() + PROBE_EVERY_MS
    return false
  }
}

/** Makes the pool reject callers while its server is silent. */
export function failFast(pool: pg.Pool, breaker: CircuitBreaker): void {
  const connect = pool.connect.bind(pool) as (callback: Callback) => void
  const guarded = (callback: Callback): void => {
    if (breaker.refuses()) {
      process.nextTick(callback, new DatabaseSilent(0), undefined, () => {})
      return
    }
    connect((error, client, release) => {
      if (error && SILENT_CONNECT.test(error.message)) breaker.trip()
      callback(error, client, release)
    })
  }
  const connectOrRefuse = (callback?: Callback) => {
    if (callback) return guarded(callback)
    return new Promise<pg.PoolClient>((resolve, reject) => {
      guarded((error, client) => (client ? resolve(client) : reject(error)))
    })
  }
  pool.connect = connectOrRefuse as typeof pool.connect
}

type Callback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (destroy?: boolean) => void,
) => void

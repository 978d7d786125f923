import { type ChannelListenerOptions, type Db, findGlobalId } from '@shardwalk/db'
import { type Logger, type Metrics, noMetrics } from '@shardwalk/observability'
import type { RequestHandler } from 'express'
import { accessControl } from './access-control.ts'
import { FailedAttempts } from './failed-attempts.ts'
import { KeyLookup } from './key-lookup.ts'
import { RateLimits } from './rate-limits.ts'

/** Where keys are stored and counted, and what clients without a key may do. */
export interface AccessOptions {
  readonly db: Db
  /** Pool of the same database, used to receive notifications of changed keys. */
  readonly pool?: ChannelListenerOptions['pool']
  readonly redisUrl?: string | undefined
  /** Requests per second and client address without a key, once there are keys; 0 rejects them. */
  readonly anonymousRps: number
  /** Requests per second and client address while there are no keys; default 0: unlimited. */
  readonly openRps?: number
  readonly metrics?: Metrics
  readonly log?: Logger
}

/** To be closed when the server ends. */
export interface Access {
  /** Mounted in front of all routes under `/api`. */
  readonly middleware: RequestHandler
  close(): void
}

/** API keys and rate limits: docs/api-keys.md. */
export function openAccess({
  db,
  pool,
  redisUrl,
  anonymousRps,
  openRps = 0,
  metrics = noMetrics,
  log,
}: AccessOptions): Access {
  const logging = log ? { log } : {}
  const keys = new KeyLookup({ db, ...(pool ? { pool } : {}), ...logging })
  const limits = new RateLimits({ redisUrl, ...logging })
  const globalId = keepOnceKnown(() => findGlobalId(db))
  return {
    middleware: accessControl({
      keys,
      limits,
      failures: new FailedAttempts(),
      anonymousRps,
      openRps,
      globalId,
      metrics,
    }),
    close: () => {
      keys.close()
      limits.close()
    },
  }
}

function keepOnceKnown<T>(ask: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let known: T | undefined
  return async () => {
    known ??= await ask()
    return known
  }
}

import { type Logger, silentLogger } from '@shardwalk/observability'
import { Redis } from 'ioredis'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'

export interface RateLimitsOptions {
  /** Without it, each process counts separately. */
  readonly redisUrl?: string | undefined
  readonly log?: Logger
}

/** What remains for a client after a request. */
export interface Allowance {
  readonly allowed: boolean
  /** Requests per window. */
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the window ends and `limit` is available again. */
  readonly resetMs: number
}

/** A slower Redis is treated as unavailable. */
const REDIS_TIMEOUT_MS = 250
/** A client that sends this many times its limit is rejected for a few seconds without asking Redis. */
const ABUSE_FACTOR = 10
const ABUSE_SECONDS = 60

/**
 * The window of a rate: `limit` requests in `seconds`. At least two requests fit, so that one request per
 * second also serves a client that sends two at once.
 */
export function windowOf(requestsPerSecond: number): { readonly limit: number; readonly seconds: number } {
  const seconds = Math.ceil(Math.max(1, 2 / requestsPerSecond))
  return { limit: Math.max(1, Math.round(requestsPerSecond * seconds)), seconds }
}

/**
 * Counts requests per client: in Redis, shared by all processes, or in memory without Redis and while it is
 * unavailable.
 */
export class RateLimits {
  private readonly limiters = new Map<number, RateLimiterAbstract>()
  private readonly redis: Redis | undefined

  constructor({ redisUrl, log = silentLogger }: RateLimitsOptions = {}) {
    if (!redisUrl) return
    this.redis = new Redis(redisUrl, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: REDIS_TIMEOUT_MS,
      connectTimeout: 2_000,
      // Later than that, the connection is replaced.
      socketTimeout: 2_000,
    })
    let lost = false
    this.redis.on('error', (error) => {
      if (!lost) log.warn('rate limits are counted without Redis', { setting: 'REDIS_URL', error })
      lost = true
    })
    this.redis.on('ready', () => {
      lost = false
    })
  }

  /**
   * Counts a request. A `cost` above the limit of a window counts as the whole window, so that expensive
   * requests are possible at low rates.
   */
  async take(client: string, requestsPerSecond: number, cost: number): Promise<Allowance> {
    const { limit } = windowOf(requestsPerSecond)
    const limiter = this.limiterFor(requestsPerSecond)
    try {
      return toAllowance(await limiter.consume(client, Math.min(cost, limit)), limit, true)
    } catch (error) {
      if (error instanceof RateLimiterRes) return toAllowance(error, limit, false)
      throw error
    }
  }

  close(): void {
    this.redis?.disconnect()
  }

  private limiterFor(requestsPerSecond: number): RateLimiterAbstract {
    const known = this.limiters.get(requestsPerSecond)
    if (known) return known
    const { limit, seconds } = windowOf(requestsPerSecond)
    // The rate is part of the key, so that a client whose rate was changed starts with a full window.
    const common = { keyPrefix: `shardwalk:rate:${requestsPerSecond}`, points: limit, duration: seconds }
    const memory = new RateLimiterMemory(common)
    const limiter = this.redis
      ? new RateLimiterRedis({
          ...common,
          storeClient: this.redis,
          rejectIfRedisNotReady: true,
          insuranceLimiter: memory,
          inMemoryBlockOnConsumed: limit * ABUSE_FACTOR,
          inMemoryBlockDuration: ABUSE_SECONDS,
        })
      : memory
    this.limiters.set(requestsPerSecond, limiter)
    return limiter
  }
}

const toAllowance = (result: RateLimiterRes, limit: number, allowed: boolean): Allowance => ({
  allowed,
  limit,
  remaining: allowed ? result.remainingPoints : 0,
  resetMs: Math.max(0, result.msBeforeNext),
})

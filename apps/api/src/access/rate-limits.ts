import { RecentMap } from '@shardwalk/model'
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
/** A client that sends this many times its limit is rejected for a while without asking Redis. */
const ABUSE_FACTOR = 10
const ABUSE_MS = 60_000
/** Clients that are rejected so; more than that are asked for in Redis again. */
const MAX_ABUSERS = 10_000

/**
 * Adds points to the window of a client. Times to live are absolute in Redis: a window that ends later than
 * any was begun before its clock was set back, and would last until the clock is there again.
 */
const COUNT = `
  local left = redis.call('pttl', KEYS[1])
  local longest = 1000 * tonumber(ARGV[2])
  if left < 0 or left > longest then
    redis.call('set', KEYS[1], ARGV[1], 'EX', ARGV[2])
    return {tonumber(ARGV[1]), longest}
  end
  return {redis.call('incrby', KEYS[1], ARGV[1]), left}`

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
  /** Until when abusive clients are rejected, by a clock that is never set. */
  private readonly abusers = new RecentMap<string, number>(MAX_ABUSERS)

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
    const window = windowOf(requestsPerSecond)
    const name = `${requestsPerSecond} ${client}`
    const blockedMs = this.blockedMs(name)
    if (blockedMs > 0) return refusal(window.limit, blockedMs)
    const limiter = this.limiterFor(requestsPerSecond)
    try {
      return toAllowance(await limiter.consume(client, Math.min(cost, window.limit)), window, true)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      if (!this.redis || error.consumedPoints < window.limit * ABUSE_FACTOR)
        return toAllowance(error, window, false)
      this.block(name)
      return refusal(window.limit, ABUSE_MS)
    }
  }

  private blockedMs(name: string): number {
    const until = this.abusers.get(name)
    if (until === undefined) return 0
    const left = until - performance.now()
    if (left <= 0) this.abusers.delete(name)
    return Math.max(0, left)
  }

  private block(name: string): void {
    this.abusers.set(name, performance.now() + ABUSE_MS)
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
          customIncrTtlLuaScript: COUNT,
        })
      : memory
    this.limiters.set(requestsPerSecond, limiter)
    return limiter
  }
}

const refusal = (limit: number, resetMs: number): Allowance => ({
  allowed: false,
  limit,
  remaining: 0,
  resetMs,
})

/** In memory, windows end by a timer; only their remaining time is taken from the clock, which may be set. */
const toAllowance = (
  result: RateLimiterRes,
  { limit, seconds }: ReturnType<typeof windowOf>,
  allowed: boolean,
): Allowance => ({
  allowed,
  limit,
  remaining: allowed ? result.remainingPoints : 0,
  resetMs: Math.min(Math.max(0, result.msBeforeNext), 1000 * seconds),
})

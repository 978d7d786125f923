/** Permission to send a request, to be released at the end, or the time after which to try again. */
export type Slot = { readonly release: (result: Result) => void } | Refusal

/** `unclear`: not known whether the host or what was asked of it is the reason of a failure. */
type Result = 'ok' | 'failed' | 'unclear'

interface Refusal {
  readonly retryAfterMs: number
  /** Whether the host is paused after failures, rather than at its limit. */
  readonly isResting: boolean
}

export interface HostLimitOptions {
  /** Concurrent requests per host. Default 4. */
  readonly concurrency?: number
  /** Requests waiting for a host; further ones are refused. Default 16. */
  readonly waiting?: number
  /** Consecutive failures after which a host is paused. Default 5. */
  readonly failures?: number
  /** Length of the first pause in milliseconds, doubled each time up to an hour. Default 60,000. */
  readonly restMs?: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Shortest delay in milliseconds after being refused because too many requests are waiting. */
const FULL_RETRY_MS = 5_000
const MAX_RETRY_MS = 3_600_000
/** What a request is expected to take before any was sent. Milliseconds. */
const FIRST_TOOK_MS = 100

interface Host {
  running: number
  failures: number
  rests: number
  restsUntil: number
  /** Average of the last requests. Milliseconds. */
  tookMs: number
  /** When the requests that were refused will have had their turn. */
  bookedUntil: number
  readonly waiting: (() => void)[]
}

/** Limits the requests per host, so that a slow or dead host does not occupy all workers or get flooded. */
export class HostLimits {
  private readonly hosts = new Map<string, Host>()
  private readonly options: Required<HostLimitOptions>

  constructor(options: HostLimitOptions = {}) {
    this.options = {
      concurrency: 4,
      waiting: 16,
      failures: 5,
      restMs: 60_000,
      now: () => performance.now(),
      ...options,
    }
  }

  /** Number of hosts paused after failures. */
  get resting(): number {
    return [...this.hosts.values()].filter((host) => host.restsUntil > this.options.now()).length
  }

  /** `isUrgent`: if it is refused, it may come back before those that were refused earlier. */
  async enter(name: string, { isUrgent = false } = {}): Promise<Slot> {
    const host = this.host(name)
    const refusal = this.rest(host) ?? this.refusal(host, isUrgent)
    if (refusal) return refusal
    if (host.running >= this.options.concurrency)
      await new Promise<void>((resolve) => host.waiting.push(resolve))
    else host.running++
    // The slot was handed over by a previous request; the host may have been paused meanwhile.
    const rest = this.rest(host)
    if (rest) {
      this.leave(name, host)
      return rest
    }
    const since = this.options.now()
    return { release: (result) => this.release(name, host, { result, since }) }
  }

  /** Counts a failure that was unclear when its request ended. */
  blame(name: string): void {
    this.fail(this.host(name))
  }

  private host(name: string): Host {
    const host = this.hosts.get(name) ?? newHost()
    this.hosts.set(name, host)
    return host
  }

  private rest(host: Host): Refusal | undefined {
    const retryAfterMs = host.restsUntil - this.options.now()
    return retryAfterMs > 0 ? { retryAfterMs, isResting: true } : undefined
  }

  /**
   * Those that are refused come back one after the other, in the time that the host needs for them: a host
   * may have a hundred thousand tokens, which would otherwise all return every few seconds.
   */
  private refusal(host: Host, isUrgent: boolean): Refusal | undefined {
    if (host.waiting.length < this.options.waiting) return undefined
    if (isUrgent) return { retryAfterMs: FULL_RETRY_MS, isResting: false }
    const now = this.options.now()
    const next = Math.max(host.bookedUntil, now + FULL_RETRY_MS) + host.tookMs / this.options.concurrency
    host.bookedUntil = Math.min(next, now + MAX_RETRY_MS)
    return { retryAfterMs: host.bookedUntil - now, isResting: false }
  }

  private release(
    name: string,
    host: Host,
    { result, since }: { readonly result: Result; readonly since: number },
  ): void {
    host.tookMs += (this.options.now() - since - host.tookMs) / 8
    if (result === 'ok') host.failures = host.rests = 0
    else if (result === 'failed') this.fail(host)
    this.leave(name, host)
  }

  /** The count is reset only by a success, so after a pause one more failure is enough. */
  private fail(host: Host): void {
    const now = this.options.now()
    if (++host.failures >= this.options.failures && host.restsUntil <= now)
      host.restsUntil = now + Math.min(this.options.restMs * 2 ** Math.min(host.rests++, 20), MAX_RETRY_MS)
  }

  private leave(name: string, host: Host): void {
    const next = host.waiting.shift()
    if (next) {
      next()
      return
    }
    host.running--
    if (host.running === 0 && host.failures === 0 && host.bookedUntil <= this.options.now())
      this.hosts.delete(name)
    else if (this.hosts.size > 10_000) this.forgetIdle()
  }

  private forgetIdle(): void {
    for (const [name, host] of this.hosts)
      if (host.running === 0 && host.restsUntil <= this.options.now()) this.hosts.delete(name)
  }
}

const newHost = (): Host => ({
  running: 0,
  failures: 0,
  rests: 0,
  restsUntil: 0,
  tookMs: FIRST_TOOK_MS,
  bookedUntil: 0,
  waiting: [],
})

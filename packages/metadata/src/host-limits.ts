/** Permission to send a request, to be released at the end, or the time after which to try again. */
export type Slot = { readonly release: (result: 'ok' | 'failed') => void } | { readonly retryAfterMs: number }

export interface HostLimitOptions {
  /** Concurrent requests per host. Default 4. */
  readonly concurrency?: number
  /** Requests waiting for a host; further ones are refused. Default 16. */
  readonly waiting?: number
  /** Consecutive failures after which a host is paused. Default 5. */
  readonly failures?: number
  /** Length of the pause in milliseconds. Default 60,000. */
  readonly restMs?: number
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Delay in milliseconds after being refused because too many requests are waiting. */
const FULL_RETRY_MS = 5_000

interface Host {
  running: number
  failures: number
  restsUntil: number
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

  async enter(name: string): Promise<Slot> {
    const host = this.hosts.get(name) ?? { running: 0, failures: 0, restsUntil: 0, waiting: [] }
    this.hosts.set(name, host)
    const early = this.refusal(host)
    if (early) return early
    if (host.running >= this.options.concurrency)
      await new Promise<void>((resolve) => host.waiting.push(resolve))
    else host.running++
    // The slot was handed over by a previous request; the host may have been paused meanwhile.
    const rest = host.restsUntil - this.options.now()
    if (rest > 0) {
      this.leave(name, host)
      return { retryAfterMs: rest }
    }
    return { release: (result) => this.release(name, host, result) }
  }

  private refusal(host: Host): Slot | undefined {
    const rest = host.restsUntil - this.options.now()
    if (rest > 0) return { retryAfterMs: rest }
    return host.waiting.length >= this.options.waiting ? { retryAfterMs: FULL_RETRY_MS } : undefined
  }

  private release(name: string, host: Host, result: 'ok' | 'failed'): void {
    host.failures = result === 'ok' ? 0 : host.failures + 1
    // The count is reset only by a success, so after a pause one more failure is enough.
    if (host.failures >= this.options.failures) host.restsUntil = this.options.now() + this.options.restMs
    this.leave(name, host)
  }

  private leave(name: string, host: Host): void {
    const next = host.waiting.shift()
    if (next) {
      next()
      return
    }
    host.running--
    if (host.running === 0 && host.failures === 0) this.hosts.delete(name)
    else if (this.hosts.size > 10_000) this.forgetIdle()
  }

  private forgetIdle(): void {
    for (const [name, host] of this.hosts)
      if (host.running === 0 && host.restsUntil <= this.options.now()) this.hosts.delete(name)
  }
}

/** What a host is like just now: go on (call the function at the end), or come back later. */
export type Slot = { readonly release: (result: 'ok' | 'failed') => void } | { readonly retryAfterMs: number }

export interface HostLimitOptions {
  /** Requests to one host at once; default 4. */
  readonly concurrency?: number
  /** Requests that wait for a host; default 16. More are sent away. */
  readonly waiting?: number
  /** Failures in a row after which a host is left alone; default 5. */
  readonly failures?: number
  /** How long it is left alone, milliseconds; default 60,000. */
  readonly restMs?: number
  /** Milliseconds of a clock that only grows. */
  readonly now?: () => number
}

/** Long enough for the line to move on. */
const FULL_RETRY_MS = 5_000

interface Host {
  running: number
  failures: number
  restsUntil: number
  readonly waiting: (() => void)[]
}

/** Keeps one slow or dead host from occupying everything, and everything from falling upon one host. */
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

  /** Hosts that are left alone after failures. */
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
    // The slot was handed over by the one before; the host may have broken down meanwhile.
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
    // One more failure after the rest is enough: the count is not taken back before a success.
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

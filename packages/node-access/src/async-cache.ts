import { callScope, shared, untilAborted } from './call-scope.ts'

interface Entry<V> {
  readonly value: Promise<V>
  readonly expires: number
  readonly abandoned: AbortController
  /** Number of callers waiting for it. */
  waiting: number
  /** Bytes of memory; 0 until there is a value. */
  weight: number
}

export interface AsyncCacheOptions<V> {
  /** Undefined for answers that never change. */
  readonly ttlMs?: number
  /**
   * Whether a query is cancelled when no caller waits for it any more. Default: it continues, so that a
   * repeated request finds the answer of a slow server.
   */
  readonly endsAlone?: boolean
  /** For answers that may be large: bytes of memory for all, and those of one. Default: no limit. */
  readonly memory?: { readonly bytes: number; readonly weigh: (value: V) => number }
}

/** An LRU cache of answers. Concurrent identical requests share one query. Failures are not cached. */
export class AsyncCache<V> {
  private readonly entries = new Map<string, Entry<V>>()
  private weight = 0

  constructor(
    private readonly max: number,
    private readonly options: AsyncCacheOptions<V> = {},
  ) {}

  get(key: string, load: () => Promise<V>): Promise<V> {
    const known = this.entries.get(key)
    if (known && known.expires > performance.now()) {
      this.entries.delete(key)
      this.entries.set(key, known)
      return this.wait(key, known)
    }
    if (known) this.forget(key, known)
    const abandoned = new AbortController()
    const entry: Entry<V> = {
      value: shared(load, this.options.endsAlone ? abandoned.signal : undefined),
      expires: performance.now() + (this.options.ttlMs ?? Number.POSITIVE_INFINITY),
      abandoned,
      waiting: 0,
      weight: 0,
    }
    this.entries.set(key, entry)
    const forget = () => this.forget(key, entry)
    // Of a value that cannot be weighed nothing is kept either.
    entry.value.then((value) => this.weigh(key, entry, value), forget).catch(forget)
    if (this.entries.size > this.max) this.forgetOldest()
    return this.wait(key, entry)
  }

  private async wait(key: string, entry: Entry<V>): Promise<V> {
    const { signal } = callScope()
    entry.waiting++
    try {
      return await untilAborted(entry.value)
    } finally {
      entry.waiting--
      if (this.options.endsAlone && entry.waiting === 0 && signal?.aborted) {
        this.forget(key, entry)
        entry.abandoned.abort(signal.reason)
      }
    }
  }

  private weigh(key: string, entry: Entry<V>, value: V): void {
    const { memory } = this.options
    if (!memory || this.entries.get(key) !== entry) return
    entry.weight = memory.weigh(value)
    this.weight += entry.weight
    // One that is larger than all may be remains until there is another: it may be asked for often.
    while (this.weight > memory.bytes && this.entries.size > 1) this.forgetOldest()
  }

  private forgetOldest(): void {
    const [key, entry] = this.entries.entries().next().value!
    this.forget(key, entry)
  }

  private forget(key: string, entry: Entry<V>): void {
    if (this.entries.get(key) !== entry) return
    this.entries.delete(key)
    this.weight -= entry.weight
  }
}

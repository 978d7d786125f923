import { callScope, shared, untilAborted } from './call-scope.ts'

interface Entry<V> {
  readonly value: Promise<V>
  readonly expires: number
  readonly abandoned: AbortController
  /** Number of callers waiting for it. */
  waiting: number
}

export interface AsyncCacheOptions {
  /** Undefined for answers that never change. */
  readonly ttlMs?: number
  /**
   * Whether a query is cancelled when no caller waits for it any more. Default: it continues, so that a
   * repeated request finds the answer of a slow server.
   */
  readonly endsAlone?: boolean
}

/** An LRU cache of answers. Concurrent identical requests share one query. Failures are not cached. */
export class AsyncCache<V> {
  private readonly entries = new Map<string, Entry<V>>()

  constructor(
    private readonly max: number,
    private readonly options: AsyncCacheOptions = {},
  ) {}

  get(key: string, load: () => Promise<V>): Promise<V> {
    const known = this.entries.get(key)
    if (known && known.expires > performance.now()) {
      this.entries.delete(key)
      this.entries.set(key, known)
      return this.wait(key, known)
    }
    const abandoned = new AbortController()
    const entry = {
      value: shared(load, this.options.endsAlone ? abandoned.signal : undefined),
      expires: performance.now() + (this.options.ttlMs ?? Number.POSITIVE_INFINITY),
      abandoned,
      waiting: 0,
    }
    this.entries.set(key, entry)
    entry.value.catch(() => this.forget(key, entry))
    if (this.entries.size > this.max) this.entries.delete(this.entries.keys().next().value!)
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

  private forget(key: string, entry: Entry<V>): void {
    if (this.entries.get(key) === entry) this.entries.delete(key)
  }
}

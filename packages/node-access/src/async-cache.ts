import { LruCache } from '@shardwalk/model'
import { callScope, shared, untilAborted } from './call-scope.ts'

interface Entry<V> {
  readonly value: Promise<V>
  readonly expires: number
  readonly abandoned: AbortController
  /** Number of callers waiting for it. */
  waiting: number
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
  private readonly entries: LruCache<string, Entry<V>>

  constructor(
    max: number,
    private readonly options: AsyncCacheOptions<V> = {},
  ) {
    this.entries = new LruCache({ entries: max, bytes: options.memory?.bytes })
  }

  get(key: string, load: () => Promise<V>): Promise<V> {
    const known = this.entries.get(key)
    if (known && known.expires > performance.now()) return this.wait(key, known)
    const abandoned = new AbortController()
    const entry: Entry<V> = {
      value: shared(load, this.options.endsAlone ? abandoned.signal : undefined),
      expires: performance.now() + (this.options.ttlMs ?? Number.POSITIVE_INFINITY),
      abandoned,
      waiting: 0,
    }
    this.entries.set(key, entry)
    const forget = () => this.forget(key, entry)
    // Of a value that cannot be weighed nothing is kept either.
    entry.value.then((value) => this.weigh(key, entry, value), forget).catch(forget)
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

  /** Once there is a value. One that exceeds the limit by itself is kept too: it may be asked for often. */
  private weigh(key: string, entry: Entry<V>, value: V): void {
    const { memory } = this.options
    if (memory && this.entries.get(key) === entry) this.entries.set(key, entry, memory.weigh(value))
  }

  private forget(key: string, entry: Entry<V>): void {
    if (this.entries.get(key) === entry) this.entries.delete(key)
  }
}

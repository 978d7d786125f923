import { shared, untilAborted } from './call-scope.ts'

interface Entry<V> {
  readonly value: Promise<V>
  readonly expires: number
}

/**
 * Remembers answers; the least recently used go first. Callers that ask for the same at once share one query.
 * Failures are not kept.
 */
export class AsyncCache<V> {
  private readonly entries = new Map<string, Entry<V>>()

  /** `ttlMs` undefined: answers stay true for ever. */
  constructor(
    private readonly max: number,
    private readonly ttlMs?: number,
  ) {}

  get(key: string, load: () => Promise<V>): Promise<V> {
    const known = this.entries.get(key)
    if (known && known.expires > performance.now()) {
      this.entries.delete(key)
      this.entries.set(key, known)
      return untilAborted(known.value)
    }
    const entry = {
      value: shared(load),
      expires: performance.now() + (this.ttlMs ?? Number.POSITIVE_INFINITY),
    }
    this.entries.set(key, entry)
    entry.value.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key)
    })
    if (this.entries.size > this.max) this.entries.delete(this.entries.keys().next().value!)
    return untilAborted(entry.value)
  }
}

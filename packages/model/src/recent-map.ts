/**
 * A map of at most `most` entries: `set` makes an entry the newest, and the oldest go. Where what was used
 * last is to stay, what was read is set again.
 */
export class RecentMap<K, V> extends Map<K, V> {
  constructor(private readonly most: number) {
    super()
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    limit(this, this.most)
    return this
  }
}

/** The same for a set. */
export class RecentSet<T> extends Set<T> {
  constructor(private readonly most: number) {
    super()
  }

  override add(value: T): this {
    this.delete(value)
    super.add(value)
    limit(this, this.most)
    return this
  }
}

/**
 * One in a thousand goes at a time: V8 finds the oldest entry by passing the places of all that were deleted
 * since it last resized, which in a large map takes far longer than anything else that is done with an entry.
 */
function limit<K>(entries: Map<K, unknown> | Set<K>, most: number): void {
  if (entries.size <= most) return
  const kept = most - (most >> 10)
  for (const oldest of entries.keys()) {
    if (entries.size <= kept) return
    entries.delete(oldest)
  }
}

import type { ByteStore } from './byte-store.ts'

const EMPTY = -1

/** The distinct values of a store of bytes, by content: which number has a value that stands at its end? */
export class ValueDictionary {
  /** Number of distinct values. */
  size = 0
  private table = new Int32Array(1024).fill(EMPTY)
  private hashes = new Int32Array(512)
  /** Where the values begin; the next is where the last ends. */
  private starts = new Uint32Array(513)

  constructor(private readonly store: ByteStore) {}

  clear(): void {
    this.table.fill(EMPTY)
    this.size = 0
  }

  start(index: number): number {
    return this.starts[index]!
  }

  end(index: number): number {
    return this.starts[index + 1]!
  }

  /** The value between the end of the store and `to`; one that is new becomes part of the store. */
  add(to: number): number {
    const { store, table, hashes } = this
    const from = store.length
    const hash = hashOf(store.view, from, to)
    const mask = table.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const index = table[slot]!
      if (index === EMPTY) break
      if (hashes[index] === hash && this.equals(index, from, to)) return index
      slot = (slot + 1) & mask
    }
    const index = this.size++
    table[slot] = index
    hashes[index] = hash
    this.starts[index + 1] = to
    store.length = to
    if (this.size === hashes.length) this.grow()
    return index
  }

  private equals(index: number, from: number, to: number): boolean {
    const { bytes } = this.store
    const start = this.starts[index]!
    const size = to - from
    if (this.starts[index + 1]! - start !== size) return false
    for (let at = 0; at < size; at++) if (bytes[start + at] !== bytes[from + at]) return false
    return true
  }

  private grow(): void {
    this.table = new Int32Array(this.table.length * 2).fill(EMPTY)
    const { table, hashes, starts } = this
    this.hashes = new Int32Array(hashes.length * 2)
    this.hashes.set(hashes)
    this.starts = new Uint32Array(this.hashes.length + 1)
    this.starts.set(starts)
    const mask = table.length - 1
    for (let index = 0; index < this.size; index++) {
      const hash = hashes[index]!
      let slot = (hash ^ (hash >>> 15)) & mask
      while (table[slot] !== EMPTY) slot = (slot + 1) & mask
      table[slot] = index
    }
  }
}

/** FNV-1a, four bytes at a time. Only speed depends on it. */
function hashOf(view: DataView, from: number, to: number): number {
  let hash = 0x811c9dc5 | 0
  let at = from
  for (; at + 4 <= to; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), 0x01000193)
  for (; at < to; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193)
  return hash ^ (hash >>> 13)
}

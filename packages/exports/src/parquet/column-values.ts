import type { ComputedValue, RowBatch } from '@shardwalk/db/datasets'
import { ByteStore } from './byte-store.ts'
import { ValueDictionary } from './value-dictionary.ts'

interface EncodedValues {
  readonly plain: Buffer
  readonly distinct?: number
  readonly indexes?: Uint32Array
}

/** A dictionary is given up if more than half of this many values differ, or of 2, 4, 8 ... times as many. */
const FIRST_CHECK = 1024

/**
 * The values of a column in a row group, as Parquet's PLAIN encoding has them: each once, with a number per
 * row, or, where most differ, all. Which of both depends on the values alone, not on how they arrive.
 */
export abstract class ColumnValues {
  protected readonly store = new ByteStore()
  private readonly dictionary = new ValueDictionary(this.store)
  private isDistinct: boolean
  /** Of the values of the group before: as many may come again. */
  private lastSize = 0
  private indexes = new Uint32Array(1024)
  private present = new Uint8Array(1024)
  /** Rows, with nulls. */
  rows = 0
  /** Values, without nulls. */
  count = 0
  /** Bytes that all values take one after the other. */
  private plainSize = 0
  min: number | bigint | undefined
  max: number | bigint | undefined

  /** Values of less than two bytes do not gain from numbers for them. */
  constructor(
    protected readonly name: string,
    private readonly mayHaveDictionary = true,
  ) {
    this.isDistinct = mayHaveDictionary
  }

  append(batch: RowBatch, column: number): void {
    if (this.rows + batch.length > this.present.length) this.growRows(this.rows + batch.length)
    const values = batch.column(column)
    if (typeof values === 'number') this.appendFields(batch, values)
    else this.appendComputed(values)
  }

  private appendComputed(values: readonly ComputedValue[]): void {
    let last: ComputedValue = null
    for (const value of values) {
      if (!this.note(value !== null)) continue
      if (value === last && this.isDistinct) this.repeat()
      else this.putComputed(value!)
      last = value
    }
  }

  private appendFields(batch: RowBatch, field: number): void {
    const { bytes } = batch
    let lastStart = 0
    let lastEnd = 0
    for (let row = 0; row < batch.length; row++) {
      const start = batch.start(row, field)
      const end = batch.end(row, field)
      if (!this.note(!batch.isNull(start, end))) continue
      if (this.isDistinct && lastStart > 0 && isSame(bytes, { start, end, lastStart, lastEnd })) this.repeat()
      else this.put(bytes, start, end)
      lastStart = start
      lastEnd = end
    }
  }

  /** 1 where a row has a value. */
  levels(): Uint8Array {
    return this.present.subarray(0, this.rows)
  }

  /** The values; if they are the distinct ones, also how many, and which of them each row has. */
  encoded(): EncodedValues {
    if (this.isDistinct && !this.isDictionaryWorthwhile()) this.repeatValues()
    const plain = this.store.content()
    if (!this.isDistinct) return { plain }
    return { plain, distinct: this.dictionary.size, indexes: this.indexes.subarray(0, this.count) }
  }

  clear(): void {
    this.lastSize = this.store.length
    this.store.length = 0
    this.dictionary.clear()
    this.isDistinct = this.mayHaveDictionary
    this.rows = 0
    this.count = 0
    this.plainSize = 0
    this.min = undefined
    this.max = undefined
  }

  /** Adds a field as PostgreSQL writes it. */
  protected abstract put(bytes: Buffer, start: number, end: number): void
  /** Adds a value from PostgreSQL's text of it. */
  protected abstract putText(text: string): void
  protected abstract putComputed(value: NonNullable<ComputedValue>): void

  /** The value stands in the store behind its end, up to `to`. Whether it was not known. */
  protected commit(to: number): boolean {
    this.plainSize += to - this.store.length
    if (!this.isDistinct) {
      this.store.length = to
      this.count++
      return true
    }
    const known = this.dictionary.size
    this.indexes[this.count++] = this.dictionary.add(to)
    const isNew = this.dictionary.size > known
    this.checkRepetition()
    return isNew
  }

  /** Repeats the last value: neighbours are often equal, and comparing them costs less than parsing. */
  private repeat(): void {
    const index = this.indexes[this.count - 1]!
    this.plainSize += this.dictionary.end(index) - this.dictionary.start(index)
    this.indexes[this.count++] = index
    this.checkRepetition()
  }

  private checkRepetition(): void {
    const isDue = this.count >= FIRST_CHECK && (this.count & (this.count - 1)) === 0
    if (isDue && this.dictionary.size * 2 > this.count) this.repeatValues()
  }

  protected bound(value: number | bigint): void {
    if (this.min === undefined || value < this.min) this.min = value
    if (this.max === undefined || value > this.max) this.max = value
  }

  private note(isPresent: boolean): boolean {
    this.present[this.rows++] = isPresent ? 1 : 0
    return isPresent
  }

  /** With the numbers of values it takes at most half of what the values alone take. */
  private isDictionaryWorthwhile(): boolean {
    const bits = Math.ceil(Math.log2(Math.max(1, this.dictionary.size)))
    return 2 * (this.store.length + (this.count * bits) / 8) <= this.plainSize
  }

  private repeatValues(): void {
    const { store, dictionary } = this
    const distinct = store.bytes
    const plain = Buffer.allocUnsafeSlow(Math.max(1024, this.plainSize, this.lastSize))
    let at = 0
    for (let row = 0; row < this.count; row++) {
      const index = this.indexes[row]!
      at += distinct.copy(plain, at, dictionary.start(index), dictionary.end(index))
    }
    store.bytes = plain
    store.view = new DataView(plain.buffer)
    store.length = at
    this.isDistinct = false
  }

  private growRows(wanted: number): void {
    const size = Math.max(wanted, this.present.length * 2)
    const [present, indexes] = [new Uint8Array(size), new Uint32Array(size)]
    present.set(this.present)
    indexes.set(this.indexes)
    this.present = present
    this.indexes = indexes
  }
}

interface Neighbours {
  readonly start: number
  readonly end: number
  readonly lastStart: number
  readonly lastEnd: number
}

/** From the end, because numbers and hashes often begin alike. */
function isSame(bytes: Buffer, { start, end, lastStart, lastEnd }: Neighbours): boolean {
  if (end - start !== lastEnd - lastStart) return false
  for (let back = 1; back <= end - start; back++)
    if (bytes[end - back] !== bytes[lastEnd - back]) return false
  return true
}

import { fitsInt64 } from '@shardwalk/model'
import type { SqlType, TableDefinition } from '@shardwalk/tables'
import { RowEncodeError } from '../errors.ts'
import type { EncodedRows } from './encoded-rows.ts'

const NULL = -1
const MAX_INT4 = 0x7fffffff

/** Names of the columns of a type. */
type NamesOf<T extends TableDefinition, Type extends SqlType> = {
  [K in keyof T['columns'] & string]: T['columns'][K]['type'] extends Type ? K : never
}[keyof T['columns'] & string]

type Selected<T extends TableDefinition, K extends keyof T['columns']> = T['columns'][K]['values']['select']

/** Value of a column; undefined becomes null, where the column is nullable. */
type Value<T extends TableDefinition, K extends keyof T['columns']> =
  null extends Selected<T, K> ? NonNullable<Selected<T, K>> | undefined : Selected<T, K>

type Bytes<T extends TableDefinition, K extends keyof T['columns']> =
  null extends Selected<T, K> ? Uint8Array | undefined : Uint8Array

/**
 * Rows in PostgreSQL's binary COPY format, without header and trailer, so that buffers of several batches can
 * be sent one after the other. Each field is a 4-byte length and that many bytes. Source: PostgreSQL manual,
 * COPY, "Binary Format".
 *
 * Every field names its column. The type checker compares the value with the column's definition, and a
 * column out of order is an error. Names are compared by reference, which costs nothing compared with the
 * encoding.
 */
export class CopyBuffer<T extends TableDefinition> {
  private bytes = new Uint8Array(0)
  /** A view of the same memory: its methods compile to single stores, those of Buffer do not. */
  private view = new DataView(this.bytes.buffer)
  private position = 0
  private readonly columns: readonly string[]
  /** Index of the next field in the row. */
  private next: number
  rows = 0

  /** `firstBytes`: memory allocated with the first row. */
  constructor(
    private readonly table: T,
    private readonly firstBytes = 4096,
  ) {
    this.columns = table.copied
    this.next = this.columns.length
  }

  /** Throws if fields of the row before are missing. */
  startRow(): void {
    this.endRow()
    this.reserve(2)
    this.view.setInt16(this.position, this.columns.length)
    this.position += 2
    this.next = 0
    this.rows++
  }

  /** Lets another row begin after one that failed. What was written of that one makes the bytes useless. */
  abandonRow(): void {
    this.next = this.columns.length
  }

  /** Throws RangeError beyond 64 bits. */
  int8<K extends NamesOf<T, 'int8'>>(column: K, value: Value<T, K> & (bigint | undefined)): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    if (!fitsInt64(value)) throw new RangeError(`${value} does not fit a column of 64 bits`)
    this.field(column, 8)
    this.view.setBigInt64(this.position, value)
    this.position += 8
  }

  /** Unsigned 32-bit values, such as hashes, keep their bits and are read back as negative numbers. */
  int4<K extends NamesOf<T, 'int4'>>(column: K, value: Value<T, K> & (number | undefined)): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    this.field(column, 4)
    this.view.setInt32(this.position, value)
    this.position += 4
  }

  /**
   * For values that SQL compares. Throws RangeError from 2^31 on, which the column would take for negative.
   */
  uint31<K extends NamesOf<T, 'int4'>>(column: K, value: Value<T, K> & (number | undefined)): void {
    if (value !== undefined && value > MAX_INT4)
      throw new RangeError(`${column} ${value} does not fit its column: ${MAX_INT4} at most`)
    this.int4(column, value)
  }

  int2<K extends NamesOf<T, 'int2'>>(column: K, value: Value<T, K> & number): void {
    this.field(column, 2)
    this.view.setInt16(this.position, value)
    this.position += 2
  }

  bool<K extends NamesOf<T, 'bool'>>(column: K, value: Value<T, K> & (boolean | undefined)): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    this.field(column, 1)
    this.bytes[this.position++] = value ? 1 : 0
  }

  bytea<K extends NamesOf<T, 'bytea'>>(column: K, value: Bytes<T, K>): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    this.field(column, value.length)
    this.append(value)
  }

  /** The binary form of jsonb is a version byte followed by the text. */
  jsonb<K extends NamesOf<T, 'jsonb'>>(column: K, value: Value<T, K>): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    const text = Buffer.from(JSON.stringify(value))
    this.field(column, text.length + 1)
    this.bytes[this.position++] = 1
    this.append(text)
  }

  /** Writes the text unchanged. */
  text<K extends NamesOf<T, 'text' | 'json'>>(column: K, value: string): void {
    const text = Buffer.from(value)
    this.field(column, text.length)
    this.append(text)
  }

  /** Writes an array that is already encoded. */
  array<K extends NamesOf<T, 'text[]' | 'bytea[]' | 'int8[]'>>(column: K, value: Bytes<T, K>): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    this.field(column, value.length)
    this.append(value)
  }

  /**
   * A non-negative integer of any size: groups of four decimal digits, most significant first; zero has none.
   */
  numeric<K extends NamesOf<T, 'numeric'>>(column: K, value: bigint | undefined): void {
    if (value === undefined) {
      this.field(column, NULL)
      return
    }
    const digits: number[] = []
    for (let rest = value; rest > 0n; rest /= 10_000n) digits.unshift(Number(rest % 10_000n))
    const weight = Math.max(0, digits.length - 1)
    while (digits.at(-1) === 0) digits.pop()
    this.field(column, 8 + digits.length * 2)
    for (const part of [digits.length, weight, 0, 0, ...digits]) {
      this.view.setInt16(this.position, part)
      this.position += 2
    }
  }

  /** Bytes written so far, which is the position of the next field. */
  get size(): number {
    return this.position
  }

  /** The rows. The buffer must not be used afterwards. */
  finish(): EncodedRows {
    this.endRow()
    return { rows: this.rows, bytes: this.bytes.subarray(0, this.position) }
  }

  private field(column: string, length: number): void {
    if (this.columns[this.next] !== column) throw this.misplaced(column)
    this.next++
    this.reserve(4 + Math.max(0, length))
    this.view.setInt32(this.position, length)
    this.position += 4
  }

  private endRow(): void {
    if (this.next !== this.columns.length) throw this.misplaced('the end of the row')
  }

  private misplaced(found: string): RowEncodeError {
    const wanted = this.columns[this.next] ?? 'the end of the row'
    return new RowEncodeError(this.table.name, `${found} came where ${wanted} stands`)
  }

  /** For short values, such as hashes, a loop is faster than `set`. */
  private append(value: Uint8Array): void {
    const { bytes, position } = this
    if (value.length <= 64) for (let i = 0; i < value.length; i++) bytes[position + i] = value[i]!
    else bytes.set(value, position)
    this.position += value.length
  }

  private reserve(length: number): void {
    const needed = this.position + length
    if (needed <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(needed, this.firstBytes, this.bytes.length * 2))
    larger.set(this.bytes.subarray(0, this.position))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }
}

/** `PGCOPY`, no flags, no header extension. */
export const COPY_HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex')
/** Field count -1, which ends the rows. Source: as for `CopyBuffer`. */
export const COPY_TRAILER = Buffer.from('ffff', 'hex')

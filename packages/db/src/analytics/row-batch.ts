/** A row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** What the program computes of a row: a number, truth, text or bytes, or null. */
export type ComputedValue = bigint | number | boolean | string | Buffer | null

/** Values of a column that the program computes: one per row of a batch. */
export type ComputedColumn = readonly ComputedValue[]

/** The field of the line that a column is, or its values. */
type BatchColumn = number | ComputedColumn

const [TAB, NEWLINE, BACKSLASH, N] = [9, 10, 92, 78]
/** With the tab behind it. */
const NULL = '\\N\t'

/** What a batch consists of, to be sent to a thread. */
export interface PackedRows {
  /** Lines of COPY. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of fields, in `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>
  /** Fields of a line. */
  readonly width: number
  /** Number of rows. */
  readonly length: number
}

/**
 * Some rows of COPY in its text format, as they arrived: lines, with tabs between fields. Who needs bytes
 * reads them in place; making a text of every field costs more than all the rest of an export.
 */
export class RowBatch {
  private readonly sizeOfNulls: number

  private constructor(
    readonly bytes: Buffer,
    /** Of fields, in `bytes`: each ends where its tab or newline stands. */
    private readonly ends: Uint32Array,
    /** Fields of a line. */
    readonly width: number,
    /** The field of each column, or the values that were computed. Undefined: fields are columns. */
    private readonly columns: readonly BatchColumn[] | undefined,
    private readonly first: number,
    /** Number of rows. */
    readonly length: number,
  ) {
    const computed = columns?.filter((column) => typeof column !== 'number').length ?? 0
    this.sizeOfNulls = computed * NULL.length
  }

  /** `bytes`: whole lines of `width` fields. */
  static of(bytes: Buffer, width: number): RowBatch {
    const ends = endsOfFields(bytes)
    return new RowBatch(bytes, ends, width, undefined, 0, ends.length / width)
  }

  static unpacked({ bytes, ends, width, length }: PackedRows): RowBatch {
    const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return new RowBatch(lines, ends, width, undefined, 0, length)
  }

  /** The rows `from` to `to`, without it. */
  slice(from: number, to: number): RowBatch {
    if (from === 0 && to === this.length) return this
    const { bytes, ends, width, first } = this
    const columns = this.columns?.map((column) =>
      typeof column === 'number' ? column : column.slice(from, to),
    )
    return new RowBatch(bytes, ends, width, columns, first + from, to - from)
  }

  with(columns: readonly BatchColumn[]): RowBatch {
    return new RowBatch(this.bytes, this.ends, this.width, columns, this.first, this.length)
  }

  /** Where the values of a column are. */
  column(column: number): BatchColumn {
    return this.columns ? this.columns[column]! : column
  }

  /** The lines of the rows, and where in `bytes` the fields of them end. Not of an empty batch. */
  get lines(): Buffer {
    return this.bytes.subarray(this.start(0, 0), this.end(this.length - 1, this.width - 1) + 1)
  }
  get fieldEnds(): Uint32Array {
    return this.ends.subarray(this.first * this.width, (this.first + this.length) * this.width)
  }

  start(row: number, field: number): number {
    const index = (this.first + row) * this.width + field
    return index === 0 ? 0 : this.ends[index - 1]! + 1
  }

  end(row: number, field: number): number {
    return this.ends[(this.first + row) * this.width + field]!
  }

  /** Bytes of the line, with what columns are computed from, which count as nulls themselves. */
  size(row: number): number {
    return this.end(row, this.width - 1) - this.start(row, 0) + this.sizeOfNulls
  }

  isNull(start: number, end: number): boolean {
    return end - start === 2 && this.bytes[start] === BACKSLASH && this.bytes[start + 1] === N
  }

  text(row: number, field: number): string | null {
    return textOf(this.bytes.toString('utf8', this.start(row, field), this.end(row, field)))
  }

  /** The value of a field of type `bytea`. */
  bytea(row: number, field: number): Buffer | null {
    const start = this.start(row, field)
    const end = this.end(row, field)
    return this.isNull(start, end) ? null : bytesOfHex(this.bytes, start + HEX_PREFIX, end)
  }

  texts(): TextRow[] {
    const columns = this.columns ?? Array.from({ length: this.width }, (_, field) => field)
    return Array.from({ length: this.length }, (_, row) =>
      columns.map((column) =>
        typeof column === 'number' ? this.text(row, column) : textOfComputed(column[row]!),
      ),
    )
  }
}

/** In front of the digits of a `bytea`: a backslash, escaped, and an x. */
const HEX_PREFIX = 3

/** `bytes` from `start` to `end`: hex in lower case. */
function bytesOfHex(bytes: Buffer, start: number, end: number): Buffer {
  const found = Buffer.allocUnsafe((end - start) >> 1)
  for (let at = start, to = 0; at < end; at += 2, to++)
    found[to] = (digitOf(bytes[at]!) << 4) | digitOf(bytes[at + 1]!)
  return found
}

/** Of an ASCII digit or small letter. */
const digitOf = (code: number): number => (code & 15) + (code >> 6) * 9

/** Grows to what the largest batch needs. */
let found = new Uint32Array(16_384)

function endsOfFields(bytes: Buffer): Uint32Array {
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== TAB && byte !== NEWLINE) continue
    if (count === found.length) found = grown(found)
    found[count++] = at
  }
  return found.slice(0, count)
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** The value of a field; null for null. */
export function textOf(field: string): string | null {
  if (!field.includes('\\')) return field
  if (field === '\\N') return null
  // Bytes, often many: hex behind an escaped `\x`, without further escapes.
  return field.startsWith('\\\\') && !field.includes('\\', 2) ? field.slice(1) : unescaped(field)
}

/** As PostgreSQL would write it. */
function textOfComputed(value: ComputedValue): string | null {
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Source: PostgreSQL's documentation of COPY, text format. */
const unescaped = (field: string): string => field.replace(/\\(.)/gs, (_, one: string) => ESCAPES[one] ?? one)

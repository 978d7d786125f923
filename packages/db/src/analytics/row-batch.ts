/** A row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** What the program computes of a row: a number, truth, text or bytes, or null. */
export type ComputedValue = bigint | number | boolean | string | Buffer | null

/** Values of a column that the program computes: one per row of a batch. */
export type ComputedColumn = readonly ComputedValue[]

const [TAB, NEWLINE, BACKSLASH, N] = [9, 10, 92, 78]

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
  private constructor(
    readonly bytes: Buffer,
    /** Of fields, in `bytes`: each ends where its tab or newline stands. */
    private readonly ends: Uint32Array,
    /** Fields of a line; perhaps more than columns. */
    readonly width: number,
    private readonly columns: number,
    private readonly computed: ReadonlyMap<number, ComputedColumn>,
    private readonly first: number,
    /** Number of rows. */
    readonly length: number,
  ) {}

  /** `bytes`: whole lines of `width` fields. */
  static of(bytes: Buffer, width: number): RowBatch {
    const ends = endsOfFields(bytes)
    return new RowBatch(bytes, ends, width, width, new Map(), 0, ends.length / width)
  }

  static unpacked({ bytes, ends, width, length }: PackedRows): RowBatch {
    const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return new RowBatch(lines, ends, width, width, new Map(), 0, length)
  }

  /** The rows `from` to `to`, without it. */
  slice(from: number, to: number): RowBatch {
    const { bytes, ends, width, columns, first } = this
    const computed = new Map([...this.computed].map(([column, values]) => [column, values.slice(from, to)]))
    return new RowBatch(bytes, ends, width, columns, computed, first + from, to - from)
  }

  /** Only the first `columns`, some of which are not in the line. */
  with(columns: number, computed: ReadonlyMap<number, ComputedColumn>): RowBatch {
    return new RowBatch(this.bytes, this.ends, this.width, columns, computed, this.first, this.length)
  }

  /** Undefined: the values are in the lines. */
  computedOf(column: number): ComputedColumn | undefined {
    return this.computed.get(column)
  }

  /** The lines of the rows, and where in `bytes` the fields of them end. Not of an empty batch. */
  get lines(): Buffer {
    return this.bytes.subarray(this.start(0, 0), this.end(this.length - 1, this.width - 1) + 1)
  }
  get fieldEnds(): Uint32Array {
    return this.ends.subarray(this.first * this.width, (this.first + this.length) * this.width)
  }

  start(row: number, column: number): number {
    const index = (this.first + row) * this.width + column
    return index === 0 ? 0 : this.ends[index - 1]! + 1
  }

  end(row: number, column: number): number {
    return this.ends[(this.first + row) * this.width + column]!
  }

  /** Bytes of the line, with what computed columns are computed from. */
  size(row: number): number {
    return this.end(row, this.width - 1) - this.start(row, 0)
  }

  isNull(start: number, end: number): boolean {
    return end - start === 2 && this.bytes[start] === BACKSLASH && this.bytes[start + 1] === N
  }

  text(row: number, column: number): string | null {
    return textOf(this.bytes.toString('utf8', this.start(row, column), this.end(row, column)))
  }

  texts(): TextRow[] {
    const rows: TextRow[] = []
    for (let row = 0; row < this.length; row++) {
      const texts: TextRow = []
      for (let column = 0; column < this.columns; column++) {
        const values = this.computed.get(column)
        texts.push(values ? textOfComputed(values[row]!) : this.text(row, column))
      }
      rows.push(texts)
    }
    return rows
  }
}

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

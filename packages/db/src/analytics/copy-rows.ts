import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** A row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** Values of a column that the program computes: one per row of a batch. */
export type ComputedColumn = readonly (string | null)[]

const [TAB, NEWLINE, BACKSLASH, N] = [9, 10, 92, 78]

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
    private readonly width: number,
    private readonly columns: number,
    private readonly computed: ReadonlyMap<number, ComputedColumn>,
    private readonly first: number,
    /** Number of rows. */
    readonly length: number,
  ) {}

  /** `bytes`: whole lines of `width` fields. */
  static of(bytes: Buffer, width: number): RowBatch {
    let ends = new Uint32Array(1024)
    let found = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte !== TAB && byte !== NEWLINE) continue
      if (found === ends.length) ends = grown(ends)
      ends[found++] = at
    }
    return new RowBatch(bytes, ends, width, width, new Map(), 0, found / width)
  }

  /** The rows `from` to `to`, without it. */
  slice(from: number, to: number): RowBatch {
    const { bytes, ends, width, columns, computed, first } = this
    return new RowBatch(bytes, ends, width, columns, computed, first + from, to - from)
  }

  /** Only the first `columns`, some of which are not in the line. Of a batch that is not a slice. */
  with(columns: number, computed: ReadonlyMap<number, ComputedColumn>): RowBatch {
    return new RowBatch(this.bytes, this.ends, this.width, columns, computed, 0, this.length)
  }

  /** Undefined: the values are in the lines. */
  computedOf(column: number): ComputedColumn | undefined {
    const values = this.computed.get(column)
    return values?.slice(this.first, this.first + this.length)
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
        texts.push(values ? values[this.first + row]! : this.text(row, column))
      }
      rows.push(texts)
    }
    return rows
  }
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

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Source: PostgreSQL's documentation of COPY, text format. */
const unescaped = (field: string): string => field.replace(/\\(.)/gs, (_, one: string) => ESCAPES[one] ?? one)

/** Behind the last newline; 0: there is none. */
function endOfLines(chunk: Buffer): number {
  let end = chunk.length
  while (end > 0 && chunk[end - 1] !== NEWLINE) end--
  return end
}

/** Rows of a query with `width` columns. Nothing runs until `rows` is called or after it has ended. */
export interface RunningCopy {
  /** To be called once, unless `cancel` is. */
  rows(): AsyncGenerator<RowBatch>
  cancel(): void
}

/**
 * Starts to copy: the server works ahead as far as the socket allows, also while the rows of an earlier query
 * are read.
 */
export async function startCopy(pool: pg.Pool, query: string, width: number): Promise<RunningCopy> {
  const client = await pool.connect()
  const stream = client.query(copyTo(`copy (${query}) to stdout`))
  // Before it is read, nobody listens.
  stream.on('error', () => {})
  let isReleased = false
  const release = (isDone: boolean) => {
    if (isReleased) return
    isReleased = true
    // The rest of a result that is not wanted any more would have to be read before another query.
    client.release(isDone ? undefined : true)
  }
  async function* rows(): AsyncGenerator<RowBatch> {
    let isDone = false
    try {
      let rest: Buffer[] = []
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        const end = endOfLines(chunk)
        if (end === 0) {
          rest.push(chunk)
          continue
        }
        const lines = chunk.subarray(0, end)
        const whole = rest.length > 0 ? Buffer.concat([...rest, lines]) : lines
        rest = end < chunk.length ? [chunk.subarray(end)] : []
        yield RowBatch.of(whole, width)
      }
      isDone = true
    } finally {
      release(isDone)
    }
  }
  return { rows, cancel: () => release(false) }
}

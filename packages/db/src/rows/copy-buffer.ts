import { RowEncodeError } from '../errors.ts'

const NULL = -1

/**
 * Rows in PostgreSQL's binary COPY format, without header and trailer, so that buffers of several batches can be sent one after the other.
 * Each field is a 4-byte length and that many bytes. Source: PostgreSQL manual, COPY, "Binary Format".
 */
export class CopyBuffer {
  private bytes = new Uint8Array(0)
  /** Over the same memory: compiled to single stores, which the methods of Buffer are not. */
  private view = new DataView(this.bytes.buffer)
  private position = 0
  private fieldsLeft = 0
  rows = 0

  /** `firstBytes`: memory taken with the first row. */
  constructor(
    private readonly columns: number,
    private readonly firstBytes = 4096,
  ) {}

  startRow(): void {
    if (this.fieldsLeft !== 0) throw new RowEncodeError('row', `${this.fieldsLeft} fields are missing`)
    this.reserve(2)
    this.view.setInt16(this.position, this.columns)
    this.position += 2
    this.fieldsLeft = this.columns
    this.rows++
  }

  null(): void {
    this.field(NULL)
  }

  /** Throws RangeError beyond 64 bits. */
  int8(value: bigint | undefined): void {
    if (value === undefined) {
      this.null()
      return
    }
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${value} does not fit a column of 64 bits`)
    this.field(8)
    this.view.setBigInt64(this.position, value)
    this.position += 8
  }

  /** Values of an unsigned 32-bit field keep their bits: they are read back as negative numbers. */
  int4(value: number | undefined): void {
    if (value === undefined) {
      this.null()
      return
    }
    this.field(4)
    this.view.setInt32(this.position, value)
    this.position += 4
  }

  int2(value: number): void {
    this.field(2)
    this.view.setInt16(this.position, value)
    this.position += 2
  }

  bool(value: boolean | undefined): void {
    if (value === undefined) {
      this.null()
      return
    }
    this.field(1)
    this.bytes[this.position++] = value ? 1 : 0
  }

  bytea(value: Uint8Array | undefined): void {
    if (value === undefined) {
      this.null()
      return
    }
    this.field(value.length)
    this.append(value)
  }

  /** jsonb's binary form is a version byte and the text. */
  jsonb(value: unknown): void {
    if (value === undefined) {
      this.null()
      return
    }
    const text = Buffer.from(JSON.stringify(value))
    this.field(text.length + 1)
    this.bytes[this.position++] = 1
    this.append(text)
  }

  /** A natural number of any size. Four decimal digits a piece, most significant first; zero has no digits. */
  numeric(value: bigint | undefined): void {
    if (value === undefined) {
      this.null()
      return
    }
    const digits: number[] = []
    for (let rest = value; rest > 0n; rest /= 10_000n) digits.unshift(Number(rest % 10_000n))
    const weight = Math.max(0, digits.length - 1)
    while (digits.at(-1) === 0) digits.pop()
    this.field(8 + digits.length * 2)
    for (const part of [digits.length, weight, 0, 0, ...digits]) {
      this.view.setInt16(this.position, part)
      this.position += 2
    }
  }

  /** Bytes written so far: where the next field begins. */
  get size(): number {
    return this.position
  }

  /** What was written; the buffer is not to be used any more. */
  finish(): Uint8Array<ArrayBuffer> {
    if (this.fieldsLeft !== 0) throw new RowEncodeError('row', `${this.fieldsLeft} fields are missing`)
    return this.bytes.subarray(0, this.position)
  }

  private field(length: number): void {
    if (this.fieldsLeft-- === 0) throw new RowEncodeError('row', `more than ${this.columns} fields`)
    this.reserve(4 + Math.max(0, length))
    this.view.setInt32(this.position, length)
    this.position += 4
  }

  /** A loop beats `set` for the hashes that most values are. */
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
export const COPY_TRAILER = Buffer.from('ffff', 'hex')

import { Builder, type Cell, EMPTY_CELL, loadSnake, type Slice } from '@shardwalk/cells'

/**
 * Thrown when cells do not have the layout being tried. It is one object without a stack trace: hundreds of
 * alternatives are tried, and capturing a trace costs more than an attempt.
 */
export const NO_FIT: unique symbol = Symbol('layout does not fit')

/**
 * Bits and references of an ordinary cell, read once from left to right. A read past the end throws `NO_FIT`.
 */
export class BodySlice {
  private bitAt = 0
  private refAt = 0

  constructor(private readonly cell: Cell) {}

  get bitsLeft(): number {
    return this.cell.bits - this.bitAt
  }

  get refsLeft(): number {
    return this.cell.refs.length - this.refAt
  }

  bit(): boolean {
    return this.uint(1) === 1
  }

  /** Unsigned, at most 48 bits. */
  uint(bits: number): number {
    this.need(bits)
    const value = this.peekUint(bits, this.bitAt)
    this.bitAt += bits
    return value
  }

  /** Unsigned, up to the size of a cell. */
  big(bits: number): bigint {
    if (bits <= 48) return BigInt(this.uint(bits))
    this.need(bits)
    let value = 0n
    let left = bits
    while (left > 0) {
      const part = Math.min(left, 48)
      value = (value << BigInt(part)) | BigInt(this.peekUint(part, this.bitAt))
      this.bitAt += part
      left -= part
    }
    return value
  }

  /** Upper-case hex; when the length is not a multiple of four, it ends with a completion bit and `_`. */
  hex(bits: number): string {
    this.need(bits)
    let text = this.bytes(bits >> 3).toString('hex')
    if (bits & 4) text += this.uint(4).toString(16)
    const tail = bits & 3
    if (tail > 0) text += `${((this.uint(tail) * 2 + 1) << (3 - tail)).toString(16)}_`
    return text.toUpperCase()
  }

  /** Whole bytes. */
  bytes(count: number): Buffer {
    this.need(count * 8)
    const { data } = this.cell
    const [from, shift] = [this.bitAt >> 3, this.bitAt & 7]
    this.bitAt += count * 8
    if (shift === 0) return Buffer.from(data.subarray(from, from + count))
    const bytes = Buffer.allocUnsafe(count)
    for (let i = 0; i < count; i++)
      bytes[i] = ((data[from + i] as number) << shift) | ((data[from + i + 1] as number) >> (8 - shift))
    return bytes
  }

  /** Whether the next bits are these; at most 48. */
  begins({ bits, value }: { readonly bits: number; readonly value: number }): boolean {
    return bits <= this.bitsLeft && this.peekUint(bits, this.bitAt) === value
  }

  ref(): Cell {
    const cell = this.cell.refs[this.refAt]
    if (!cell) throw NO_FIT
    this.refAt++
    return cell
  }

  /** Reads snake data; `onCell` receives the number of bits of each cell before it is read. */
  snake(onCell: (bits: number) => void): Buffer {
    const snake = loadSnake(this.open(), { onCell })
    if (!snake) throw NO_FIT
    this.bitAt = this.cell.bits
    if (this.refsLeft > 0) this.refAt++
    return snake.bytes
  }

  /** The remaining bits and references as a cell of their own. */
  rest(): Cell {
    const rest = this.tail()
    this.bitAt = this.cell.bits
    this.refAt = this.cell.refs.length
    return rest
  }

  skip(bits: number): void {
    this.need(bits)
    this.bitAt += bits
  }

  mark(): readonly [number, number] {
    return [this.bitAt, this.refAt]
  }

  reset([bitAt, refAt]: readonly [number, number]): void {
    this.bitAt = bitAt
    this.refAt = refAt
  }

  private tail(): Cell {
    if (this.bitAt === 0 && this.refAt === 0) return this.cell
    if (this.bitsLeft === 0 && this.refsLeft === 0) return EMPTY_CELL
    return new Builder().storeSlice(this.open()).endCell()
  }

  private open(): Slice {
    return this.cell.slice().skip(this.bitAt).skipRefs(this.refAt)
  }

  private need(bits: number): void {
    if (!(bits <= this.bitsLeft)) throw NO_FIT
  }

  private peekUint(bits: number, from: number): number {
    const { data } = this.cell
    let at = from >> 3
    const first = 8 - (from & 7)
    const byte = (data[at] as number) & (0xff >> (from & 7))
    if (bits <= first) return bits === 0 ? 0 : byte >> (first - bits)
    let value = byte
    let left = bits - first
    for (; left >= 8; left -= 8) value = value * 256 + (data[++at] as number)
    return left === 0 ? value : value * (1 << left) + ((data[++at] as number) >> (8 - left))
  }
}

import { DecodeError, type RawAddress } from '@shardwalk/model'
import type { BitString } from './bit-string.ts'
import { Cell } from './cell.ts'
import type { MsgAddress } from './msg-address.ts'
import type { Slice } from './slice.ts'

/** Data bits that a cell has room for. */
export const MAX_CELL_BITS = 1023
const MAX_REFS = 4
const WORD = Buffer.alloc(8)

/**
 * Builds one cell; stores return the builder. They throw DecodeError if a value does not fit or the cell is
 * full.
 */
export class Builder {
  // From the pool: memory of its own takes longer than most cells.
  private readonly bytes = Buffer.allocUnsafe(128).fill(0)
  private bitLength = 0
  private readonly cells: Cell[] = []

  get bits(): number {
    return this.bitLength
  }

  get refs(): number {
    return this.cells.length
  }

  storeBit(value: boolean | 0 | 1): this {
    const at = this.reserve(1)
    if (value) this.bytes[at >> 3]! |= 0x80 >> (at & 7)
    return this
  }

  storeUint(value: number | bigint, bits: number): this {
    const big = BigInt(value)
    if (big < 0n || big >> BigInt(bits) !== 0n)
      throw new DecodeError('builder', `${value} does not fit uint${bits}`)
    return this.storeBig(big, bits)
  }

  storeInt(value: number | bigint, bits: number): this {
    const big = BigInt(value)
    if (BigInt.asIntN(bits, big) !== big) throw new DecodeError('builder', `${value} does not fit int${bits}`)
    return this.storeBig(BigInt.asUintN(bits, big), bits)
  }

  /** `VarUInteger n`: the length in bytes as `lengthBits` bits, then the bytes. */
  storeVarUint(value: bigint, lengthBits: number): this {
    const length = value === 0n ? 0 : (value.toString(16).length + 1) >> 1
    return this.storeUint(length, lengthBits).storeUint(value, length * 8)
  }

  /** `Grams`, nanotons. */
  storeCoins(value: bigint): this {
    return this.storeVarUint(value, 4)
  }

  storeBytes(bytes: Uint8Array): this {
    return this.storeRaw(bytes, bytes.length * 8)
  }

  storeBits(value: BitString): this {
    return this.storeRaw(value.bytes, value.bits)
  }

  /** Copies the bits and references that remain in the slice without advancing it. */
  storeSlice(slice: Slice): this {
    const rest = slice.clone()
    const { bits, bytes } = rest.loadBits(rest.remainingBits)
    this.storeRaw(bytes, bits)
    while (rest.remainingRefs > 0) this.storeRef(rest.loadRefCell())
    return this
  }

  /** Copies the data and references of the cell inline. */
  storeCell(cell: Cell): this {
    this.storeRaw(cell.data, cell.bits)
    for (const child of cell.refs) this.storeRef(child)
    return this
  }

  storeBuilder(builder: Builder): this {
    this.storeRaw(builder.bytes, builder.bitLength)
    for (const child of builder.cells) this.storeRef(child)
    return this
  }

  storeRef(cell: Cell): this {
    if (this.cells.length === MAX_REFS) throw new DecodeError('builder', 'more than 4 references')
    this.cells.push(cell)
    return this
  }

  /** `Maybe ^X`; `HashmapE` has the same form. */
  storeMaybeRef(cell: Cell | undefined): this {
    this.storeBit(cell !== undefined)
    return cell === undefined ? this : this.storeRef(cell)
  }

  /**
   * `MsgAddress`: undefined is `addr_none`; a RawAddress is `addr_std` without anycast, or `addr_var` if the
   * workchain does not fit it.
   */
  storeAddress(value: MsgAddress | RawAddress | undefined): this {
    if (value === undefined) return this.storeUint(0, 2)
    if (!('type' in value)) {
      const { workchain, hash } = value
      if (workchain === (workchain << 24) >> 24)
        return this.storeUint(0b100, 3).storeInt(workchain, 8).storeBytes(hash)
      return this.storeUint(0b110, 3).storeUint(256, 9).storeInt(workchain, 32).storeBytes(hash)
    }
    switch (value.type) {
      case 'none':
        return this.storeUint(0, 2)
      case 'extern':
        return this.storeUint(1, 2).storeUint(value.bits.bits, 9).storeBits(value.bits)
      case 'std':
        return this.storeUint(2, 2)
          .storeAnycast(value.anycast)
          .storeInt(value.address.workchain, 8)
          .storeBytes(value.address.hash)
      case 'var':
        return this.storeUint(3, 2)
          .storeAnycast(value.anycast)
          .storeUint(value.bits.bits, 9)
          .storeInt(value.workchain, 32)
          .storeBits(value.bits)
    }
  }

  /** Returns the cell. Throws DecodeError on an invalid exotic layout and on a tree deeper than 1024. */
  endCell(options: { readonly exotic?: boolean } = {}): Cell {
    const length = (this.bitLength + 7) >> 3
    const data = Buffer.from(this.bytes.subarray(0, length))
    if ((this.bitLength & 7) !== 0) data[length - 1]! |= 0x80 >> (this.bitLength & 7)
    return Cell.of(options.exotic === true, data, this.bitLength, this.cells.slice())
  }

  private storeAnycast(prefix: BitString | undefined): this {
    this.storeBit(prefix !== undefined)
    return prefix === undefined ? this : this.storeUint(prefix.bits, 5).storeBits(prefix)
  }

  private reserve(bits: number): number {
    const at = this.bitLength
    if (at + bits > MAX_CELL_BITS) throw new DecodeError('builder', `more than ${MAX_CELL_BITS} bits`)
    this.bitLength = at + bits
    return at
  }

  private storeBig(value: bigint, bits: number): this {
    if (bits === 0) return this
    if (bits <= 64) {
      WORD.writeBigUInt64BE(value)
      return this.storeBitsAt(WORD, 64 - bits, bits)
    }
    const bytes = Buffer.from(value.toString(16).padStart(((bits + 7) >> 3) * 2, '0'), 'hex')
    return this.storeBitsAt(bytes, (8 - (bits & 7)) & 7, bits)
  }

  private storeRaw(bytes: Uint8Array, bits: number): this {
    return this.storeBitsAt(bytes, 0, bits)
  }

  /** Appends `bits` bits of `bytes` from bit `from`. */
  storeBitsAt(bytes: Uint8Array, from: number, bits: number): this {
    let at = this.reserve(bits)
    const target = this.bytes
    for (let left = bits, i = from >> 3; left > 0; i++) {
      const skip = left === bits ? from & 7 : 0
      const take = Math.min(8 - skip, left)
      const chunk = (((bytes[i]! << skip) & 0xff) >> (8 - take)) << (8 - take)
      const shift = at & 7
      target[at >> 3]! |= chunk >> shift
      if (shift + take > 8) target[(at >> 3) + 1]! |= chunk << (8 - shift)
      at += take
      left -= take
    }
    return this
  }
}

/** What remains of a slice, as a cell. */
export const sliceToCell = (slice: Slice): Cell => new Builder().storeSlice(slice).endCell()

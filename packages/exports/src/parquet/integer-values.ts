import type { ComputedValue } from '@shardwalk/db/datasets'
import { fitsInt64 } from '@shardwalk/model'
import { ColumnValues } from './column-values.ts'

const [MINUS, ZERO] = [45, 48]
/** Integers of up to this number of digits are exact as numbers. */
const EXACT_DIGITS = 15

/** An integer in decimal; its digits may be more than a number holds. */
abstract class IntegerValues extends ColumnValues {
  protected put(bytes: Buffer, start: number, end: number): void {
    if (end - start > EXACT_DIGITS) {
      this.putText(bytes.toString('latin1', start, end))
      return
    }
    const isNegative = bytes[start] === MINUS
    let value = 0
    for (let at = isNegative ? start + 1 : start; at < end; at++) {
      const digit = bytes[at]! - ZERO
      if (digit < 0 || digit > 9) this.refuse(bytes.toString('latin1', start, end))
      value = value * 10 + digit
    }
    this.putSmall(isNegative ? -value : value)
  }

  protected putText(text: string): void {
    if (text.length > EXACT_DIGITS) this.putLarge(BigInt(text))
    else this.putSmall(Number(text))
  }

  protected putComputed(value: NonNullable<ComputedValue>): void {
    const number = Number(value)
    if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) this.putSmall(number)
    else this.putLarge(BigInt(value as bigint))
  }

  protected abstract putSmall(value: number): void
  protected abstract putLarge(value: bigint): void

  protected refuse(value: number | bigint | string): never {
    throw new RangeError(`${this.name}: ${value} does not fit the type of the column`)
  }
}

const TWO_32 = 2 ** 32

/** Values of a column of type INT32. */
export class Int32Values extends IntegerValues {
  protected putSmall(value: number): void {
    if ((value | 0) !== value) this.refuse(value)
    this.store.reserve(4)
    this.store.view.setInt32(this.store.length, value, true)
    if (this.commit(this.store.length + 4)) this.bound(value)
  }

  protected putLarge(value: bigint): void {
    this.refuse(value)
  }
}

/** Values of a column of type INT64. */
export class Int64Values extends IntegerValues {
  protected putSmall(value: number): void {
    const { store } = this
    store.reserve(8)
    store.view.setUint32(store.length, value, true)
    store.view.setInt32(store.length + 4, Math.floor(value / TWO_32), true)
    if (this.commit(store.length + 8)) this.bound(value)
  }

  protected putLarge(value: bigint): void {
    if (!fitsInt64(value)) this.refuse(value)
    this.store.reserve(8)
    this.store.view.setBigInt64(this.store.length, value, true)
    if (this.commit(this.store.length + 8)) this.bound(value)
  }
}

/** Two's complement of 16 bytes, big-endian. */
export class DecimalValues extends IntegerValues {
  protected putSmall(value: number): void {
    const { store } = this
    store.reserve(16)
    const sign = value < 0 ? -1 : 0
    store.view.setInt32(store.length, sign)
    store.view.setInt32(store.length + 4, sign)
    store.view.setInt32(store.length + 8, Math.floor(value / TWO_32))
    store.view.setUint32(store.length + 12, value)
    if (this.commit(store.length + 16)) this.bound(value)
  }

  protected putLarge(value: bigint): void {
    if (BigInt.asIntN(128, value) !== value) this.refuse(value)
    const { store } = this
    store.reserve(16)
    store.view.setBigInt64(store.length, value >> 64n)
    store.view.setBigUint64(store.length + 8, BigInt.asUintN(64, value))
    if (this.commit(store.length + 16)) this.bound(value)
  }
}

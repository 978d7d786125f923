import { type ComputedValue, textOf } from '@shardwalk/db/datasets'
import { ColumnValues } from './column-values.ts'
import { DecimalValues, Int32Values, Int64Values } from './integer-values.ts'

const BACKSLASH = 92

/** A byte each, until they are packed. */
class BooleanValues extends ColumnValues {
  constructor(name: string) {
    super(name, false)
  }

  protected put(bytes: Buffer, start: number): void {
    this.add(bytes[start] === TRUE ? 1 : 0)
  }

  protected putText(text: string): void {
    this.add(text === 't' ? 1 : 0)
  }

  protected putComputed(value: NonNullable<ComputedValue>): void {
    this.add(value ? 1 : 0)
  }

  private add(value: number): void {
    this.store.reserve(1)
    this.store.bytes[this.store.length] = value
    this.commit(this.store.length + 1)
  }
}
const TRUE = 't'.charCodeAt(0)

/** Length (4 bytes) and bytes. */
class TextValues extends ColumnValues {
  protected put(bytes: Buffer, start: number, end: number): void {
    this.store.reserve(4 + end - start)
    const target = this.store.bytes
    let to = this.store.length + 4
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      if (byte === BACKSLASH) {
        this.putText(textOf(bytes.toString('utf8', start, end))!)
        return
      }
      target[to++] = byte
    }
    this.commitBytes(end - start)
  }

  protected putText(text: string): void {
    this.store.reserve(4 + 3 * text.length)
    this.commitBytes(this.store.bytes.write(text, this.store.length + 4))
  }

  protected putComputed(value: NonNullable<ComputedValue>): void {
    this.putText(String(value))
  }

  protected commitBytes(size: number): void {
    this.store.view.setUint32(this.store.length, size, true)
    this.commit(this.store.length + 4 + size)
  }
}

/** From hex behind an escaped `\x`. */
class BytesValues extends TextValues {
  protected override put(bytes: Buffer, start: number, end: number): void {
    this.putText(bytes.toString('latin1', start + 1, end))
  }

  protected override putText(text: string): void {
    this.store.reserve(4 + text.length)
    this.commitBytes(this.store.bytes.write(text.slice(2), this.store.length + 4, 'hex'))
  }

  protected override putComputed(value: NonNullable<ComputedValue>): void {
    const bytes = value as Buffer
    this.store.reserve(4 + bytes.length)
    this.commitBytes(bytes.copy(this.store.bytes, this.store.length + 4))
  }
}

/** By Parquet's physical type. */
export const VALUES = {
  INT32: Int32Values,
  INT64: Int64Values,
  DECIMAL: DecimalValues,
  BOOLEAN: BooleanValues,
  UTF8: TextValues,
  BYTES: BytesValues,
} as const

import type { PackedRows, RowBatch } from '@shardwalk/db/datasets'

/** Rows that are sent to a thread at a time take so many bytes. */
const SIZE = 524_288
/** Beside it, what the last batch may have more. */
const ROOM = 131_072

/**
 * Collects rows in buffers of their own, because a buffer that is moved to a thread can no longer be used
 * here.
 */
export class RowBlock {
  private bytes = Buffer.allocUnsafeSlow(SIZE + ROOM)
  private ends = new Uint32Array(16_384)
  private size = 0
  private fields = 0
  private width = 0
  private length = 0

  get isFull(): boolean {
    return this.size >= SIZE
  }

  get isEmpty(): boolean {
    return this.length === 0
  }

  append(rows: RowBatch): void {
    if (rows.length === 0) return
    const { lines, fieldEnds } = rows
    this.reserve(lines.length, fieldEnds.length)
    const moved = this.size - rows.start(0, 0)
    this.bytes.set(lines, this.size)
    for (let at = 0; at < fieldEnds.length; at++) this.ends[this.fields + at] = fieldEnds[at]! + moved
    this.size += lines.length
    this.fields += fieldEnds.length
    this.width = rows.width
    this.length += rows.length
  }

  /** The rows; the block is empty again. */
  take(): PackedRows {
    const { width, length } = this
    const taken = {
      bytes: new Uint8Array(this.bytes.buffer, 0, this.size),
      ends: this.ends.subarray(0, this.fields),
      width,
      length,
    }
    this.bytes = Buffer.allocUnsafeSlow(SIZE + ROOM)
    this.ends = new Uint32Array(this.ends.length)
    this.size = 0
    this.fields = 0
    this.length = 0
    return taken
  }

  private reserve(bytes: number, fields: number): void {
    if (this.size + bytes > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.size + bytes))
      this.bytes.copy(larger, 0, 0, this.size)
      this.bytes = larger
    }
    if (this.fields + fields <= this.ends.length) return
    const larger = new Uint32Array(2 * (this.fields + fields))
    larger.set(this.ends)
    this.ends = larger
  }
}

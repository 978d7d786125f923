/** Bytes that grow, and keep their memory when they are emptied. */
export class ByteStore {
  bytes = Buffer.allocUnsafeSlow(1024)
  view = new DataView(this.bytes.buffer)
  length = 0

  /** Room for `size` more bytes behind `length`. */
  reserve(size: number): void {
    const wanted = this.length + size
    if (wanted <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, Math.ceil(this.bytes.length * 1.5)))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }

  content(): Buffer {
    return this.bytes.subarray(0, this.length)
  }
}

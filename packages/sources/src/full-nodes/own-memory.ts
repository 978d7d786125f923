/**
 * A copy with memory of its own, for what is kept: part of a broadcast, or of the 8 KiB that Node.js divides
 * among small buffers, would keep all of it.
 */
export function ownCopy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}

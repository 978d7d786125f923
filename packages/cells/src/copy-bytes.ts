/**
 * Copies a short run of bytes and returns the position after it. `Buffer.copy` creates a view per call, which
 * costs more than copying so few bytes.
 */
export function copyBytes(
  from: Uint8Array,
  fromAt: number,
  to: Uint8Array,
  toAt: number,
  length: number,
): number {
  for (let i = 0; i < length; i++) to[toAt + i] = from[fromAt + i]!
  return toAt + length
}

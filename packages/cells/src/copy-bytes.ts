/**
 * Copies a short run of bytes; returns the position after it. Why not `Buffer.copy`: that makes a view for every call,
 * which costs more than the run itself.
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

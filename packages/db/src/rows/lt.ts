/** Math.min and Math.max of logical times, which are bigint. */
export function least(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

export function greatest(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

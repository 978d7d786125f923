/** Types of elements, as OIDs. Source: PostgreSQL, src/include/catalog/pg_type.dat. */
export const TEXT = 25
/** Object id of the type int8. Source: PostgreSQL, pg_type.dat. */
export const INT8 = 20

/** An element of the type `INT8`: 8 bytes, big-endian. Throws RangeError beyond 64 bits. */
export function int8(value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64BE(value)
  return buffer
}

/**
 * Binary form of a one-dimensional array without nulls. Source: PostgreSQL,
 * src/backend/utils/adt/arrayfuncs.c, array_recv.
 */
export function arrayOf(elementType: number, elements: readonly Buffer[]): Buffer {
  if (elements.length === 0) return int4s(0, 0, elementType)
  const parts = elements.flatMap((element) => [int4s(element.length), element])
  return Buffer.concat([int4s(1, 0, elementType, elements.length, 1), ...parts])
}

function int4s(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeInt32BE(value, index * 4)
  return buffer
}

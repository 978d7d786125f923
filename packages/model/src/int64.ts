/** Whether a signed number of 64 bits can be the value: `bigint` of PostgreSQL, and of Parquet. */
export const fitsInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value

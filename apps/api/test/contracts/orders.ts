import type { Json } from '../client.ts'
import { compareAddresses } from './chain-under-api.ts'

// Orders of rows in replies.

/** By the value of a field, ascending. */
export const address = (key: string) => (a: Json, b: Json) => compareAddresses(String(a[key]), String(b[key]))
export const number = (key: string) => (a: Json, b: Json) => {
  const difference = BigInt(String(a[key])) - BigInt(String(b[key]))
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
/** The first order that tells two rows apart. */
export const thenBy =
  (...orders: ((a: Json, b: Json) => number)[]) =>
  (a: Json, b: Json) =>
    orders.map((order) => order(a, b)).find((result) => result !== 0) ?? 0
export const descending = (order: (a: Json, b: Json) => number) => (a: Json, b: Json) => order(b, a)

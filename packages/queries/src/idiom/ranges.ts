import { type RawBuilder, sql } from 'kysely'
import { all, type Condition, type Sort } from './conditions.ts'

const MAX_INT8 = 0x7fffffffffffffffn
const MAX_INT4 = 2147483647

/** Range of logical time, both ends inclusive. */
export interface LtRange {
  readonly from: bigint
  readonly to: bigint
}

/** No bounds. */
export const ALL_LT: LtRange = { from: 0n, to: MAX_INT8 }

const NO_LT: LtRange = { from: 1n, to: 0n }

/**
 * Range from the bounds of a client, which are unsigned 64-bit numbers while the column is signed. No lt
 * exceeds it.
 */
export function ltRange(from = 0n, to = MAX_INT8): LtRange {
  return from > MAX_INT8 ? NO_LT : { from, to: earlier(to, MAX_INT8) }
}

/** The range from the first to the last of them. */
export const rangeOf = (lts: readonly bigint[]): LtRange =>
  lts.length === 0 ? NO_LT : { from: lts.reduce(earlier), to: lts.reduce(later) }

/** What is in both; `isEmpty` if nothing is. */
export const intersect = (a: LtRange, b: LtRange): LtRange => ({
  from: later(a.from, b.from),
  to: earlier(a.to, b.to),
})

/** The greater of two; `Math.max` does not accept bigint. */
export function later(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}
/** The smaller of two. */
export function earlier(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

/**
 * Bounds on a column of lt, without those that exclude nothing: for a range between two parameters the
 * planner expects few rows and would read them all, from whatever index has their order.
 */
export function ltConditions(column: RawBuilder<unknown>, { from, to }: LtRange): Condition[] {
  const conditions: Condition[] = []
  if (from > ALL_LT.from) conditions.push(sql`${column} >= ${from}`)
  if (to < ALL_LT.to) conditions.push(sql`${column} <= ${to}`)
  return conditions
}

/**
 * Bounds that are known before a statement with a kept plan starts, so that it opens only the partitions in
 * between. Looking each key up in its partition alone would open all of them first, 20 µs for each look-up in
 * a statement. Without those that exclude nothing; one is an array: see `ltConditions`.
 */
export function openedWithin(column: string, { from, to }: LtRange): Condition {
  const conditions: Condition[] = []
  if (from > ALL_LT.from) conditions.push(sql`${sql.raw(column)} >= any(array[${from}::int8])`)
  if (to < ALL_LT.to) conditions.push(sql`${sql.raw(column)} <= ${to}::int8`)
  return all(conditions)
}

/** More than the rows of a page of usual length and the next one. */
const MAX_POSITIONS = 16

/**
 * `openedWithin` for single positions, which may be far apart: of few, only their own partitions are opened.
 * Always as many parameters, so that one plan serves any number of them.
 */
export function openedAt(column: string, lts: readonly bigint[]): Condition {
  if (lts.length > MAX_POSITIONS) return openedWithin(column, rangeOf(lts))
  const positions = Array.from({ length: MAX_POSITIONS }, (_, index) => lts[index] ?? lts[0] ?? -1n)
  return sql`${sql.raw(column)} in (${sql.join(positions.map((lt) => sql`${lt}::int8`))})`
}

/** Both ends are inclusive. */
export const isEmpty = (range: LtRange): boolean => range.from > range.to

/** Bounds on a column of Unix seconds, both ends inclusive. */
export interface TimeRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Whether it excludes any time. */
export const hasTime = (time: TimeRange): boolean => time.from !== undefined || time.to !== undefined

const bound = (of: (...times: number[]) => number, ...times: (number | undefined)[]): number | undefined => {
  const given = times.filter((time) => time !== undefined)
  return given.length === 0 ? undefined : of(...given)
}

/** What is in both; an end that neither has stays open. */
export const intersectTimes = (a: TimeRange, b: TimeRange): TimeRange => ({
  from: bound(Math.max, a.from, b.from),
  to: bound(Math.min, a.to, b.to),
})

/** The times that a list ordered by them has from this one on. */
export const timesAfter = (time: number | null | undefined, sort: Sort): TimeRange =>
  time == null ? {} : sort === 'asc' ? { from: time } : { to: time }

/** The times that it has up to this one. */
export const timesUpTo = (time: number, sort: Sort): TimeRange =>
  sort === 'asc' ? { to: time } : { from: time }

/** Bounds on a column of the type int4; none for an open end. */
export function timeConditions(column: RawBuilder<unknown>, { from, to }: TimeRange): Condition[] {
  const conditions: Condition[] = []
  if (from !== undefined && from > MAX_INT4) conditions.push(sql`false`)
  else if (from !== undefined) conditions.push(sql`${column} >= ${from}`)
  if (to !== undefined) conditions.push(sql`${column} <= ${Math.min(to, MAX_INT4)}`)
  return conditions
}

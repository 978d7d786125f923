import { type RawBuilder, sql } from 'kysely'

/** A condition; values in it are bound. */
export type Condition = RawBuilder<unknown>
export type Sort = 'asc' | 'desc'

/**
 * Begins a statement whose best plan does not depend on its values: look-ups by key and walks along one index. The server keeps
 * its plan. Statements without it are planned for the values they carry.
 */
export const KEEP_PLAN: RawBuilder<unknown> = sql.raw('/* keep plan */')

/** `true` when there is none. */
export const all = (conditions: readonly Condition[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)

export const direction = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`asc` : sql`desc`)
/** The operator that leads to later rows of the order. */
export const beyond = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>` : sql`<`)
export const beyondOrAt = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>=` : sql`<=`)

const MAX_INT8 = 0x7fffffffffffffffn
const MAX_INT4 = 2147483647

/** Range of logical time, both ends included. */
export interface LtRange {
  readonly from: bigint
  readonly to: bigint
}

export const ALL_LT: LtRange = { from: 0n, to: MAX_INT8 }

const NO_LT: LtRange = { from: 1n, to: 0n }

/** Bounds of a client: unsigned 64-bit, while the column is signed. Beyond it nothing exists. */
export function ltRange(from = 0n, to = MAX_INT8): LtRange {
  return from > MAX_INT8 ? NO_LT : { from, to: earlier(to, MAX_INT8) }
}

export const intersect = (a: LtRange, b: LtRange): LtRange => ({
  from: later(a.from, b.from),
  to: earlier(a.to, b.to),
})

/** `Math.max` and `Math.min` know no bigint. */
export function later(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}
export function earlier(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

export const isEmpty = (range: LtRange): boolean => range.from > range.to

/** Bounds on a column of Unix seconds, both ends included. */
export interface TimeRange {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export const hasTime = (time: TimeRange): boolean => time.from !== undefined || time.to !== undefined

export function timeConditions(column: RawBuilder<unknown>, { from, to }: TimeRange): Condition[] {
  const conditions: Condition[] = []
  if (from !== undefined && from > MAX_INT4) conditions.push(sql`false`)
  else if (from !== undefined) conditions.push(sql`${column} >= ${from}`)
  if (to !== undefined) conditions.push(sql`${column} <= ${Math.min(to, MAX_INT4)}`)
  return conditions
}

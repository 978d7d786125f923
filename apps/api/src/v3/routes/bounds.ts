import { type LtRange, ltRange, type TimeRange, type TokenEventWindow } from '@shardwalk/queries'

/** Undefined when the query has no bound. */
export const ltBounds = (query: {
  readonly start_lt?: bigint | undefined
  readonly end_lt?: bigint | undefined
}): LtRange | undefined =>
  query.start_lt === undefined && query.end_lt === undefined
    ? undefined
    : ltRange(query.start_lt, query.end_lt)

/** Unix seconds, both inclusive; undefined: no bound. */
export const timeBounds = (query: {
  readonly start_utime?: number | undefined
  readonly end_utime?: number | undefined
}): TimeRange => ({ from: query.start_utime, to: query.end_utime })

/** Both bounds for a list of token events. */
export const windowOf = (
  query: Parameters<typeof ltBounds>[0] & Parameters<typeof timeBounds>[0],
): TokenEventWindow => ({
  lt: ltRange(query.start_lt, query.end_lt),
  time: timeBounds(query),
})

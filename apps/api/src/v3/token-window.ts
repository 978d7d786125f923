import { ltRange, type TokenEventWindow } from '@shardwalk/queries'

interface WindowQuery {
  readonly start_utime?: number | undefined
  readonly end_utime?: number | undefined
  readonly start_lt?: bigint | undefined
  readonly end_lt?: bigint | undefined
}

/** The parameters of a list that bound lt and time. */
export const windowOf = (query: WindowQuery): TokenEventWindow => ({
  lt: ltRange(query.start_lt, query.end_lt),
  time: { from: query.start_utime, to: query.end_utime },
})

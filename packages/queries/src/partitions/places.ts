import { blockOfKey, type Db, type FilteredPartition, mayHaveKey } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, type LtRange, statement } from '../idiom/index.ts'

/** Tables whose finished partitions have filters. */
export type Filtered = FilteredPartition['table']

/** Range of lt in which a row with the key may be; null: with any of them. */
export interface Place extends LtRange {
  readonly key: Buffer | null
}

interface PlaceRow {
  readonly key: Buffer | null
  readonly from_lt: bigint
  /** Behind the last one. */
  readonly to_lt: bigint
}

/** Raw: a kept plan. Index: as `selectPlaces`. */
const PLACES = statement<PlaceRow>('partitions that may have a pair', {
  key: 'bytea',
  from_lt: 'int8',
  to_lt: 'int8',
})

/** Places of pairs of values of messages before the lt `below`, newest first. */
export async function placesOf(db: Db, keys: readonly Buffer[], below: bigint): Promise<readonly Place[]> {
  const rows = await PLACES.rows(
    db,
    sql`
    ${KEEP_PLAN} ${selectPlaces('messages', sql`unnest(${keys}::bytea[])`, below)} order by from_lt desc`,
  )
  return rows.map(placeOf)
}

export const placeOf = ({ key, from_lt, to_lt }: PlaceRow): Place => ({ key, from: from_lt, to: to_lt - 1n })

/**
 * Select of the places (key, from_lt, to_lt) of the keys that a table function or subquery returns, before
 * the lt `below`. It reads one row for each key and group of filters, before the filters of the group.
 * Partitions without a filter are searched for all keys. The table of filters has few pages, which are read
 * in their order: the index would lead to most of them several times. Index: primary key of hash_filter_bits.
 */
export const selectPlaces = (
  table: Filtered,
  keys: RawBuilder<unknown>,
  below: bigint,
): RawBuilder<unknown> => sql`
    with groups as materialized (
      select group_no, blocks, array_agg(from_lt) as from_lts, array_agg(to_lt) as to_lts,
        array_agg(slot) as slots, range_agg(int8range(from_lt, to_lt)) as ranges
      from (select * from hash_filters offset 0) h
      where of_table = ${sql.lit(table)} and is_complete and from_lt < ${below}
      group by 1, 2
    )
    select k.key, f.from_lt, least(f.to_lt, ${below}) as to_lt
    from groups g cross join ${keys} k(key)
    left join lateral (
      select bits from hash_filter_bits b
      where b.group_no = g.group_no and b.block = ${sql.raw(blockOfKey('k.key', 'g.blocks'))} offset 0
    ) b on true
    cross join lateral (
      select f.from_lt, f.to_lt from unnest(g.from_lts, g.to_lts, g.slots) f(from_lt, to_lt, slot)
      where ${sql.raw(mayHaveKey('b.bits', 'f.slot', 'k.key'))} offset 0
    ) f
    union all
    select null, lower(r), upper(r) from unnest(int8multirange(int8range(0, ${below}))
      - coalesce((select range_agg(ranges) from groups), '{}')) r`

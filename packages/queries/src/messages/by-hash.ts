import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { ALL_LT, KEEP_PLAN, statement } from '../idiom/index.ts'
import { hashSearch, rangesWithHash, withHash } from '../partitions/index.ts'

/** Raw: a kept plan. Index: messages (hash), (hash_norm), (hash) where kind = 1. */
const LTS = statement<{ readonly lt: bigint }>('lt of messages by hash', { lt: 'int8' })

/**
 * The lt of all messages with one of the hashes, or normalised hashes, which lead to their partitions. A
 * message between accounts is unique, and the search ends with it. One from outside may have been received
 * several times, and under several hashes, so that all partitions are searched.
 */
export async function ltsOfMessages(db: Db, hashes: readonly Buffer[]): Promise<readonly bigint[]> {
  if (hashes.length === 0) return []
  const search = await hashSearch(db)
  const rows = await LTS.rows(
    db,
    sql`
    ${KEEP_PLAN} with first as materialized (
      select h.hash, m.lt, m.kind from (select distinct unnest(${hashes}::bytea[]) as hash) h
      left join lateral (${withHash('messages', 'h.hash', search)}) m on true
    )
    select n.lt from first n where n.kind <> 1
    union
    select m.lt from first n cross join lateral (${search.isArchived ? WITHIN_RANGES : EVERYWHERE}) m
    where n.kind is null or n.kind = 1`,
  )
  return rows.map((row) => row.lt)
}

const RANGES = rangesWithHash('messages', 'n.hash', ALL_LT.to)

const received = (bounds: RawBuilder<unknown>) => sql`
  select x.lt from messages x where x.hash = n.hash and x.kind = 1 ${bounds}
  union all select x.lt from messages x where x.hash_norm = n.hash ${bounds}`
const EVERYWHERE = received(sql``)
const WITHIN_RANGES = sql`select m.lt from ${RANGES} cross join lateral (
  ${received(sql`and x.lt >= ranges.from_lt and x.lt < ranges.to_lt`)}) m`

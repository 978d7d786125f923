import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { statement } from '../idiom/index.ts'
import { hashTypes, type PlaceColumns, withHashes } from '../partitions/index.ts'
import type { MessageKey } from './message-rows.ts'

/** `is_external`: the message is from outside, and began a trace. */
export interface KeyOfHash extends MessageKey {
  readonly hash: Buffer
  readonly is_external: boolean
}

/** Raw: a kept plan. Index: same as `begunBy`; messages (hash). */
const KEYS = statement<KeyOfHash & PlaceColumns>(
  'keys of messages by hash',
  hashTypes({ hash: 'bytea', account_id: 'int8', lt: 'int8', is_external: 'bool' }),
)

/**
 * Keys of all messages with one of the hashes, or normalised hashes. One from outside may have been received
 * several times, and under several hashes; each time it began a trace, and traces have no partitions. Any
 * other message is unique, and the search ends with it; it, too, begins a trace if what sent it is missing.
 */
export const keysByHash = (db: Db, hashes: readonly Buffer[]): Promise<readonly KeyOfHash[]> =>
  withHashes<KeyOfHash>(db, hashes, {
    table: 'messages',
    statement: KEYS,
    select: (some, search, isFirst) => {
      const found = sql`
        select w.hash, m.account_id, m.lt, false as is_external
        from wanted w cross join lateral (${search('w.hash')}) m`
      const rows = isFirst ? sql`${ROOTS} ${found} where w.hash not in (select hash from roots)` : found
      return sql`
        with wanted as materialized (select distinct unnest(${some}::bytea[]) as hash) ${rows}`
    },
  })

/**
 * Subquery: traces that a message with this hash, or normalised hash, began. Index: traces (bytes of
 * external_hash), (bytes of external_hash_norm).
 */
export const begunBy = (hash: string): RawBuilder<unknown> =>
  sql.raw(
    ['external_hash', 'external_hash_norm']
      .map(
        (column) => `select * from traces x
          where substr(x.${column}, 1, ${SHORT_ID_BYTES}) = substr(${hash}, 1, ${SHORT_ID_BYTES})
            and x.${column} = ${hash}`,
      )
      .join(' union all '),
  )

/** Those from outside are found by the first statement, if at all. */
const ROOTS = sql`
  , roots as materialized (
    select distinct w.hash, r.external_account_id as account_id, r.start_lt as lt
    from wanted w cross join lateral (${begunBy('w.hash')}) r where r.external_account_id is not null
  )
  select r.hash, r.account_id, r.lt, true as is_external from roots r union all`

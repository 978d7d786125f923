import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { KEEP_PLAN, statement } from '../idiom/index.ts'
import { withHashes } from '../partitions/index.ts'

/** Raw: a kept plan. Index: same as `begunBy`; messages (hash). */
const LTS = statement<{ readonly hash: Buffer; readonly lt: bigint }>('lt of messages by hash', {
  hash: 'bytea',
  lt: 'int8',
})

/**
 * The lt of all messages with one of the hashes, or normalised hashes, which lead to their partitions. One
 * from outside may have been received several times, and under several hashes; each time it began a trace,
 * and traces have no partitions. A message between accounts is unique: the search for it ends with it.
 */
export async function ltsOfMessages(db: Db, hashes: readonly Buffer[]): Promise<readonly bigint[]> {
  const rows = await withHashes(db, { table: 'messages', hashes }, (some, search) =>
    LTS.rows(
      db,
      sql`
      ${KEEP_PLAN} with wanted as materialized (select distinct unnest(${some}::bytea[]) as hash),
      roots as materialized (
        select distinct w.hash, r.start_lt as lt from wanted w cross join lateral (${begunBy('w.hash')}) r
      )
      select r.hash, r.lt from roots r
      union all
      select w.hash, m.lt from wanted w cross join lateral (${search('w.hash')}) m
      where not exists (select from roots r where r.hash = w.hash)`,
    ),
  )
  return [...new Set(rows.map((row) => row.lt))]
}

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

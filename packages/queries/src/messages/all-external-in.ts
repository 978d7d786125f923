import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { all, beyond, beyondOrAt, type Condition, direction, KEEP_PLAN, statement } from '../idiom/index.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageRow } from './message-rows.ts'
import type { MessageSlice } from './message-scan.ts'

/** Raw: one look-up per trace, with a kept plan. Index: same as `alongTraces`. */
const MESSAGES = statement<MessageRow>('external-in messages along traces', MESSAGE_TYPES)
const COUNT = statement<{ readonly count: bigint }>('number of them, up to a limit', { count: 'int8' })

/**
 * The same as `readExternalIn` for conditions that have no index of their own: each message from outside
 * began a trace, and an index of traces has all of them in the order of the list.
 */
export const readAlongTraces = (
  db: Db,
  conditions: readonly Condition[],
  slice: MessageSlice,
): Promise<MessageRow[]> => {
  const rows = alongTraces(conditions, slice, sql`limit ${slice.limit} offset ${slice.offset}`)
  return MESSAGES.rows(
    db,
    sql`${KEEP_PLAN} select ${MESSAGE_COLUMNS} from (${rows}) m order by m.hash ${direction(slice.sort)}`,
  )
}

/** Their number behind the position, counted up to the given limit. */
export async function countAlongTraces(
  db: Db,
  conditions: readonly Condition[],
  slice: Pick<MessageSlice, 'after' | 'sort'>,
  atMost: number,
): Promise<number> {
  const rows = alongTraces(conditions, slice, sql`limit ${atMost}`)
  const [row] = await COUNT.rows(db, sql`${KEEP_PLAN} select count(*) as count from (${rows}) m`)
  return Number(row!.count)
}

const START = sql.raw(`substr(r.external_hash, 1, ${SHORT_ID_BYTES})`)

/**
 * Subquery: of each message the row of the transaction with the greatest hash, which is the id of a trace.
 * Coins that no transaction sent begin traces, too; their messages are of another kind. Index: traces (bytes
 * of external_hash); messages (hash), in the partition of the root.
 */
function alongTraces(
  conditions: readonly Condition[],
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const dir = direction(sort)
  const position = after
    ? sql`${START} ${beyondOrAt(sort)} ${after.hash.subarray(0, SHORT_ID_BYTES)}::bytea
        and r.external_hash ${beyond(sort)} ${after.hash}::bytea`
    : sql`true`
  return sql`
    select m.* from traces r cross join lateral (
      select * from messages m
      where m.lt = r.start_lt and m.hash = r.external_hash and m.kind = 1 and ${all(conditions)} limit 1
    ) m
    where r.external_hash is not null and ${position} and not exists (
      select from traces o where substr(o.external_hash, 1, ${sql.lit(SHORT_ID_BYTES)}) = ${START}
        and o.external_hash = r.external_hash and o.trace_id > r.trace_id offset 0)
    order by ${START} ${dir}, r.external_hash ${dir} ${limit}`
}

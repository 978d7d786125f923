import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { all, beyond, type Condition, direction, KEEP_PLAN, statement } from '../idiom/index.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageKey, type MessageRow } from './message-rows.ts'
import type { MessageScan, MessageSlice } from './message-scan.ts'

/** Raw: hashes first, then one look-up a hash. Index: as `readExternalIn`. */
const EXTERNAL_MESSAGES = statement<MessageRow>('external-in messages by hash', MESSAGE_TYPES)

/**
 * External-in messages in order `hash <sort>`, one row per hash: of several receptions of a message
 * the one by the transaction with the greatest hash.
 * Index: messages (account_id, hash), (opcode, hash) or (hash), all where kind = 1.
 */
export async function readExternalIn(
  db: Db,
  { conditions, keepPlan }: Pick<MessageScan, 'conditions' | 'keepPlan'>,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const dir = direction(slice.sort)
  const after = slice.after ? [sql`m.hash ${beyond(slice.sort)} ${slice.after.hash}`] : []
  return EXTERNAL_MESSAGES.rows(
    db,
    sql`
    ${keepPlan ? KEEP_PLAN : sql``} select ${MESSAGE_COLUMNS} from (
      select m.hash from messages m where m.kind = 1 and ${all([...conditions, ...after])}
      group by m.hash order by m.hash ${dir} limit ${slice.limit} offset ${slice.offset}
    ) k
    cross join lateral (
      select m.* from messages m left join transactions r on r.account_id = m.account_id and r.lt = m.lt
      where m.hash = k.hash and m.kind = 1 and ${all(conditions)} order by r.hash desc nulls last limit 1
    ) m
    order by m.hash ${dir}`,
  )
}

/** Raw: a kept plan, as any body has the same. Index: messages (body_hash8) where kind = 1. */
const WITH_BODY = statement<MessageKey>('external-in messages with a body', {
  account_id: 'int8',
  lt: 'int8',
})

/**
 * Up to here the external-in messages with a body are sorted; beyond it they are so many that the list of all
 * meets them soon.
 */
const FEW_WITH_BODY = 5000

/**
 * Conditions for `readExternalIn` that hold for the same messages, and name them when few have the body: the
 * list of all is in the order of hashes, in which those are spread evenly.
 */
export async function nameExternalIn(
  db: Db,
  conditions: readonly Condition[],
  bodyHash8: bigint,
): Promise<Condition[]> {
  const rows = await WITH_BODY.rows(
    db,
    sql`
    ${KEEP_PLAN} select m.account_id, m.lt from messages m where m.kind = 1 and m.body_hash8 = ${bodyHash8}
    limit ${FEW_WITH_BODY + 1}`,
  )
  if (rows.length > FEW_WITH_BODY) return [...conditions]
  const [accounts, lts] = [rows.map((row) => row.account_id), rows.map((row) => row.lt)]
  const named = sql`(m.account_id, m.lt) in (select * from unnest(${accounts}::int8[], ${lts}::int8[]))`
  return [...conditions, rows.length > 0 ? named : sql`false`]
}

/** Raw: the order makes the server walk one index. Index: as `readExternalIn`. */
const COUNT = statement<{ readonly count: bigint }>('number of external-in messages, up to a limit', {
  count: 'int8',
})

/** How many external-in messages there are, counted no further than asked. */
export async function countExternalIn(
  db: Db,
  conditions: readonly Condition[],
  atMost: number,
): Promise<number> {
  const [row] = await COUNT.rows(
    db,
    sql`
    select count(*) as count from (
      select 1 from messages m where m.kind = 1
        and ${all(conditions)} group by m.hash order by m.hash limit ${atMost}
    ) x`,
  )
  return Number(row!.count)
}

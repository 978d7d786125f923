import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import {
  ALL_LT,
  all,
  beyond,
  type Condition,
  direction,
  KEEP_PLAN,
  statement,
  withKey,
} from '../idiom/index.ts'
import { wholeActivity, withinActive } from '../partitions/index.ts'
import { MESSAGE_COLUMNS, MESSAGE_TYPES, type MessageKey, type MessageRow } from './message-rows.ts'
import type { MessageScan, MessageSlice } from './message-scan.ts'

interface KeysOfHash {
  readonly hash: Buffer
  readonly accounts: readonly bigint[]
  readonly lts: readonly bigint[]
}

/** Raw: an aggregate; planned for the values. Index: same as `readExternalIn`. */
const HASHES = statement<KeysOfHash>('keys of external-in messages by hash', {
  hash: 'bytea',
  accounts: 'int8[]',
  lts: 'int8[]',
})

/** The same as rows of a statement whose plan is kept. */
function asRows(found: readonly KeysOfHash[]) {
  const flat = found.flatMap(({ hash, accounts, lts }) =>
    accounts.map((account, index) => ({ hash, account, lt: lts[index]! })),
  )
  return sql`
    select i.hash, array_agg(i.account) as accounts, array_agg(i.lt) as lts
    from unnest(${flat.map((key) => key.hash)}::bytea[], ${flat.map((key) => key.account)}::int8[],
      ${flat.map((key) => key.lt)}::int8[]) as i(hash, account, lt)
    group by i.hash`
}

/**
 * Raw: keys by hash first, then one lookup per key, with a kept plan. Index: same as `readExternalIn`;
 * primary keys.
 */
const EXTERNAL_MESSAGES = statement<MessageRow>('external-in messages by hash', MESSAGE_TYPES)

/**
 * External-in messages ordered by `hash <sort>`, one row per hash: if a message was received several times,
 * the row of the transaction with the greatest hash. Index: messages (account_id, hash) or (opcode, hash),
 * both where kind = 1; if neither is named, see `readAlongTraces`. Those of `account` are looked for between
 * its first rows and its last.
 */
export async function readExternalIn(
  db: Db,
  { account, conditions, keepPlan }: Pick<MessageScan, 'account' | 'conditions' | 'keepPlan'>,
  slice: MessageSlice,
): Promise<MessageRow[]> {
  const dir = direction(slice.sort)
  const keysWithin = (bounds: readonly Condition[]) => sql`
    select m.hash, array_agg(m.account_id) as accounts, array_agg(m.lt) as lts
    from messages m where m.kind = 1 and ${all([...conditions, ...bounds, ...behind(slice)])}
    group by m.hash order by m.hash ${dir} limit ${slice.limit} offset ${slice.offset}`
  const keys =
    account === undefined
      ? keysWithin([])
      : sql`select k.* from ${wholeActivity(account)} cross join lateral (
          ${keysWithin([withinActive(sql`m.lt`, ALL_LT)])}) k`
  const found = keepPlan ? undefined : await HASHES.rows(db, keys)
  if (found?.length === 0) return []
  return EXTERNAL_MESSAGES.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${MESSAGE_COLUMNS}
    from (${found ? asRows(found) : keys}) k
    cross join lateral (
      select m.* from unnest(k.accounts, k.lts) as i(account_id, lt)
      cross join lateral (${withKey('messages', 'i')}) m
      left join lateral (${withKey('transactions', 'i', 'x.hash')}) r on true
      order by r.hash desc nulls last limit 1
    ) m
    order by m.hash ${dir}`,
  )
}

/** Raw: the plan is the same for any body and is kept. Index: messages (body_hash8) where kind = 1. */
const WITH_BODY = statement<MessageKey>('external-in messages with a body', {
  account_id: 'int8',
  lt: 'int8',
})

/**
 * Up to this number, the external-in messages with a body are sorted. Beyond it they are so frequent that the
 * list of all messages soon yields enough of them.
 */
const FEW_WITH_BODY = 5000

/**
 * A condition for `readExternalIn` that names the messages with the body; undefined if they are many. Then
 * the list of all messages soon yields enough of them: it is ordered by hash, so that matches are spread
 * evenly.
 */
export async function nameExternalIn(db: Db, bodyHash8: bigint): Promise<Condition | undefined> {
  const rows = await WITH_BODY.rows(
    db,
    sql`
    ${KEEP_PLAN} select m.account_id, m.lt from messages m where m.kind = 1 and m.body_hash8 = ${bodyHash8}
    limit ${FEW_WITH_BODY + 1}`,
  )
  if (rows.length > FEW_WITH_BODY) return undefined
  if (rows.length === 0) return sql`false`
  const [accounts, lts] = [rows.map((row) => row.account_id), rows.map((row) => row.lt)]
  return sql`(m.account_id, m.lt) in (select * from unnest(${accounts}::int8[], ${lts}::int8[]))`
}

/** Raw: the order makes PostgreSQL scan one index. Index: same as `readExternalIn`. */
const COUNT = statement<{ readonly count: bigint }>('number of external-in messages, up to a limit', {
  count: 'int8',
})

/** Number of external-in messages behind the position, counted up to the given limit. */
export async function countExternalIn(
  db: Db,
  conditions: readonly Condition[],
  slice: Pick<MessageSlice, 'after' | 'sort'>,
  atMost: number,
): Promise<number> {
  const [row] = await COUNT.rows(
    db,
    sql`
    select count(*) as count from (
      select 1 from messages m where m.kind = 1
        and ${all([...conditions, ...behind(slice)])} group by m.hash order by m.hash limit ${atMost}
    ) x`,
  )
  return Number(row!.count)
}

const behind = ({ after, sort }: Pick<MessageSlice, 'after' | 'sort'>): readonly Condition[] =>
  after ? [sql`m.hash ${beyond(sort)} ${after.hash}`] : []

import type { MessageRow as SchemaRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { FULL } from './blocks.ts'
import { KEEP_PLAN } from './sql.ts'

export interface MessageRow extends SchemaRow {
  /** Null on external-in messages. */
  readonly created_lt: bigint | null
  /** The state-init is stored without this code; `withWholeInitStates` puts it back. */
  readonly init_code_hash: Buffer | null
}

/**
 * Creation lt of the message `m`. A system message (flag 8) stands under the lt of its receiver; it was created with the
 * start_lt of its masterchain block. Source: TON node, `Collator::create_special_transaction`. Index: blocks (start_lt).
 */
export const CREATED_LT = sql<bigint | null>`case
    when m.kind = 1 then null
    when m.flags & 8 = 0 then m.lt
    else (select b.start_lt from blocks b where b.workchain = -1 and b.shard = ${sql.lit(FULL)} and b.start_lt < m.lt
      order by b.start_lt desc limit 1)
  end`

/** How far the lt of a system message may lie above its creation: special transactions come first in a block, two at most. */
export const SYSTEM_LT_SKEW = 8n

export const MESSAGE_COLUMNS = sql`m.account_id, m.lt, m.destination_id, m.value, m.fwd_fee, m.ihr_fee, m.import_fee, m.created_at,
  m.opcode, m.kind, m.flags, m.hash, m.hash_norm, m.body, m.init_state, m.init_code_hash, m.value_extra, m.extra_flags, ${CREATED_LT} as created_lt`

/** Map key of rows that are named by an account and a logical time. */
export const messageKey = (accountId: bigint, lt: bigint): string => `${accountId}:${lt}`

export interface MessageEnds {
  readonly inMsgTxHash?: Buffer
  readonly outMsgTxHash?: Buffer
}

/**
 * The transactions at the two ends of messages. Index: transactions primary key for senders (the newest one before the message)
 * and for receivers of what nobody sent, (in_msg_lt) for all other receivers.
 */
export async function loadEnds(
  db: Db,
  messages: readonly MessageRow[],
  sides: { readonly in: boolean; readonly out: boolean },
): Promise<ReadonlyMap<string, MessageEnds>> {
  const unsent = messages.filter(isUnsent)
  const sent = messages.filter((message) => !isUnsent(message))
  const [own, receivers, senders] = await Promise.all([
    sides.in ? receiversOfUnsent(db, unsent) : [],
    sides.in ? receiversOf(db, sent) : [],
    sides.out ? sendersOf(db, sent) : [],
  ])
  const ends = new Map<string, { inMsgTxHash?: Buffer; outMsgTxHash?: Buffer }>()
  const of = (row: { account_id: bigint; lt: bigint }) => {
    const key = messageKey(row.account_id, row.lt)
    const known = ends.get(key) ?? {}
    ends.set(key, known)
    return known
  }
  for (const row of [...own, ...receivers]) of(row).inMsgTxHash = row.hash
  for (const row of senders) of(row).outMsgTxHash = row.hash
  return ends
}

export const isUnsent = (message: { kind: number; flags: number }): boolean =>
  message.kind === 1 || (message.flags & 8) !== 0

interface End {
  readonly account_id: bigint
  readonly lt: bigint
  readonly hash: Buffer
}

const accountsOf = (messages: readonly MessageRow[]) => messages.map((message) => message.account_id)
const ltsOf = (messages: readonly MessageRow[]) => messages.map((message) => message.lt)

async function receiversOfUnsent(db: Db, messages: readonly MessageRow[]): Promise<End[]> {
  if (messages.length === 0) return []
  const { rows } = await sql<End>`
    ${KEEP_PLAN} select t.account_id, t.lt, t.hash
    from unnest(${accountsOf(messages)}::int8[], ${ltsOf(messages)}::int8[]) as k(account_id, lt)
    join transactions t on t.account_id = k.account_id and t.lt = k.lt`.execute(db)
  return rows
}

async function receiversOf(db: Db, messages: readonly MessageRow[]): Promise<End[]> {
  const received = messages.filter((message) => message.destination_id !== null)
  if (received.length === 0) return []
  const { rows } = await sql<End>`
    ${KEEP_PLAN} select k.account_id, k.lt, t.hash
    from unnest(${accountsOf(received)}::int8[], ${ltsOf(received)}::int8[],
      ${received.map((message) => message.destination_id)}::int8[]) as k(account_id, lt, destination_id)
    join transactions t on t.in_msg_lt = k.lt and t.in_msg_account_id = k.account_id and t.account_id = k.destination_id`.execute(
    db,
  )
  return rows
}

async function sendersOf(db: Db, messages: readonly MessageRow[]): Promise<End[]> {
  if (messages.length === 0) return []
  const { rows } = await sql<End>`
    ${KEEP_PLAN} select k.account_id, k.lt, s.hash
    from unnest(${accountsOf(messages)}::int8[], ${ltsOf(messages)}::int8[]) as k(account_id, lt)
    cross join lateral (
      select t.hash, t.lt, t.out_msg_count from transactions t
      where t.account_id = k.account_id and t.lt < k.lt order by t.lt desc limit 1
    ) s
    where s.lt + s.out_msg_count >= k.lt`.execute(db)
  return rows
}

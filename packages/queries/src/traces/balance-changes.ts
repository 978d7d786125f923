import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { sql } from 'kysely'
import { HASH_BYTES, hashesIn } from '../actions/action-rows.ts'
import { statement } from '../idiom/index.ts'

const BYTES = sql.lit(HASH_BYTES)

/** The transactions of a trace, or those of one action of it. */
export interface ChangeScope {
  readonly piece: bigint
  /** Of the trace, which bound the lt of its transactions. */
  readonly start_lt: bigint
  readonly end_lt: bigint
  /** Number of transactions of the trace. */
  readonly nodes: number
  /** Only these transactions; null: all. */
  readonly tx_hashes: readonly Buffer[] | null
}

interface Named {
  readonly traceId?: Buffer | undefined
  readonly actionId?: Buffer | undefined
}

/**
 * What an id names: a trace in any state, or an action. An action begins with a transaction that only sends
 * its first message, unless that message came from outside; this transaction is left out, because what it
 * received belongs to the action before. Index: traces (trace_id), actions (bytes of action_id).
 */
const SCOPE = statement<Omit<ChangeScope, 'tx_hashes'> & { readonly tx_hashes: Buffer | null }>(
  'scope of balance changes',
  {
    piece: 'int8',
    start_lt: 'int8',
    end_lt: 'int8',
    nodes: 'int4',
    tx_hashes: 'bytea',
  },
)

/** Undefined: neither is known, or the action is not of this trace. */
export async function findChangeScope(
  db: Db,
  { traceId, actionId }: Named,
): Promise<ChangeScope | undefined> {
  const [scope] = await SCOPE.rows(
    db,
    actionId
      ? sql`
    select r.piece, r.start_lt, r.end_lt, r.nodes, case when f.in_msg_account_id is null then covered
      else substr(covered, ${BYTES} + 1) end as tx_hashes
    from actions a join traces r on r.trace_id = a.trace_id
      cross join lateral tx_hashes_of(a.trace_id, a.tx_hashes) covered
      left join lateral (
        select t.in_msg_account_id from transactions t
        where t.hash = substr(covered, 1, ${BYTES}) and t.lt between r.start_lt and r.end_lt offset 0
      ) f on true
    where substr(a.action_id, 1, ${sql.lit(SHORT_ID_BYTES)}) = ${actionId.subarray(0, SHORT_ID_BYTES)}::bytea
      and a.action_id = ${actionId}
      and (${traceId ?? null}::bytea is null or a.trace_id = ${traceId ?? null})
    limit 1`
      : sql`
    select piece, start_lt, end_lt, nodes, null::bytea as tx_hashes from traces
    where trace_id = ${traceId} limit 1`,
  )
  return scope && { ...scope, tx_hashes: scope.tx_hashes && hashesIn(scope.tx_hashes) }
}

/** Values that an account received less those that it sent, and fees that it paid; nanotons. */
export interface TonChangeRow {
  readonly account_id: bigint
  readonly change: string | null
  readonly fees: string | null
}

/** Raw: two ends of every message are summed. Index: transactions (piece), primary key of messages. */
const TON_CHANGES = statement<TonChangeRow>('TON balance changes', {
  account_id: 'int8',
  change: 'numeric',
  fees: 'numeric',
})

/**
 * Sums over the in messages of transactions. The sender pays the forwarding fee, the receiver the fees of the
 * transaction. Coins that no transaction sent have no sender.
 */
export const tonChanges = (db: Db, scope: ChangeScope): Promise<TonChangeRow[]> =>
  TON_CHANGES.rows(
    db,
    sql`
    with ends as materialized (
      select t.account_id, t.total_fees, t.in_msg_account_id, m.value,
        m.fwd_fee + coalesce(m.ihr_fee, 0) as fwd_fee
      from transactions t
        left join lateral (${inMessage('value, fwd_fee, ihr_fee')}) m on true
      where ${within(scope)}
    ), parts as (
      select account_id, value as change, total_fees as fees from ends
      union all select in_msg_account_id, -value, fwd_fee from ends where in_msg_account_id is not null
    )
    select account_id, sum(change) as change, sum(fees) as fees from parts
    group by account_id order by account_id`,
  )

/** A message that changed the balance of a jetton wallet. */
export interface JettonMoveRow {
  readonly owner_id: bigint
  readonly jetton_id: bigint
  readonly opcode: number
  readonly body: Buffer
}

/** Raw: joins messages by their ranges. Index: as `TON_CHANGES`; primary key of jetton_wallets. */
const JETTON_MOVES = statement<JettonMoveRow>('messages that change balances of jetton wallets', {
  owner_id: 'int8',
  jetton_id: 'int8',
  opcode: 'int4',
  body: 'bytea',
})

/** In messages with one of these opcodes (signed) that a jetton wallet accepted, in order of lt. */
export const jettonMoves = (
  db: Db,
  scope: ChangeScope,
  opcodes: readonly number[],
): Promise<JettonMoveRow[]> =>
  JETTON_MOVES.rows(
    db,
    sql`
    select w.owner_id, w.jetton_id, m.opcode, m.body
    from transactions t
      cross join lateral (${inMessage('opcode, body')}) m
      join jetton_wallets w on w.account_id = t.account_id
    where ${within(scope)} and t.aborted = false and m.opcode = any(${opcodes}::int4[]) and m.body is not null
    order by t.lt, t.account_id`,
  )

/** Of the transaction `t`. */
const inMessage = (columns: string) =>
  sql.raw(`select ${columns} from messages x
    where x.account_id = coalesce(t.in_msg_account_id, t.account_id) and x.lt = t.in_msg_lt offset 0`)

const within = ({ piece, start_lt, end_lt, tx_hashes }: ChangeScope) => {
  const inTrace = sql`t.lt between ${start_lt} and ${end_lt}
    and t.piece in (select p from pieces_of_trace(${piece}::int8) p)`
  return tx_hashes ? sql`${inTrace} and t.hash = any(${tx_hashes}::bytea[])` : inTrace
}

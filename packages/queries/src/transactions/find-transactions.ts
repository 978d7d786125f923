import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { earlier, KEEP_PLAN, later, statement } from '../idiom/index.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionKey,
  type TransactionRow,
} from './transaction-rows.ts'

/** Raw: an array of keys with a kept plan. Index: primary key. */
const BY_KEYS = statement<TransactionRow>('transactions by keys', TRANSACTION_TYPES)

/** Complete rows for the keys, in their order. */
export async function transactionsByKeys(
  db: Db,
  keys: readonly TransactionKey[],
): Promise<readonly TransactionRow[]> {
  if (keys.length === 0) return []
  return BY_KEYS.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from unnest(${keys.map((key) => key.account_id)}::int8[], ${keys.map((key) => key.lt)}::int8[])
      with ordinality as k(account_id, lt, position)
    join transactions t on t.account_id = k.account_id and t.lt = k.lt
    order by k.position`,
  )
}

/** Raw: a kept plan. Index: transactions (hash). */
const BY_HASH = statement<TransactionRow>('transactions by hash', TRANSACTION_TYPES)

/** The order is not defined. */
export async function transactionsByHash(
  db: Db,
  hashes: readonly Buffer[],
): Promise<readonly TransactionRow[]> {
  if (hashes.length === 0) return []
  return BY_HASH.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS} from transactions t where t.hash = any(${hashes}::bytea[])`,
  )
}

/** A trace, by its first piece, and the lt of its first and last transaction. */
export interface TraceExtent {
  readonly piece: bigint
  readonly start_lt: bigint
  readonly end_lt: bigint
}

/** Raw: the bounds on lt exclude partitions. Index: transactions (piece). */
const OF_TRACES = statement<TransactionRow>('transactions of traces', TRANSACTION_TYPES)

/** All transactions of the traces, ordered by lt, then account. */
export async function transactionsOfTraces(
  db: Db,
  traces: readonly TraceExtent[],
): Promise<readonly TransactionRow[]> {
  if (traces.length === 0) return []
  const from = traces.map((trace) => trace.start_lt).reduce(earlier)
  const to = traces.map((trace) => trace.end_lt).reduce(later)
  return OF_TRACES.rows(
    db,
    sql`
    select ${TRANSACTION_COLUMNS}
    from unnest(${traces.map((trace) => trace.piece)}::int8[]) as r(piece)
    cross join lateral pieces_of_trace(r.piece) p(piece)
    join transactions t on t.piece = p.piece and t.lt between ${from} and ${to}
    order by t.lt, t.account_id`,
  )
}

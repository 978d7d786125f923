import type { TraceRow as TraceReplyRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { tracesOfAccount } from './account-traces.ts'
import { messageConditions } from './message-conditions.ts'
import {
  all,
  beyond,
  type Condition,
  direction,
  earlier,
  hasTime,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  later,
  type Sort,
  type TimeRange,
  timeConditions,
} from './sql.ts'
import { TRANSACTION_COLUMNS, type TransactionRow } from './transaction-rows.ts'

export interface TraceRow extends TraceReplyRow {
  /** Waits for the classifier and has no actions yet. */
  readonly unclassified: boolean
  /** The classifier had a fault. */
  readonly failed: boolean
}

/** Where a list of traces or actions continues: the ordering columns of the last row. */
export interface TracePosition {
  readonly end_lt: bigint
  readonly end_utime: number
  readonly trace_id: Buffer
}

export interface TraceSlice {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly after?: TracePosition | undefined
}

export interface TraceScan {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Only these traces. */
  readonly ids?: readonly Buffer[] | undefined
  /** Only traces with a transaction of this account. */
  readonly account?: bigint | undefined
  readonly mcBlockSeqno?: number | undefined
}

const COLUMNS = sql.raw(
  `r.trace_id, r.external_hash, r.external_hash_norm, r.mc_seqno_start, r.mc_seqno_end, r.start_lt, r.end_lt, r.start_utime,
   r.end_utime, r.nodes, r.edges, r.pending_edges,
   ${present('unclassified_traces')} and not ${present('actions')} as unclassified, ${present('classification_failures')} as failed`,
)

/** One look-up a row: `exists` may be answered by hashing the whole table instead. */
function present(table: string): string {
  return `coalesce((select true from ${table} x where x.trace_id = r.trace_id limit 1), false)`
}

/**
 * Complete traces in order `end_lt <sort>, trace_id <sort>`, with a bound on time `end_utime` before them. Index: traces (end_lt), (end_utime),
 * (mc_seqno_end), the primary key; of an account those of `tracesOfAccount`.
 */
export async function listTraces(db: Db, scan: TraceScan, slice: TraceSlice): Promise<TraceRow[]> {
  if (isEmpty(scan.lt)) return []
  const byTime = hasTime(scan.time)
  const to = direction(slice.sort)
  const order = byTime ? sql`r.end_utime ${to}, r.trace_id ${to}` : sql`r.end_lt ${to}, r.trace_id ${to}`
  const conditions = conditionsOf(scan, slice)
  if (scan.account !== undefined) {
    const ids = await tracesOfAccount(db, scan.account, scan, slice, conditions)
    if (ids.length === 0) return []
    conditions.push(sql`r.trace_id = any(${ids}::bytea[])`)
  }
  const { rows } = await sql<TraceRow>`
    select ${COLUMNS} from traces r where ${all(conditions)}
    order by ${order} limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

/** Over the table `r`; that of the account is not among them. */
function conditionsOf(scan: TraceScan, slice: TraceSlice): Condition[] {
  const byTime = hasTime(scan.time)
  const conditions: Condition[] = [
    sql`r.state = 0`,
    sql`r.end_lt between ${scan.lt.from} and ${scan.lt.to}`,
    ...timeConditions(sql`r.end_utime`, scan.time),
  ]
  if (scan.ids) conditions.push(sql`r.trace_id = any(${scan.ids}::bytea[])`)
  if (scan.mcBlockSeqno !== undefined) conditions.push(sql`r.mc_seqno_end = ${scan.mcBlockSeqno}`)
  if (slice.after) {
    const { end_lt, end_utime, trace_id } = slice.after
    const key = byTime ? sql`r.end_utime, r.trace_id` : sql`r.end_lt, r.trace_id`
    conditions.push(sql`(${key}) ${beyond(slice.sort)} (${byTime ? end_utime : end_lt}, ${trace_id})`)
  }
  return conditions
}

/** Trace and hash of the transactions with these hashes. Index: transactions (hash). */
export async function tracesOfTransactions(db: Db, hashes: readonly Buffer[]): Promise<TransactionPlace[]> {
  const { rows } = await sql<TransactionPlace>`
    select t.trace_id, t.hash from transactions t where t.hash = any(${hashes}::bytea[]) and t.trace_id is not null`.execute(
    db,
  )
  return rows
}

export interface TransactionPlace {
  readonly trace_id: Buffer
  readonly hash: Buffer
}

/** Transactions that sent or received these messages, by hash or normalised hash. Index: messages (hash), (hash_norm). */
export async function tracesOfMessages(db: Db, hashes: readonly Buffer[]): Promise<TransactionPlace[]> {
  const conditions = all(messageConditions({ hashes })!)
  const { rows } = await sql<TransactionPlace>`
    with found as materialized (
      select m.account_id, m.lt, m.destination_id, m.kind = 1 or m.flags & 8 <> 0 as unsent from messages m where ${conditions}
    )
    select t.trace_id, t.hash from found f join transactions t on t.account_id = f.account_id and t.lt = f.lt where f.unsent
    union select t.trace_id, t.hash from found f join transactions t
      on t.in_msg_lt = f.lt and t.in_msg_account_id = f.account_id and t.account_id = f.destination_id where not f.unsent
    union select s.trace_id, s.hash from found f cross join lateral (
      select t.trace_id, t.hash, t.lt, t.out_msg_count from transactions t
      where t.account_id = f.account_id and t.lt < f.lt order by t.lt desc limit 1
    ) s where not f.unsent and s.lt + s.out_msg_count >= f.lt`.execute(db)
  return rows.filter((row) => row.trace_id !== null)
}

/** All transactions of the traces, by lt, then account. Index: transactions (trace_id); the bounds say in which partitions. */
export async function transactionsOfTraces(db: Db, traces: readonly TraceRow[]): Promise<TransactionRow[]> {
  if (traces.length === 0) return []
  const from = traces.map((trace) => trace.start_lt).reduce(earlier)
  const to = traces.map((trace) => trace.end_lt).reduce(later)
  const { rows } = await sql<TransactionRow>`
    select ${TRANSACTION_COLUMNS} from transactions t
    where t.trace_id = any(${traces.map((trace) => trace.trace_id)}::bytea[]) and t.lt between ${from} and ${to}
    order by t.lt, t.account_id`.execute(db)
  return rows
}

/** Transactions by hash, in no order. Index: transactions (hash). */
export async function transactionsByHash(db: Db, hashes: readonly Buffer[]): Promise<TransactionRow[]> {
  if (hashes.length === 0) return []
  const { rows } = await sql<TransactionRow>`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS} from transactions t where t.hash = any(${hashes}::bytea[])`.execute(
    db,
  )
  return rows
}

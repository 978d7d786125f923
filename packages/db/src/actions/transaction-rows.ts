import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { greatest, least } from '../rows/lt.ts'
import { byteaArray, type CopyReader, copyOut, int8Array } from './copy-out.ts'
import type { TraceRowRead } from './trace-rows.ts'

/**
 * Maximum number of transactions read of a trace, in order of lt: enough to list the participants of larger
 * ones.
 */
export const MAX_NODES_READ = 10_000

/** What the classifier reads of a transaction; the columns are those of the table. */
export interface TransactionRow {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly in_msg_account_id: AccountId | null
  readonly in_msg_lt: Lt | null
  readonly now: number
  readonly mc_block_seqno: McBlockSeqno
  readonly exit_code: number | null
  readonly kind: number
  readonly orig_status: number
  readonly end_status: number
  readonly out_msg_count: number
  readonly aborted: boolean | null
  readonly hash: Buffer
  readonly trace_id: Buffer
  /** Null where the compute phase ran. */
  readonly description: Buffer | null
}

/** Transactions of the traces in order of lt, of very large traces the first. */
export async function loadTransactions(
  client: pg.ClientBase,
  rows: readonly TraceRowRead[],
): Promise<TransactionRow[]> {
  const whole = rows.filter((row) => row.nodes <= MAX_NODES_READ)
  const found = whole.length > 0 ? [await queryTransactions(client, whole, null)] : []
  for (const row of rows)
    if (row.nodes > MAX_NODES_READ) found.push(await queryTransactions(client, [row], MAX_NODES_READ))
  return found.flat()
}

/**
 * The pieces of all traces are found at once: `pieces_of_trace` costs more for one trace than its rows do.
 * `offset 0`: both tables are looked up in, whatever number of pieces the planner expects.
 */
async function queryTransactions(
  client: pg.ClientBase,
  rows: readonly TraceRowRead[],
  limit: number | null,
): Promise<TransactionRow[]> {
  const from = rows.map((row) => row.start_lt).reduce(least)
  const to = rows.map((row) => row.end_lt).reduce(greatest)
  const reader = await copyOut(
    client,
    `with recursive pieces as (
       select * from unnest(${int8Array(rows.map((row) => row.piece))},
         ${byteaArray(rows.map((row) => row.trace_id))}) k(piece, trace_id)
       union all
       select p.piece, k.trace_id from pieces k
       cross join lateral (select x.piece from trace_pieces x where x.ancestor = k.piece offset 0) p
     )
     select t.account_id, t.lt, t.in_msg_account_id, t.in_msg_lt, t.now, t.mc_block_seqno, t.exit_code,
       t.kind, t.orig_status, t.end_status, t.out_msg_count, t.aborted, t.hash, p.trace_id, t.description
     from pieces p
     cross join lateral (
       select x.account_id, x.lt, x.in_msg_account_id, x.in_msg_lt, x.now, x.mc_block_seqno, x.exit_code,
         x.kind, x.orig_status, x.end_status, x.out_msg_count, x.aborted, x.hash,
         case when x.exit_code is null then x.description end as description
       from transactions x where x.piece = p.piece and x.lt between ${from} and ${to} offset 0
     ) t
     order by t.lt, t.account_id${limit === null ? '' : ` limit ${limit}`}`,
  )
  const found: TransactionRow[] = []
  while (reader.nextRow()) found.push(readTransaction(reader))
  return found
}

const readTransaction = (row: CopyReader): TransactionRow => ({
  account_id: row.int8(),
  lt: row.int8(),
  in_msg_account_id: row.int8OrNull(),
  in_msg_lt: row.int8OrNull(),
  now: row.int4(),
  mc_block_seqno: row.int4(),
  exit_code: row.int4OrNull(),
  kind: row.int2(),
  orig_status: row.int2(),
  end_status: row.int2(),
  out_msg_count: row.int2(),
  aborted: row.boolOrNull(),
  hash: row.bytea(),
  trace_id: row.bytea(),
  description: row.byteaOrNull(),
})

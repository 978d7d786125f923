import { TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import { deleteActions, dequeueTraces } from '../actions/write-actions.ts'

/**
 * Puts the transactions of whole traces into the temporary table `members`; once in a transaction of the
 * database. `roots`: pieces with the roots. `condition`: on `traces r`. Index: transactions_piece, in the
 * partitions of the trace.
 */
export async function gatherMembers(
  client: pg.ClientBase,
  roots: readonly PieceId[],
  condition = 'true',
): Promise<void> {
  await client.query(
    `create temporary table members on commit drop as
     select p.root, t.piece, t.account_id, t.lt, t.mc_block_seqno, t.block_seqno, t.out_msg_count,
       t.in_msg_account_id, t.in_msg_lt, t.code_hash_after
     from (
       select r.piece as root, r.start_lt, r.end_lt, q.piece from traces r
       cross join lateral pieces_of_trace(r.piece) q(piece)
       where r.piece = any ($1::int8[]) and ${condition}) p
     join transactions t on t.piece = p.piece and t.lt between p.start_lt and p.end_lt`,
    [roots],
  )
  await client.query('analyze members')
}

/**
 * Deletes traces of `members` with all that was derived from them, as if their transactions were not on the
 * chain. States, contracts and names stay. The caller has the lock `traces`, shared or not.
 */
export async function forgetTraces(client: pg.ClientBase, roots: readonly PieceId[]): Promise<void> {
  if (roots.length === 0) return
  const { rows } = await client.query<{ trace_id: Buffer }>(
    'select trace_id from traces where piece = any ($1::int8[])',
    [roots],
  )
  const ids = rows.map((row) => row.trace_id)
  await dequeueTraces(client, ids)
  await deleteActions(client, ids)
  for (const statement of DELETE_MEMBERS) await client.query(statement, [roots])
  await client.query('delete from traces where piece = any ($1::int8[])', [roots])
  await client.query('delete from undecided_traces where piece = any ($1::int8[])', [roots])
}

const OF_MEMBER = 'e.account_id = g.account_id and e.lt = g.lt and g.root = any ($1::int8[])'

const DELETE_MEMBERS = [
  // What they sent.
  `delete from messages e using members g where e.account_id = g.account_id
   and e.lt > g.lt and e.lt <= g.lt + g.out_msg_count and g.root = any ($1::int8[])`,
  // What they received from senders that are not stored.
  `delete from messages e using members g where e.account_id = coalesce(g.in_msg_account_id, g.account_id)
   and e.lt = g.in_msg_lt and g.root = any ($1::int8[])`,
  ...[...TOKEN_EVENT_TABLES, 'transactions'].map(
    (table) => `delete from ${table} e using members g where ${OF_MEMBER}`,
  ),
  'delete from trace_pieces e using members g where e.piece = g.piece and g.root = any ($1::int8[])',
]

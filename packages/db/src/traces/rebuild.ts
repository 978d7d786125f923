import { type Lt, MESSAGE_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import { assemble, type TraceInput } from '@shardwalk/traces'
import type pg from 'pg'
import { deleteActions } from '../actions/write-actions.ts'
import { lock } from '../writing/locks.ts'
import { writeTraces } from './write-traces.ts'

/**
 * Rebuilds traces from the transactions that remain after some were removed, as if those had never been
 * indexed: the traces fall into pieces. Deletes the actions of these traces. The caller writes the missing
 * blocks later in the same transaction. `ids`: the trace ids of the transactions.
 */
export async function rebuildTraces(client: pg.ClientBase, ids: readonly Buffer[]): Promise<void> {
  if (ids.length === 0) return
  await lock(client, 'traces')
  // The queue first: this waits for a classifier that has claimed one of these rows.
  for (const table of ['unclassified_traces', 'traces'])
    await client.query(`delete from ${table} where trace_id = any($1)`, [ids])
  await deleteActions(client, ids)
  const { inputs, was } = await readInputs(client, ids)
  const { pieces, pieceOf } = assemble(inputs)
  await relabelEach(
    client,
    was.map((transaction, index) => ({ ...transaction, into: pieces[pieceOf[index]!]!.traceId })),
  )
  await writeTraces(client, pieces, [])
}

interface StoredTransaction {
  readonly hash: Buffer
  readonly lt: Lt
  /** Its trace id so far. */
  readonly from: Buffer
}

async function readInputs(
  client: pg.ClientBase,
  ids: readonly Buffer[],
): Promise<{ inputs: TraceInput[]; was: StoredTransaction[] }> {
  const { rows } = await client.query(
    `select t.hash, t.lt, t.now, t.trace_id, t.mc_block_seqno, i.hash as in_hash, i.hash_norm as in_norm,
      i.kind as in_kind, i.flags as in_flags,
       o.hashes as out_hashes, o.kinds as out_kinds
     from transactions t
     left join messages i on i.account_id = coalesce(t.in_msg_account_id, t.account_id) and i.lt = t.in_msg_lt
     left join lateral (
       select array_agg(m.hash order by m.lt) as hashes, array_agg(m.kind order by m.lt) as kinds
         from messages m
       where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + t.out_msg_count) o on true
     where t.trace_id = any($1)`,
    [ids],
  )
  return {
    inputs: rows.map((row) => ({ mcBlockSeqno: row.mc_block_seqno, transaction: transactionOf(row) })),
    was: rows.map(({ hash, lt, trace_id }) => ({ hash, lt, from: trace_id })),
  }
}

/** The part of a transaction that traces are made of. */
// biome-ignore lint/suspicious/noExplicitAny: a row of the query above
function transactionOf(row: any): TraceInput['transaction'] {
  const inMsg = row.in_hash && {
    hash: row.in_hash,
    ...(row.in_norm && { hashNorm: row.in_norm }),
    kind: MESSAGE_KIND[row.in_kind],
    ...((row.in_flags & MESSAGE_FLAGS.system) !== 0 && { isSystem: true }),
  }
  const outMsgs = (row.out_hashes ?? []).map((hash: Buffer, index: number) => ({
    hash,
    kind: MESSAGE_KIND[row.out_kinds[index]],
  }))
  return { hash: row.hash, lt: row.lt, now: row.now, ...(inMsg && { inMsg }), outMsgs }
}

async function relabelEach(
  client: pg.ClientBase,
  rows: readonly (StoredTransaction & { readonly into: Buffer })[],
): Promise<void> {
  const changed = rows.filter(({ from, into }) => !from.equals(into))
  if (changed.length === 0) return
  await client.query(
    `update transactions t set trace_id = c.into_id
      from unnest($1::bytea[], $2::bigint[], $3::bytea[]) c(hash, lt, into_id)
     where t.hash = c.hash and t.lt = c.lt`,
    [changed.map((row) => row.hash), changed.map((row) => row.lt), changed.map((row) => row.into)],
  )
}

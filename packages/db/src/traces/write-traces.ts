import type { PendingEdge, TraceRow } from '@shardwalk/traces'
import type pg from 'pg'
import { PENDING_EDGE_COLUMNS, TRACE_COLUMNS } from '../rows/columns.ts'
import { CopyBuffer } from '../rows/copy-buffer.ts'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { greatest, least } from '../rows/lt.ts'
import { copyInto } from '../sink/copy.ts'
import { lock } from '../sink/locks.ts'
import { EDGE_END, TRACE_STATE } from '../tables/traces.ts'
import { type Joined, joinTraces, type Pieces } from './join.ts'
import { fillSlots, readEdges, readTraces } from './open-traces.ts'
import { encodeTraceRows, isClassifiable } from './trace-rows.ts'

/**
 * Finds the trace of every transaction of the batches and writes it into their rows. From here to the end of the database's transaction no
 * other writer joins traces: two batches that hold the two ends of a message would not see each other.
 */
export async function resolveTraces(client: pg.ClientBase, batches: readonly EncodedBatch[]): Promise<Joined> {
  await lock(client, 'traces')
  const pieces = batches.map(({ traces }) => readTraces(traces.open))
  const edges = batches.flatMap(({ traces }, index) => readEdges(traces.open, pieces[index]!))
  const joined = await joinWithStored(client, { traces: pieces.flat(), edges })
  for (const [index, { transactions, traces }] of batches.entries()) {
    const ids = pieces[index]!.map(({ traceId }) => joined.traceOf(traceId))
    fillSlots(transactions.bytes, traces.open, ids)
  }
  return joined
}

/** Joins pieces with what the tables hold, and takes that out of them. The caller holds the lock, and writes the result. */
export async function joinWithStored(client: pg.ClientBase, added: Pieces): Promise<Joined> {
  const edges = await takePendingEdges(client, outerEdges(added.edges))
  const traces = await takeTraceRows(client, uniqueIds(edges))
  return joinTraces(added, { traces, edges })
}

/** Brings the tables up to date. The transactions' own rows carry their trace already. */
export async function writeTraces(
  client: pg.ClientBase,
  joined: Joined,
  batches: readonly EncodedBatch[],
): Promise<void> {
  await relabel(client, joined.merged)
  await copyInto(client, 'pending_edges', PENDING_EDGE_COLUMNS, [encodeEdges(joined.edges)])
  const complete = batches.map(({ traces }) => traces.complete)
  await copyInto(client, 'traces', TRACE_COLUMNS, [...complete, encodeTraceRows(joined.traces)])
  await queueForClassifier(client, joined.traces.filter(isClassifiable), batches)
}

/** A stored piece whose sender arrived belongs to the sender's trace from now on. */
async function relabel(client: pg.ClientBase, merged: Joined['merged']): Promise<void> {
  if (merged.length === 0) return
  const from = merged.map((piece) => piece.from.traceId)
  const into = merged.map((piece) => piece.into)
  // The bounds say which partitions can hold them.
  const first = merged.map((piece) => piece.from.startLt).reduce(least)
  const last = merged.map((piece) => piece.from.endLt).reduce(greatest)
  await client.query(
    `update transactions t set trace_id = m.into_id from unnest($1::bytea[], $2::bytea[]) m(from_id, into_id)
     where t.trace_id = m.from_id and t.lt between $3 and $4`,
    [from, into, first, last],
  )
  await client.query(
    `update pending_edges e set trace_id = m.into_id from unnest($1::bytea[], $2::bytea[]) m(from_id, into_id)
     where e.trace_id = m.from_id`,
    [from, into],
  )
}

async function queueForClassifier(
  client: pg.ClientBase,
  traces: readonly TraceRow[],
  batches: readonly EncodedBatch[],
): Promise<void> {
  const whole = batches.map((batch) => batch.traces.classifiable)
  const ids = [
    ...traces.map(({ traceId }) => traceId),
    ...whole.flatMap(({ ids: packed, endLts }) =>
      Array.from(endLts, (_, index) => Buffer.from(packed.buffer, packed.byteOffset + index * 32, 32)),
    ),
  ]
  if (ids.length === 0) return
  const endLts = [...traces.map(({ endLt }) => endLt), ...whole.flatMap((list) => [...list.endLts])]
  await client.query(
    `insert into unclassified_traces (trace_id, end_lt) select * from unnest($1::bytea[], $2::bigint[])
     on conflict (trace_id) do nothing`,
    [ids, endLts],
  )
}

/** Edges whose other end is not among them. */
function outerEdges(edges: readonly PendingEdge[]): PendingEdge[] {
  const seen = new Map<string, number>()
  for (const { messageHash } of edges) {
    const key = messageHash.toString('latin1')
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  return edges.filter(({ messageHash }) => seen.get(messageHash.toString('latin1')) === 1)
}

/** The other ends of these messages. */
async function takePendingEdges(client: pg.ClientBase, others: readonly PendingEdge[]): Promise<PendingEdge[]> {
  if (others.length === 0) return []
  const { rows } = await client.query<{ message_hash: Buffer; trace_id: Buffer; lt: bigint; known_end: number }>(
    'delete from pending_edges where message_hash = any($1) returning message_hash, trace_id, lt, known_end',
    [others.map(({ messageHash }) => messageHash)],
  )
  return rows.map((row) => ({
    messageHash: row.message_hash,
    traceId: row.trace_id,
    lt: row.lt,
    end: EDGE_END[row.known_end]!,
  }))
}

function uniqueIds(edges: readonly PendingEdge[]): Buffer[] {
  return [...new Map(edges.map(({ traceId }) => [traceId.toString('latin1'), traceId])).values()]
}

async function takeTraceRows(client: pg.ClientBase, ids: readonly Buffer[]): Promise<TraceRow[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query('delete from traces where trace_id = any($1) returning *', [ids])
  return rows.map((row) => ({
    traceId: row.trace_id,
    ...(row.external_hash && { externalHash: row.external_hash }),
    ...(row.external_hash_norm && { externalHashNorm: row.external_hash_norm }),
    state: TRACE_STATE[row.state as number]!,
    mcSeqnoStart: row.mc_seqno_start,
    mcSeqnoEnd: row.mc_seqno_end,
    startLt: row.start_lt,
    startUtime: row.start_utime,
    endLt: row.end_lt,
    endUtime: row.end_utime,
    nodes: row.nodes,
    edges: row.edges,
    pendingEdges: row.pending_edges,
  }))
}

function encodeEdges(edges: readonly PendingEdge[]): { rows: number; bytes: Uint8Array<ArrayBuffer> } {
  const rows = new CopyBuffer(PENDING_EDGE_COLUMNS.length, 64 + edges.length * 96)
  for (const { messageHash, traceId, lt, end } of edges) {
    rows.startRow()
    rows.bytea(messageHash)
    rows.bytea(traceId)
    rows.int8(lt)
    rows.int2(EDGE_END.indexOf(end))
  }
  return { rows: rows.rows, bytes: rows.finish() }
}

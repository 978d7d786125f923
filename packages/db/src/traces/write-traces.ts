import { TABLES, TRACE_STATE } from '@shardwalk/tables'
import { joinPieces, type Link, type TraceRow } from '@shardwalk/traces'
import type pg from 'pg'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { greatest, least } from '../rows/lt.ts'
import { fillSlots, type OpenMessage, readMessages, readPieces } from '../rows/open-traces.ts'
import { encodeTraceRows, isClassifiable } from '../rows/trace-rows.ts'
import { copyInto } from '../writing/copy.ts'
import { findSenders, keyOf, takeReceivedMessages } from './other-ends.ts'

/** Traces of a group of batches, joined with those stored. */
export interface ResolvedTraces {
  /** Rows to insert; the rows of the pieces that they replace are deleted. */
  readonly traces: readonly TraceRow[]
  /** By batch and index in `messagesReceived`: true when no indexed transaction sent the message. */
  readonly senderless: readonly boolean[][]
}

/**
 * Finds the trace of every transaction of the batches and writes it into their rows; stored pieces of these
 * traces are removed from the tables or joined. The caller holds the lock `traces` from before this call to
 * the end of its transaction: otherwise two batches with the two ends of a message would not see each other.
 * `somethingLater`: receivers of what is sent here may be stored.
 */
export async function resolveTraces(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  { somethingLater }: { readonly somethingLater: boolean },
): Promise<ResolvedTraces> {
  const pieces = batches.map(({ traces }) => readPieces(traces.open))
  const open = batches.map(({ traces }, index) => ({
    received: readMessages(traces.open.received, pieces[index]!),
    sent: readMessages(traces.open.sent, pieces[index]!),
  }))
  const inner = joinWithin(
    open.flatMap(({ sent }) => sent),
    open.flatMap(({ received }) => received),
  )
  const senders = await findSenders(client, inner.received)
  const links = [
    ...inner.links,
    ...inner.received.flatMap(({ piece }, index) =>
      senders[index] ? [{ sender: senders[index], receiver: piece }] : [],
    ),
    ...(somethingLater ? await takeReceivedMessages(client, inner.sent) : []),
  ]
  const stored = await takeStoredTraces(client, links, pieces.flat())
  const { traces, traceOf } = joinPieces([...stored, ...pieces.flat()], links)
  for (const [index, { transactions, traces: own }] of batches.entries())
    fillSlots(
      transactions.bytes,
      own.open,
      pieces[index]!.map(({ traceId }) => traceOf(traceId)),
    )
  await relabel(
    client,
    stored.flatMap((from) => {
      const into = traceOf(from.traceId)
      return into.equals(from.traceId) ? [] : [{ from, into }]
    }),
  )
  const senderless = new Set(inner.received.filter((_, index) => !senders[index]))
  return {
    traces,
    senderless: open.map(({ received }) => received.map((message) => senderless.has(message))),
  }
}

/** Links of messages with both ends in the group, and the messages with one end in it. */
function joinWithin(sent: readonly OpenMessage[], received: readonly OpenMessage[]) {
  const senders = new Map(sent.map((message) => [keyOf(message.accountId, message.lt), message]))
  const links: Link[] = []
  const orphans: OpenMessage[] = []
  for (const message of received) {
    const key = keyOf(message.accountId, message.lt)
    const sender = senders.get(key)
    if (sender) links.push({ sender: sender.piece, receiver: message.piece })
    else orphans.push(message)
    senders.delete(key)
  }
  return { links, received: orphans, sent: [...senders.values()] }
}

/** Inserts the traces' rows. The transactions' own rows carry their trace already. */
export async function writeTraces(
  client: pg.ClientBase,
  traces: readonly TraceRow[],
  batches: readonly EncodedBatch[],
): Promise<void> {
  const complete = batches.map((batch) => batch.traces.complete)
  await copyInto(client, TABLES.traces, [...complete, encodeTraceRows(traces)])
  await queueForClassifier(client, traces.filter(isClassifiable), batches)
}

/** Moves stored pieces to the trace of a sender that arrived. */
async function relabel(
  client: pg.ClientBase,
  merged: readonly { readonly from: TraceRow; readonly into: Buffer }[],
): Promise<void> {
  if (merged.length === 0) return
  // The bounds select the partitions.
  const first = merged.map((piece) => piece.from.startLt).reduce(least)
  const last = merged.map((piece) => piece.from.endLt).reduce(greatest)
  await client.query(
    `update transactions t set trace_id = m.into_id from unnest($1::bytea[], $2::bytea[]) m(from_id, into_id)
     where t.trace_id = m.from_id and t.lt between $3 and $4`,
    [merged.map((piece) => piece.from.traceId), merged.map((piece) => piece.into), first, last],
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

/** Rows of the traces to which links lead, except the given pieces. */
async function takeStoredTraces(
  client: pg.ClientBase,
  links: readonly Link[],
  pieces: readonly TraceRow[],
): Promise<TraceRow[]> {
  const ids = new Map(
    links.flatMap(({ sender, receiver }) => [sender, receiver].map((id) => [id.toString('latin1'), id])),
  )
  for (const { traceId } of pieces) ids.delete(traceId.toString('latin1'))
  if (ids.size === 0) return []
  const { rows } = await client.query('delete from traces where trace_id = any($1) returning *', [
    [...ids.values()],
  ])
  return rows.map((row) => ({
    traceId: row.trace_id,
    ...(row.external_hash && { externalHash: row.external_hash }),
    ...(row.external_hash_norm && { externalHashNorm: row.external_hash_norm }),
    state: TRACE_STATE[row.state as number]!,
    mcBlockSeqnoStart: row.mc_seqno_start,
    mcBlockSeqnoEnd: row.mc_seqno_end,
    startLt: row.start_lt,
    startUtime: row.start_utime,
    endLt: row.end_lt,
    endUtime: row.end_utime,
    nodes: row.nodes,
    edges: row.edges,
    pendingEdges: row.pending_edges,
  }))
}

import { TABLES, TRACE_STATE } from '@shardwalk/tables'
import { joinPieces, type Link, type TraceRow } from '@shardwalk/traces'
import type pg from 'pg'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { greatest, least } from '../rows/lt.ts'
import { fillSlots, type OpenMessage, readMessages, readPieces } from '../rows/open-traces.ts'
import { encodeTraceRows, isClassifiable } from '../rows/trace-rows.ts'
import { copyInto } from '../writing/copy.ts'
import { lockMessages } from '../writing/locks.ts'
import { findReceivers, findSenders, keyOf, takeReceivedMessages } from './other-ends.ts'

/** Traces of a group of batches, joined with those stored. */
export interface ResolvedTraces {
  /** Rows to insert; the rows of the pieces that they replace are deleted. */
  readonly traces: readonly TraceRow[]
  /** By batch and index in `messagesReceived`: true when no indexed transaction sent the message. */
  readonly senderless: readonly boolean[][]
}

export interface ResolveOptions {
  /**
   * Whether a later masterchain block is indexed, so that receivers may have written messages that these
   * batches send. Asked when no other batch with such a message can be committed any more.
   */
  readonly isSomethingLater: () => Promise<boolean>
  /** See `lockMessages`. */
  readonly mostMessageLocks: number
}

/**
 * Finds the trace of every transaction of the batches and writes it into their rows; stored pieces of these
 * traces are removed from the tables or joined. Until the caller's transaction ends, other batches with one
 * of the open messages, or with one of these traces, wait for it: two batches with the two ends of a message
 * would otherwise not see each other.
 */
export async function resolveTraces(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  { isSomethingLater, mostMessageLocks }: ResolveOptions,
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
  await lockMessages(client, [...inner.received, ...inner.sent], mostMessageLocks)
  const taken = (await isSomethingLater()) ? await takeReceivedMessages(client, inner.sent) : []
  const { links, senders, stored } = await takeStored(client, {
    links: inner.links,
    received: inner.received,
    taken,
    pieces: pieces.flat(),
  })
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

interface Open {
  /** Between pieces of the batches. */
  readonly links: readonly Link[]
  /** Messages whose senders are not in the batches. */
  readonly received: readonly OpenMessage[]
  /** Messages whose receivers were stored. */
  readonly taken: readonly OpenMessage[]
  readonly pieces: readonly TraceRow[]
}

interface Stored {
  readonly links: readonly Link[]
  /** By index in `received`. */
  readonly senders: readonly (Buffer | undefined)[]
  /** Removed from the table. */
  readonly stored: readonly TraceRow[]
}

/** Times that a trace may move to another one while it is looked up; each time a batch was committed. */
const MOVES = 100

/**
 * Removes the stored traces to which the open messages lead, and all links. Another batch that has locked a
 * trace may join it to another one: then its transactions have a new trace id once that batch is committed,
 * and are looked up again.
 */
async function takeStored(
  client: pg.ClientBase,
  { links: inner, received, taken, pieces }: Open,
): Promise<Stored> {
  const own = new Set(pieces.map(({ traceId }) => traceId.toString('latin1')))
  const rows = new Map<string, TraceRow>()
  for (let move = 0; move < MOVES; move++) {
    const senders = await findSenders(client, received)
    const links = [
      ...inner,
      ...received.flatMap(({ piece }, index) =>
        senders[index] ? [{ sender: senders[index], receiver: piece }] : [],
      ),
      ...(await findReceivers(client, taken)),
    ]
    const ids = new Map(
      links.flatMap(({ sender, receiver }) => [sender, receiver].map((id) => [id.toString('latin1'), id])),
    )
    const missing = [...ids].filter(([key]) => !own.has(key) && !rows.has(key)).map(([, id]) => id)
    for (const row of await takeTraces(client, missing)) rows.set(row.traceId.toString('latin1'), row)
    if (missing.every((id) => rows.has(id.toString('latin1'))))
      return { links, senders, stored: [...rows.values()] }
  }
  throw new TracesMove()
}

/** Another attempt of the whole transaction will do better. */
class TracesMove extends Error {
  /** SQLSTATE serialization_failure. */
  readonly code = '40001'

  constructor() {
    super('other batches keep joining the traces of this one')
  }
}

/** Locks the rows in one order for all writers, then deletes them. Those that are gone are absent. */
async function takeTraces(client: pg.ClientBase, ids: readonly Buffer[]): Promise<TraceRow[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query(
    `with locked as materialized (
       select trace_id from traces where trace_id = any($1) order by trace_id for update)
     delete from traces where trace_id = any (array(select trace_id from locked)) returning *`,
    [ids],
  )
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

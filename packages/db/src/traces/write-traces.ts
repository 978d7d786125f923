import type { Lt } from '@shardwalk/model'
import { TABLES } from '@shardwalk/tables'
import type { NamedPiece, PieceLink } from '@shardwalk/traces'
import type pg from 'pg'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { type OpenMessage, readMessages, readPieces } from '../rows/open-traces.ts'
import { encodeAncestorRows, encodeTraceRows, isClassifiable } from '../rows/trace-rows.ts'
import { copyOf, runScript } from '../writing/copy.ts'
import { queryKept } from '../writing/kept-plans.ts'
import { lockMessages } from '../writing/locks.ts'
import { type JoinedTraces, joinTraces } from './join-traces.ts'
import { findReceivers, findSenders, keyOf, takeReceivedMessages } from './other-ends.ts'
import { moveAncestors, takeStoredTraces } from './stored-traces.ts'

/** Traces of a group of batches, joined with those stored, of which the rows that change are deleted. */
export interface ResolvedTraces extends JoinedTraces {
  /** By batch and index in `messagesReceived`: true when no indexed transaction sent the message. */
  readonly senderless: readonly boolean[][]
  /** The lt of these messages. */
  readonly orphanLts: readonly Lt[]
}

/** What joining with stored traces depends on. */
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
 * Joins the traces of the batches with each other and with those stored, whose rows are removed. Until the
 * caller's transaction ends, other batches with one of the open messages, or with one of these traces, wait
 * for it: two batches with the two ends of a message would otherwise not see each other.
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
  const senders = await findSenders(client, inner.received)
  const links = [
    ...inner.links,
    ...inner.received.flatMap(({ piece }, index) =>
      senders[index] === undefined ? [] : [{ sender: senders[index], receiver: piece }],
    ),
    ...(await findReceivers(client, taken)),
  ]
  const own = pieces.flat()
  const stored = await takeStoredTraces(client, links, new Set(own.map(({ piece }) => piece)))
  const senderless = new Set(inner.received.filter((_, index) => senders[index] === undefined))
  return {
    ...joinTraces([...stored.rows, ...own], links, stored.ancestors),
    senderless: open.map(({ received }) => received.map((message) => senderless.has(message))),
    orphanLts: [...senderless].map(({ lt }) => lt),
  }
}

/** Links of messages with both ends in the group, and the messages with one end in it. */
function joinWithin(sent: readonly OpenMessage[], received: readonly OpenMessage[]) {
  const senders = new Map(sent.map((message) => [keyOf(message.accountId, message.lt), message]))
  const links: PieceLink[] = []
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

/** Writes the rows of the traces and of their pieces. */
export async function writeTraces(
  client: pg.ClientBase,
  { traces, added, moved }: JoinedTraces,
  batches: readonly EncodedBatch[],
): Promise<void> {
  const complete = batches.map((batch) => batch.traces.complete)
  await moveAncestors(client, moved)
  await runScript(client, [
    copyOf(TABLES.traces, [...complete, encodeTraceRows(traces)]),
    copyOf(TABLES.trace_pieces, [encodeAncestorRows(added)]),
  ])
  await queueForClassifier(client, traces.filter(isClassifiable), batches)
}

async function queueForClassifier(
  client: pg.ClientBase,
  traces: readonly NamedPiece[],
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
  await queryKept(
    client,
    `insert into unclassified_traces (trace_id, end_lt) select * from unnest($1::bytea[], $2::bigint[])
     on conflict (trace_id) do nothing`,
    [ids, endLts],
  )
}

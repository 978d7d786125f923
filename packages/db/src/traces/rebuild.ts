import { MESSAGE_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import {
  assemble,
  type ExternalIn,
  type NamedPiece,
  type PieceId,
  type PieceLink,
  type TraceInput,
} from '@shardwalk/traces'
import type pg from 'pg'
import { deleteActions, dequeueTraces } from '../actions/write-actions.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { lock } from '../writing/locks.ts'
import { joinTraces } from './join-traces.ts'
import { writeTraces } from './write-traces.ts'

/**
 * Rebuilds traces from the pieces that remain after some were removed, as if those had never been indexed.
 * Deletes the actions of these traces. The caller writes the missing blocks later in the same transaction.
 * `removed`: pieces whose transactions were deleted.
 */
export async function rebuildTraces(client: pg.ClientBase, removed: readonly PieceId[]): Promise<void> {
  if (removed.length === 0) return
  await lock(client, 'traces')
  const all = await takePieces(client, removed)
  const inputs = await readInputs(client, all)
  const { pieces, links } = assembleEach(inputs)
  await writeTraces(client, joinTraces(pieces, links, []), [])
}

/** Removes the traces of these pieces with everything derived from them. Returns all their pieces. */
async function takePieces(client: pg.ClientBase, some: readonly PieceId[]): Promise<PieceId[]> {
  const { rows: roots } = await client.query<{ piece: PieceId; trace_id: Buffer }>(
    `select piece, trace_id from traces
     where piece in (select root_of_piece(piece) from unnest($1::int8[]) piece)`,
    [some],
  )
  const { rows } = await client.query<{ piece: PieceId }>(
    'select p.piece from unnest($1::int8[]) root cross join lateral pieces_of_trace(root) p(piece)',
    [roots.map(({ piece }) => piece)],
  )
  const pieces = rows.map(({ piece }) => piece)
  const ids = roots.map((row) => row.trace_id)
  await dequeueTraces(client, ids)
  await client.query('delete from traces where piece = any($1::int8[])', [roots.map(({ piece }) => piece)])
  await client.query('delete from trace_pieces where piece = any($1::int8[])', [pieces])
  await deleteActions(client, ids)
  return pieces
}

/** By piece. */
type Inputs = ReadonlyMap<PieceId, readonly TraceInput[]>

/** The pieces, and the messages between them. */
function assembleEach(inputs: Inputs): {
  readonly pieces: readonly NamedPiece[]
  readonly links: readonly PieceLink[]
} {
  const rows: NamedPiece[] = []
  const senders = new Map<string, PieceId>()
  const receivers: { readonly key: string; readonly piece: PieceId }[] = []
  for (const [piece, transactions] of inputs) {
    const { pieces, received, sent } = assemble(transactions)
    rows.push(...pieces.map((row) => ({ ...row, piece })))
    for (const { message } of sent) senders.set(message.hash.toString('latin1'), piece)
    for (const { message } of received) receivers.push({ key: message.hash.toString('latin1'), piece })
  }
  const links = receivers.flatMap(({ key, piece }) => {
    const sender = senders.get(key)
    return sender === undefined ? [] : [{ sender, receiver: piece }]
  })
  return { pieces: rows, links }
}

async function readInputs(client: pg.ClientBase, pieces: readonly PieceId[]): Promise<Inputs> {
  const { rows } = await client.query(
    `select t.hash, t.lt, t.now, t.piece, t.mc_block_seqno, i.hash as in_hash, i.hash_norm as in_norm,
      i.kind as in_kind, i.flags as in_flags, i.account_id as in_account_id, i.opcode as in_opcode,
      i.body_hash8 as in_body_hash8, o.hashes as out_hashes, o.kinds as out_kinds
     from transactions t
     left join lateral (
       select m.* from messages m
       where m.account_id = coalesce(t.in_msg_account_id, t.account_id) and m.lt = t.in_msg_lt offset 0
     ) i on true
     left join lateral (
       select array_agg(m.hash order by m.lt) as hashes, array_agg(m.kind order by m.lt) as kinds
         from messages m
       where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + t.out_msg_count) o on true
     where t.piece = any($1::int8[])
       and t.lt between (
         select min(batch_start_lt) from blocks where ${ofMasterchain()} and seqno = any ($2::int[])
       ) and (select max(batch_end_lt) from blocks where ${ofMasterchain()} and seqno = any ($2::int[]))`,
    // A piece is named after its masterchain block, which leads to its partition.
    [pieces, [...new Set(pieces.map((piece) => Number(piece >> 32n)))]],
  )
  const inputs = new Map<PieceId, TraceInput[]>()
  for (const row of rows) {
    const input = {
      mcBlockSeqno: row.mc_block_seqno,
      transaction: transactionOf(row),
      externalIn: externalInOf(row),
    }
    const others = inputs.get(row.piece)
    if (others) others.push(input)
    else inputs.set(row.piece, [input])
  }
  return inputs
}

// biome-ignore lint/suspicious/noExplicitAny: a row of the query above
function externalInOf(row: any): ExternalIn | undefined {
  if (MESSAGE_KIND[row.in_kind] !== 'external_in') return undefined
  return {
    accountId: row.in_account_id,
    bodyHash8: row.in_body_hash8,
    opcode: row.in_opcode ?? undefined,
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

import { TABLES, TRACE_STATE } from '@shardwalk/tables'
import { type AncestorRow, Ancestors, type NamedPiece, type PieceId, type PieceLink } from '@shardwalk/traces'
import type pg from 'pg'
import { queryKept } from '../writing/kept-plans.ts'

/** Stored traces that a group of batches continues. */
export interface StoredTraces {
  /** Removed from the table. */
  readonly rows: readonly NamedPiece[]
  /** See `Ancestors`. */
  readonly ancestors: readonly AncestorRow[]
}

/** Times that a trace may be joined to another one while it is looked up; each time a batch was committed. */
const MOVES = 100

/**
 * Removes the rows of the stored traces that the links lead to. Until the caller's transaction ends, no other
 * can join these traces or change the rows of their pieces, because it would take their rows first. `own`:
 * pieces that are not stored yet.
 */
export async function takeStoredTraces(
  client: pg.ClientBase,
  links: readonly PieceLink[],
  own: ReadonlySet<PieceId>,
): Promise<StoredTraces> {
  const isStored = (piece: PieceId) => !own.has(piece)
  const ends = [...new Set(links.flatMap(({ sender, receiver }) => [sender, receiver]))].filter(isStored)
  const rows = new Map<PieceId, NamedPiece>()
  for (let move = 0; move < MOVES; move++) {
    const above = await readAncestors(client, ends)
    const forest = new Ancestors(above)
    const roots = [...new Set(ends.map((piece) => forest.rootOf(piece)))]
    const missing = roots.filter((root) => !rows.has(root))
    for (const row of await takeTraces(client, missing)) rows.set(row.piece, row)
    // Another batch may have joined a trace to an earlier one since its pieces were read.
    if (!missing.every((root) => rows.has(root))) continue
    const receivers = links.map(({ receiver }) => receiver).filter(isStored)
    return { rows: [...rows.values()], ancestors: [...above, ...(await readDescendants(client, receivers))] }
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

/** The way from each of the pieces to the beginning of its trace. Index: primary key. */
async function readAncestors(client: pg.ClientBase, pieces: readonly PieceId[]): Promise<AncestorRow[]> {
  if (pieces.length === 0) return []
  const { rows } = await queryKept<AncestorRow>(
    client,
    `with recursive up as (
       select p.piece, p.ancestor from trace_pieces p where p.piece = any($1::int8[])
       union select p.piece, p.ancestor from up join trace_pieces p on p.piece = up.ancestor
     ) select piece, ancestor from up`,
    [pieces],
  )
  return rows
}

/** Index: trace_pieces (ancestor). */
async function readDescendants(client: pg.ClientBase, pieces: readonly PieceId[]): Promise<AncestorRow[]> {
  if (pieces.length === 0) return []
  const { rows } = await queryKept<AncestorRow>(
    client,
    'select piece, ancestor from trace_pieces where ancestor = any($1::int8[])',
    [pieces],
  )
  return rows
}

/** Changes rows of pieces whose traces the caller has taken. */
export async function moveAncestors(client: pg.ClientBase, rows: readonly AncestorRow[]): Promise<void> {
  if (rows.length === 0) return
  await queryKept(
    client,
    `update trace_pieces p set ancestor = k.ancestor from unnest($1::int8[], $2::int8[]) k(piece, ancestor)
     where p.piece = k.piece`,
    [rows.map(({ piece }) => piece), rows.map(({ ancestor }) => ancestor)],
  )
}

const TAKE_TRACES = `with locked as materialized (
    select piece from traces where piece = any($1::int8[]) order by piece for update)
  delete from traces where piece = any (array(select piece from locked))
  returning ${TABLES.traces.copied.join(', ')}`

/** Locks the rows in one order for all writers, then deletes them. Those that are gone are absent. */
async function takeTraces(client: pg.ClientBase, pieces: readonly PieceId[]): Promise<NamedPiece[]> {
  if (pieces.length === 0) return []
  const { rows } = await queryKept(client, TAKE_TRACES, [pieces])
  return rows.map((row) => ({
    piece: row.piece,
    traceId: row.trace_id,
    ...(row.external_hash && { externalHash: row.external_hash }),
    ...(row.external_hash_norm && { externalHashNorm: row.external_hash_norm }),
    ...(row.external_account_id !== null && {
      externalIn: {
        accountId: row.external_account_id,
        bodyHash8: row.external_body_hash8,
        opcode: row.external_opcode ?? undefined,
      },
    }),
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

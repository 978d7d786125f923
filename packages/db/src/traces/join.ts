import type { Hash, PendingEdge, TraceRow } from '@shardwalk/traces'
import { greatest } from '../rows/lt.ts'

/** Pieces of traces and the messages that lead out of them. */
export interface Pieces {
  readonly traces: readonly TraceRow[]
  readonly edges: readonly PendingEdge[]
}

/** New pieces joined with stored ones: what takes the place of both. */
export interface Joined {
  readonly traces: readonly TraceRow[]
  /** Messages of which one end is known still. */
  readonly edges: readonly PendingEdge[]
  /** Stored traces that are part of another one now; `into` is never itself a `from`. */
  readonly merged: readonly { readonly from: TraceRow; readonly into: Hash }[]
  /** The trace that a piece, new or stored, belongs to in the end. */
  readonly traceOf: (piece: Hash) => Hash
}

/**
 * Joins new pieces of traces with those that stored messages lead to. A piece has at most one message whose sender is missing: its root's.
 * So pieces form trees, and the root of a tree names the trace. Counters are sums and bounds are maxima, so the order in which pieces
 * come does not matter. `stored`: the pending messages whose other end is among the new ones, and the rows of their traces.
 */
export function joinTraces(added: Pieces, stored: Pieces): Joined {
  const parents = new Map<string, string>()
  const sent = edgesByHash([...added.edges, ...stored.edges], 'out')
  const received = edgesByHash([...added.edges, ...stored.edges], 'in')
  const delivered = new Set<string>()
  for (const [message, edge] of received) {
    const sender = sent.get(message)
    if (!sender) continue
    delivered.add(message)
    parents.set(keyOf(edge.traceId), keyOf(sender.traceId))
  }
  const rows = new Map([...stored.traces, ...added.traces].map((row) => [keyOf(row.traceId), row]))
  const root = (key: string) => rootOf(parents, key)
  const joined = new Map<string, TraceRow>()
  for (const key of rows.keys()) {
    const row = joined.get(root(key))
    joined.set(root(key), row ? sum(row, rows.get(key)!) : startOf(rows.get(root(key))!, rows.get(key)!))
  }
  const traceOf = (piece: Hash): Hash => rows.get(root(keyOf(piece)))!.traceId
  return {
    traces: [...joined.values()].map(withState),
    edges: [...added.edges, ...stored.edges]
      .filter(({ messageHash }) => !delivered.has(keyOf(messageHash)))
      .map((edge) => ({ ...edge, traceId: traceOf(edge.traceId) })),
    merged: stored.traces
      .filter(({ traceId }) => parents.has(keyOf(traceId)))
      .map((from) => ({ from, into: traceOf(from.traceId) })),
    traceOf,
  }
}

const keyOf = (hash: Hash): string => hash.toString('latin1')

const edgesByHash = (edges: readonly PendingEdge[], end: PendingEdge['end']): Map<string, PendingEdge> =>
  new Map(edges.filter((edge) => edge.end === end).map((edge) => [keyOf(edge.messageHash), edge]))

function rootOf(parents: Map<string, string>, key: string): string {
  let root = key
  for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
  // Shorter way for the next one: chains of pieces are as long as traces are.
  if (root !== key) parents.set(key, root)
  return root
}

/** The row of the whole after its first piece: what the root says, and the piece's counters. */
function startOf(root: TraceRow, piece: TraceRow): TraceRow {
  const { mcSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges } = piece
  return { ...root, mcSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges }
}

/** One piece more: one message more is delivered, and both its ends were counted as pending. */
function sum(whole: TraceRow, piece: TraceRow): TraceRow {
  return {
    ...whole,
    mcSeqnoEnd: Math.max(whole.mcSeqnoEnd, piece.mcSeqnoEnd),
    endLt: greatest(whole.endLt, piece.endLt),
    endUtime: Math.max(whole.endUtime, piece.endUtime),
    nodes: whole.nodes + piece.nodes,
    edges: whole.edges + piece.edges + 1,
    pendingEdges: whole.pendingEdges + piece.pendingEdges - 2,
  }
}

/** Only the root's sender can be missing for good; everything else that is missing is still to come. */
const withState = (row: TraceRow): TraceRow =>
  row.state === 'broken' ? row : { ...row, state: row.pendingEdges > 0 ? 'pending' : 'complete' }

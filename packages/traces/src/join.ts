import type { Lt } from '@shardwalk/model'
import type { Hash, TraceRow } from './records.ts'

/** A message whose ends are in two pieces, identified by their roots. */
export interface Link {
  readonly sender: Hash
  readonly receiver: Hash
}

/** Replaces the joined pieces. */
export interface Joined<Row extends TraceRow> {
  readonly traces: readonly Row[]
  /** Root of the trace to which a piece now belongs. */
  readonly traceOf: (piece: Hash) => Hash
}

/**
 * Joins pieces of traces along messages. Only the root message of a piece can lack a sender, so pieces form
 * trees and the root of a tree identifies the trace. Counters are sums and bounds maxima, so the order of
 * pieces is irrelevant.
 */
export function joinPieces<Row extends TraceRow>(
  pieces: readonly Row[],
  links: readonly Link[],
): Joined<Row> {
  const rows = new Map(pieces.map((row) => [keyOf(row.traceId), row]))
  const parents = new Map(links.map(({ sender, receiver }) => [keyOf(receiver), keyOf(sender)]))
  const joined = new Map<string, Row>()
  for (const [key, row] of rows) {
    const root = rootOf(parents, key)
    const whole = joined.get(root)
    joined.set(root, whole ? sum(whole, row) : startOf(rows.get(root)!, row))
  }
  return {
    traces: [...joined.values()].map(withState),
    traceOf: (piece) => rows.get(rootOf(parents, keyOf(piece)))!.traceId,
  }
}

const keyOf = (hash: Hash): string => hash.toString('latin1')

function rootOf(parents: Map<string, string>, key: string): string {
  let root = key
  for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
  // Path compression: chains of pieces can be as long as traces.
  if (root !== key) parents.set(key, root)
  return root
}

/** Row of the whole after its first piece: the root's identity with the piece's counters. */
function startOf<Row extends TraceRow>(root: Row, piece: TraceRow): Row {
  const { mcBlockSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges } = piece
  return { ...root, mcBlockSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges }
}

/** Adds a piece. One more message is delivered, and both of its ends were counted as pending. */
function sum<Row extends TraceRow>(whole: Row, piece: TraceRow): Row {
  return {
    ...whole,
    mcBlockSeqnoEnd: Math.max(whole.mcBlockSeqnoEnd, piece.mcBlockSeqnoEnd),
    endLt: later(whole.endLt, piece.endLt),
    endUtime: Math.max(whole.endUtime, piece.endUtime),
    nodes: whole.nodes + piece.nodes,
    edges: whole.edges + piece.edges + 1,
    pendingEdges: whole.pendingEdges + piece.pendingEdges - 2,
  }
}

/** Math.max for logical times, which are bigint. */
function later(a: Lt, b: Lt): Lt {
  if (a > b) return a
  return b
}

/** Only the sender of a root may never appear; any other missing end is still to come. */
const withState = <Row extends TraceRow>(row: Row): Row =>
  row.state === 'broken' ? row : { ...row, state: row.pendingEdges > 0 ? 'pending' : 'complete' }

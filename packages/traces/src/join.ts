import type { Hash, TraceRow } from './records.ts'

/** A message whose ends lie in two pieces, named by their roots. */
export interface Link {
  readonly sender: Hash
  readonly receiver: Hash
}

/** What takes the place of the pieces. */
export interface Joined {
  readonly traces: readonly TraceRow[]
  /** The root of the trace that a piece belongs to in the end. */
  readonly traceOf: (piece: Hash) => Hash
}

/**
 * Joins pieces of traces over messages. A piece has at most one message whose sender is missing: its root's. So pieces form trees, and the
 * root of a tree names the trace. Counters are sums and bounds are maxima, so the order in which pieces come does not matter.
 */
export function joinPieces(pieces: readonly TraceRow[], links: readonly Link[]): Joined {
  const rows = new Map(pieces.map((row) => [keyOf(row.traceId), row]))
  const parents = new Map(links.map(({ sender, receiver }) => [keyOf(receiver), keyOf(sender)]))
  const joined = new Map<string, TraceRow>()
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
  // Shorter way for the next one: chains of pieces are as long as traces are.
  if (root !== key) parents.set(key, root)
  return root
}

/** The row of the whole after its first piece: what the root says, and the piece's counters. */
function startOf(root: TraceRow, piece: TraceRow): TraceRow {
  const { mcBlockSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges } = piece
  return { ...root, mcBlockSeqnoEnd, endLt, endUtime, nodes, edges, pendingEdges }
}

/** One piece more: one message more is delivered, and both its ends were counted as pending. */
function sum(whole: TraceRow, piece: TraceRow): TraceRow {
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

/** Math.max of logical times, which are bigint. */
function later(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

/** Only the root's sender can be missing for good; everything else that is missing is still to come. */
const withState = (row: TraceRow): TraceRow =>
  row.state === 'broken' ? row : { ...row, state: row.pendingEdges > 0 ? 'pending' : 'complete' }

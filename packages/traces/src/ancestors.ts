import { type PieceId, seqnoOfPiece } from './piece-id.ts'

/** Row of a piece that does not begin its trace. */
export interface AncestorRow {
  readonly piece: PieceId
  /** An earlier piece of the same trace. Following ancestors leads to the piece that begins the trace. */
  readonly ancestor: PieceId
}

/** A message between two pieces. */
export interface PieceLink {
  readonly sender: PieceId
  readonly receiver: PieceId
}

/** Masterchain blocks are grouped by 8, 64, 512... consecutive ones. */
const GROUP_BITS = 3

/**
 * Leads from every piece to the beginning of its trace in few steps, and is joined with little work.
 *
 * Take the smallest group of masterchain blocks that contains a piece and the sender of its message. The
 * ancestor is the earliest piece to which messages lead back inside that group. So each step leads to a
 * larger group, 9 at most for a trace over a year; and when a trace is continued backwards, a piece gets
 * another ancestor only if its own is the earliest indexed piece. The rows follow from the trace alone, not
 * from the order in which its pieces were joined.
 */
export class Ancestors {
  private readonly ancestors = new Map<PieceId, PieceId>()
  private readonly descendants = new Map<PieceId, Set<PieceId>>()
  private readonly changed = new Set<PieceId>()

  /**
   * `stored`: rows of the senders to be joined and of all their ancestors, and the rows that name one of the
   * receivers.
   */
  constructor(stored: Iterable<AncestorRow>) {
    for (const { piece, ancestor } of stored) this.set(piece, ancestor)
  }

  /** The piece that begins the trace, as far as it is known. */
  rootOf(piece: PieceId): PieceId {
    let root = piece
    for (let next = this.ancestors.get(root); next !== undefined; next = this.ancestors.get(root)) root = next
    return root
  }

  /** Joins the piece of a receiver, which begins a trace so far, to that of the sender. */
  join({ sender, receiver }: PieceLink): void {
    const level = levelOf(sender, receiver)
    const moving = [...(this.descendants.get(receiver) ?? [])]
      .map((piece) => ({ piece, level: levelOf(piece, receiver) }))
      .filter((one) => one.level >= level)
    for (const one of [{ piece: receiver, level }, ...moving]) {
      this.set(one.piece, this.earliest(sender, one.level))
      this.changed.add(one.piece)
    }
  }

  /** Rows to insert or to replace, by piece. */
  changes(): AncestorRow[] {
    const rows = [...this.changed].map((piece) => ({ piece, ancestor: this.ancestors.get(piece)! }))
    return rows.sort((a, b) => (a.piece < b.piece ? -1 : 1))
  }

  /** The earliest piece to which ancestors lead inside the group of a level around the piece. */
  private earliest(piece: PieceId, level: number): PieceId {
    let found = piece
    for (;;) {
      const next = this.ancestors.get(found)
      if (next === undefined || levelOf(next, piece) > level) return found
      found = next
    }
  }

  private set(piece: PieceId, ancestor: PieceId): void {
    const former = this.ancestors.get(piece)
    if (former !== undefined) this.descendants.get(former)!.delete(piece)
    this.ancestors.set(piece, ancestor)
    const descendants = this.descendants.get(ancestor)
    if (descendants) descendants.add(piece)
    else this.descendants.set(ancestor, new Set([piece]))
  }
}

/** Size of the smallest group with the masterchain blocks of both: 8 to the power of the result. */
function levelOf(a: PieceId, b: PieceId): number {
  return Math.ceil((32 - Math.clz32(seqnoOfPiece(a) ^ seqnoOfPiece(b))) / GROUP_BITS)
}

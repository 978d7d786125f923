import type { McBlockSeqno } from '@shardwalk/model'
import type { TraceRow } from './records.ts'

/**
 * Names a piece of a trace: the masterchain block (upper 31 of 63 bits) and the rank of the piece among those
 * that its blocks contain (lower 32). It follows from that masterchain block alone, so transactions carry it
 * for ever, whatever is indexed before or after them.
 */
export type PieceId = bigint

const RANK_BITS = 32n

/** The masterchain block that committed the piece. */
export const seqnoOfPiece = (piece: PieceId): McBlockSeqno => Number(piece >> RANK_BITS)

/** A piece with its name; of a trace, the name of the piece that begins it. */
export interface NamedPiece extends TraceRow {
  readonly piece: PieceId
}

/** Names all pieces of one masterchain block, ranked by lt, then hash of their roots. */
export function namePieces(pieces: readonly TraceRow[], mcBlockSeqno: McBlockSeqno): NamedPiece[] {
  const first = BigInt(mcBlockSeqno) << RANK_BITS
  const ranked = [...pieces.keys()].sort((a, b) => compareRoots(pieces[a]!, pieces[b]!))
  const ranks = new Map(ranked.map((index, rank) => [index, rank]))
  return pieces.map((piece, index) => ({ ...piece, piece: first | BigInt(ranks.get(index)!) }))
}

function compareRoots(a: TraceRow, b: TraceRow): number {
  if (a.startLt === b.startLt) return a.traceId.compare(b.traceId)
  return a.startLt < b.startLt ? -1 : 1
}

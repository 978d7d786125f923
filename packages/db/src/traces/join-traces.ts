import { type AncestorRow, Ancestors, joinPieces, type NamedPiece, type PieceLink } from '@shardwalk/traces'

/** Rows to be written for joined pieces. */
export interface JoinedTraces {
  /** Rows of the whole traces; they replace those of the pieces. */
  readonly traces: readonly NamedPiece[]
  /** Rows to insert into `trace_pieces`. */
  readonly added: readonly AncestorRow[]
  /** Rows of `trace_pieces` with another ancestor than the one stored. */
  readonly moved: readonly AncestorRow[]
}

/**
 * Joins traces along messages. `pieces`: rows of every trace that has an end of one. `stored`: what
 * `Ancestors` needs of the pieces that are stored.
 */
export function joinTraces(
  pieces: readonly NamedPiece[],
  links: readonly PieceLink[],
  stored: readonly AncestorRow[],
): JoinedTraces {
  const forest = new Ancestors(stored)
  const ids = new Map(pieces.map(({ piece, traceId }) => [piece, traceId]))
  const between = links.map(({ sender, receiver }) => ({
    sender: ids.get(forest.rootOf(sender))!,
    receiver: ids.get(receiver)!,
  }))
  for (const link of links) forest.join(link)
  const known = new Set(stored.map(({ piece }) => piece))
  const changes = forest.changes()
  return {
    traces: joinPieces(pieces, between).traces,
    added: changes.filter(({ piece }) => !known.has(piece)),
    moved: changes.filter(({ piece }) => known.has(piece)),
  }
}

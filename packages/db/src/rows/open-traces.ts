import type { AccountId, Lt } from '@shardwalk/model'
import { TRACE_STATE } from '@shardwalk/tables'
import type { NamedPiece, PieceId } from '@shardwalk/traces'

/**
 * Pieces of traces of a batch that other batches may change, and the messages that connect them. Stored in
 * flat arrays, so that moving them between threads is cheap.
 */
export interface OpenTraces {
  /** Three hashes of 32 bytes per piece: its id, hash of the root's message, normalised hash. */
  readonly hashes: Uint8Array<ArrayBuffer>
  /** `LONGS` per piece. */
  readonly longs: BigInt64Array<ArrayBuffer>
  /** `NUMBERS` per piece. */
  readonly numbers: Int32Array<ArrayBuffer>
  /** Messages received here and sent elsewhere, in the order of the rows `messagesReceived`. */
  readonly received: OpenMessages
  /** Messages sent here and not received here. */
  readonly sent: OpenMessages
}

/** Messages with one end in the batch, as columns. */
export interface OpenMessages {
  /** Per message: its key in the table, sender and lt. */
  readonly keys: BigInt64Array<ArrayBuffer>
  /** Per message: index of the piece that contains this end. */
  readonly pieces: Uint32Array<ArrayBuffer>
}

/** An open message and its piece. */
export interface OpenMessage {
  readonly accountId: AccountId
  readonly lt: Lt
  readonly piece: PieceId
}

const NUMBERS = 9
const LONGS = 5
const HASH = 32
const HAS_EXTERNAL = 4
const HAS_NORM = 8
const IS_EXTERNAL_IN = 16
const HAS_OPCODE = 32

/** The columns of `OpenTraces` for pieces; `readPieces` reads them. */
export function packPieces(pieces: readonly NamedPiece[]): Pick<OpenTraces, 'hashes' | 'longs' | 'numbers'> {
  const hashes = new Uint8Array(pieces.length * 3 * HASH)
  const longs = new BigInt64Array(pieces.length * LONGS)
  const numbers = new Int32Array(pieces.length * NUMBERS)
  for (const [index, piece] of pieces.entries()) {
    hashes.set(piece.traceId, index * 3 * HASH)
    if (piece.externalHash) hashes.set(piece.externalHash, (index * 3 + 1) * HASH)
    if (piece.externalHashNorm) hashes.set(piece.externalHashNorm, (index * 3 + 2) * HASH)
    longs.set(longsOf(piece), index * LONGS)
    numbers.set(numbersOf(piece), index * NUMBERS)
  }
  return { hashes, longs, numbers }
}

const longsOf = ({ piece, startLt, endLt, externalIn }: NamedPiece): bigint[] => [
  piece,
  startLt,
  endLt,
  externalIn?.accountId ?? 0n,
  externalIn?.bodyHash8 ?? 0n,
]

const numbersOf = (piece: NamedPiece): number[] => [
  TRACE_STATE.indexOf(piece.state) |
    (piece.externalHash ? HAS_EXTERNAL : 0) |
    (piece.externalHashNorm ? HAS_NORM : 0) |
    (piece.externalIn ? IS_EXTERNAL_IN : 0) |
    (piece.externalIn?.opcode === undefined ? 0 : HAS_OPCODE),
  piece.mcBlockSeqnoStart,
  piece.mcBlockSeqnoEnd,
  piece.startUtime,
  piece.endUtime,
  piece.nodes,
  piece.edges,
  piece.pendingEdges,
  piece.externalIn?.opcode ?? 0,
]

/** The pieces in the order used by messages. */
export function readPieces({ hashes, longs, numbers }: OpenTraces): NamedPiece[] {
  return Array.from({ length: numbers.length / NUMBERS }, (_, index) => {
    const hash = (which: number) => hashAt(hashes, index * 3 + which)
    const number = (which: number) => numbers[index * NUMBERS + which]!
    const long = (which: number) => longs[index * LONGS + which]!
    return {
      piece: long(0),
      traceId: hash(0),
      ...((number(0) & HAS_EXTERNAL) !== 0 && { externalHash: hash(1) }),
      ...((number(0) & HAS_NORM) !== 0 && { externalHashNorm: hash(2) }),
      ...((number(0) & IS_EXTERNAL_IN) !== 0 && {
        externalIn: {
          accountId: long(3),
          bodyHash8: long(4),
          opcode: (number(0) & HAS_OPCODE) !== 0 ? number(8) : undefined,
        },
      }),
      state: TRACE_STATE[number(0) & 3]!,
      mcBlockSeqnoStart: number(1),
      mcBlockSeqnoEnd: number(2),
      startLt: long(1),
      startUtime: number(3),
      endLt: long(2),
      endUtime: number(4),
      nodes: number(5),
      edges: number(6),
      pendingEdges: number(7),
    }
  })
}

/** `rows`: the pieces of the same batch, by which messages name theirs. */
export const readMessages = ({ keys, pieces }: OpenMessages, rows: readonly NamedPiece[]): OpenMessage[] =>
  Array.from(pieces, (piece, index) => ({
    accountId: keys[index * 2]!,
    lt: keys[index * 2 + 1]!,
    piece: rows[piece]!.piece,
  }))

const hashAt = (bytes: Uint8Array<ArrayBuffer>, index: number): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset + index * HASH, HASH)

import type { AccountId, Lt } from '@shardwalk/model'
import { TRACE_STATE } from '@shardwalk/tables'
import type { Hash, TraceRow } from '@shardwalk/traces'

/**
 * Pieces of traces of a batch that other batches may change, and the messages that connect them. Stored in
 * flat arrays, so that moving them between threads is cheap.
 */
export interface OpenTraces {
  /** Three hashes of 32 bytes per piece: its id, hash of the root's message, normalised hash. */
  readonly hashes: Uint8Array<ArrayBuffer>
  /** Per piece: `startLt`, `endLt`. */
  readonly lts: BigInt64Array<ArrayBuffer>
  /** `NUMBERS` per piece. */
  readonly numbers: Int32Array<ArrayBuffer>
  /** Messages received here and sent elsewhere, in the order of the rows `messagesReceived`. */
  readonly received: OpenMessages
  /** Messages sent here and not received here. */
  readonly sent: OpenMessages
  /** Per transaction: offset of its trace id in the bytes of the transaction rows, index of the piece. */
  readonly slots: Uint32Array<ArrayBuffer>
}

export interface OpenMessages {
  /** Per message: its key in the table, sender and lt. */
  readonly keys: BigInt64Array<ArrayBuffer>
  /** Per message: index of the piece that contains this end. */
  readonly pieces: Uint32Array<ArrayBuffer>
}

/** An open message and the root of its piece. */
export interface OpenMessage {
  readonly accountId: AccountId
  readonly lt: Lt
  readonly piece: Hash
}

const NUMBERS = 8
const HASH = 32
const HAS_EXTERNAL = 4
const HAS_NORM = 8

export function packPieces(pieces: readonly TraceRow[]): Pick<OpenTraces, 'hashes' | 'lts' | 'numbers'> {
  const hashes = new Uint8Array(pieces.length * 3 * HASH)
  const lts = new BigInt64Array(pieces.length * 2)
  const numbers = new Int32Array(pieces.length * NUMBERS)
  for (const [index, piece] of pieces.entries()) {
    hashes.set(piece.traceId, index * 3 * HASH)
    if (piece.externalHash) hashes.set(piece.externalHash, (index * 3 + 1) * HASH)
    if (piece.externalHashNorm) hashes.set(piece.externalHashNorm, (index * 3 + 2) * HASH)
    lts[index * 2] = piece.startLt
    lts[index * 2 + 1] = piece.endLt
    numbers.set(numbersOf(piece), index * NUMBERS)
  }
  return { hashes, lts, numbers }
}

const numbersOf = (piece: TraceRow): number[] => [
  TRACE_STATE.indexOf(piece.state) |
    (piece.externalHash ? HAS_EXTERNAL : 0) |
    (piece.externalHashNorm ? HAS_NORM : 0),
  piece.mcBlockSeqnoStart,
  piece.mcBlockSeqnoEnd,
  piece.startUtime,
  piece.endUtime,
  piece.nodes,
  piece.edges,
  piece.pendingEdges,
]

/** The pieces in the order used by slots and messages. */
export function readPieces({ hashes, lts, numbers }: OpenTraces): TraceRow[] {
  return Array.from({ length: numbers.length / NUMBERS }, (_, index) => {
    const hash = (which: number) => hashAt(hashes, index * 3 + which)
    const number = (which: number) => numbers[index * NUMBERS + which]!
    return {
      traceId: hash(0),
      ...((number(0) & HAS_EXTERNAL) !== 0 && { externalHash: hash(1) }),
      ...((number(0) & HAS_NORM) !== 0 && { externalHashNorm: hash(2) }),
      state: TRACE_STATE[number(0) & 3]!,
      mcBlockSeqnoStart: number(1),
      mcBlockSeqnoEnd: number(2),
      startLt: lts[index * 2]!,
      startUtime: number(3),
      endLt: lts[index * 2 + 1]!,
      endUtime: number(4),
      nodes: number(5),
      edges: number(6),
      pendingEdges: number(7),
    }
  })
}

export const readMessages = ({ keys, pieces }: OpenMessages, rows: readonly TraceRow[]): OpenMessage[] =>
  Array.from(pieces, (piece, index) => ({
    accountId: keys[index * 2]!,
    lt: keys[index * 2 + 1]!,
    piece: rows[piece]!.traceId,
  }))

/**
 * Writes trace ids into the rows. `ids`: by the index used in slots. May be repeated: each call writes every
 * slot.
 */
export function fillSlots(rows: Uint8Array, { slots }: OpenTraces, ids: readonly Uint8Array[]): void {
  for (let at = 0; at < slots.length; at += 2) rows.set(ids[slots[at + 1]!]!, slots[at]!)
}

const hashAt = (bytes: Uint8Array<ArrayBuffer>, index: number): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset + index * HASH, HASH)

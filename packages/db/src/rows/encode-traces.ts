import type { AccountId, Batch, DecodedMessage, DecodedTransaction, RawAddress } from '@shardwalk/model'
import {
  type Assembly,
  assemble,
  type ExternalIn,
  type NamedPiece,
  namePieces,
  type PieceId,
} from '@shardwalk/traces'
import type { EncodedRows } from './encoded-rows.ts'
import { type OpenMessages, type OpenTraces, packPieces } from './open-traces.ts'
import { encodeTraceRows, isClassifiable } from './trace-rows.ts'

/** The traces of a batch as far as they follow from the batch alone. */
export interface EncodedTraces {
  /** Rows of traces that begin and end in the batch, which no other batch can change. */
  readonly complete: EncodedRows
  /** Ids (32 bytes each) and end lt of the traces to be classified. */
  readonly classifiable: {
    readonly ids: Uint8Array<ArrayBuffer>
    readonly endLts: BigInt64Array<ArrayBuffer>
  }
  /** Pieces of traces that other batches continue, or begin. */
  readonly open: OpenTraces
}

const noMessages = (): OpenMessages => ({ keys: new BigInt64Array(0), pieces: new Uint32Array(0) })

/** For batches without transactions. */
export const noTraces = (): EncodedTraces => ({
  complete: { rows: 0, bytes: new Uint8Array(0) },
  classifiable: { ids: new Uint8Array(0), endLts: new BigInt64Array(0) },
  open: { ...packPieces([]), received: noMessages(), sent: noMessages() },
})

/** Marks a piece that is a complete trace. */
const WHOLE = -1

/** Joins the transactions of one batch; what lies outside is joined when the batch is written. */
export class TraceEncoder {
  private readonly assembly: Assembly
  private readonly pieces: readonly NamedPiece[]
  /** By piece: its index among the open ones, or `WHOLE`. */
  private readonly openIndex: Int32Array
  private readonly open: NamedPiece[] = []
  private readonly openMessages: ReadonlySet<DecodedMessage>

  /** Transactions are counted in the order of the batch: shard blocks, then the masterchain block. */
  constructor(
    { masterchain, shards }: Batch,
    private readonly idOf: (address: RawAddress) => AccountId,
  ) {
    const mcBlockSeqno = masterchain.id.seqno
    const inputs = [...shards, masterchain].flatMap(({ transactions }) =>
      transactions.map((transaction) => ({
        transaction,
        mcBlockSeqno,
        externalIn: externalInOf(transaction, idOf),
      })),
    )
    this.assembly = assemble(inputs)
    const { pieces, received, sent } = this.assembly
    this.pieces = namePieces(pieces, mcBlockSeqno)
    this.openIndex = Int32Array.from(this.pieces, (piece) =>
      piece.pendingEdges === 0 ? WHOLE : this.open.push(piece) - 1,
    )
    this.openMessages = new Set([...received, ...sent].map(({ message }) => message))
  }

  /** True for an internal message whose other end is not in the batch. */
  isOpen(message: DecodedMessage): boolean {
    return this.openMessages.has(message)
  }

  /** The piece of the nth transaction of the batch. */
  pieceOf(transaction: number): PieceId {
    return this.pieces[this.assembly.pieceOf[transaction]!]!.piece
  }

  finish(): EncodedTraces {
    const { received, sent } = this.assembly
    const complete = this.pieces.filter(({ pendingEdges }) => pendingEdges === 0)
    const classifiable = complete.filter(isClassifiable)
    return {
      complete: encodeTraceRows(complete),
      classifiable: {
        ids: new Uint8Array(Buffer.concat(classifiable.map(({ traceId }) => traceId))),
        endLts: BigInt64Array.from(classifiable, ({ endLt }) => endLt),
      },
      open: {
        ...packPieces(this.open),
        received: this.packMessages(received),
        sent: this.packMessages(sent),
      },
    }
  }

  private packMessages(messages: Assembly['sent']): OpenMessages {
    const keys = new BigInt64Array(messages.length * 2)
    for (const [index, { message }] of messages.entries()) {
      keys[index * 2] = this.idOf(message.source!)
      keys[index * 2 + 1] = message.createdLt!
    }
    return { keys, pieces: Uint32Array.from(messages, ({ piece }) => this.openIndex[piece]!) }
  }
}

function externalInOf(
  { account, inMsg }: DecodedTransaction,
  idOf: (address: RawAddress) => AccountId,
): ExternalIn | undefined {
  if (inMsg?.kind !== 'external_in') return undefined
  return { accountId: idOf(account), bodyHash8: inMsg.bodyHash.readBigInt64BE(0), opcode: inMsg.opcode }
}

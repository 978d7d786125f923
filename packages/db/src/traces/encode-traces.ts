import type { Batch } from '@shardwalk/model'
import { assemble, type Hash, type TraceRow } from '@shardwalk/traces'
import type { EncodedRows } from '../rows/encode-batch.ts'
import { type OpenTraces, packOpenTraces, type Slot } from './open-traces.ts'
import { encodeTraceRows, isClassifiable } from './trace-rows.ts'

/** The traces of one batch, as far as the batch alone tells. */
export interface EncodedTraces {
  /** Rows of traces that begin and end in the batch: no other batch can change them. */
  readonly complete: EncodedRows
  /** Ids (32 bytes each) and end lt of those that have something to classify. */
  readonly classifiable: { readonly ids: Uint8Array<ArrayBuffer>; readonly endLts: BigInt64Array<ArrayBuffer> }
  readonly open: OpenTraces
}

/** For batches without transactions. */
export const noTraces = (): EncodedTraces => ({
  complete: { rows: 0, bytes: new Uint8Array(0) },
  classifiable: { ids: new Uint8Array(0), endLts: new BigInt64Array(0) },
  open: packOpenTraces([], [], []),
})

export const traceTransferables = ({ complete, classifiable, open }: EncodedTraces): ArrayBuffer[] => [
  complete.bytes.buffer,
  classifiable.ids.buffer,
  classifiable.endLts.buffer,
  ...Object.values(open).map((list) => list.buffer as ArrayBuffer),
]

/** Joins the transactions of one batch; what lies outside is joined when the batch is written. */
export class TraceEncoder {
  readonly #assembly: ReturnType<typeof assemble>
  readonly #openIndex = new Map<string, number>()
  readonly #open: TraceRow[] = []
  readonly #slots: Slot[] = []

  constructor({ masterchain, shards }: Batch) {
    const mcSeqno = masterchain.id.seqno
    const inputs = [...shards, masterchain].flatMap(({ transactions }) =>
      transactions.map((transaction) => ({ transaction, mcSeqno })),
    )
    this.#assembly = assemble(inputs, { edges: [], traces: [] })
    for (const row of this.#assembly.traceRows) {
      if (row.pendingEdges === 0) continue
      this.#openIndex.set(row.traceId.toString('latin1'), this.#open.length)
      this.#open.push(row)
    }
  }

  /** Trace of a transaction of the batch: final, or of its piece of an open trace. */
  traceIdOf(transaction: Hash): Hash {
    return this.#assembly.traceIdByTransaction.get(transaction.toString('latin1'))!
  }

  /** To be told where the id of a transaction's trace was written. */
  noteSlot(traceId: Hash, position: number): void {
    const trace = this.#openIndex.get(traceId.toString('latin1'))
    if (trace !== undefined) this.#slots.push({ position, trace })
  }

  finish(): EncodedTraces {
    const { traceRows, newEdges } = this.#assembly
    const complete = traceRows.filter(({ pendingEdges }) => pendingEdges === 0)
    const classifiable = complete.filter(isClassifiable)
    const edges = newEdges.map((edge) => ({ ...edge, trace: this.#openIndex.get(edge.traceId.toString('latin1'))! }))
    return {
      complete: encodeTraceRows(complete),
      classifiable: {
        ids: new Uint8Array(Buffer.concat(classifiable.map(({ traceId }) => traceId))),
        endLts: BigInt64Array.from(classifiable, ({ endLt }) => endLt),
      },
      open: packOpenTraces(this.#open, edges, this.#slots),
    }
  }
}

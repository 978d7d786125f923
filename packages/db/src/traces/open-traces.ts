import type { PendingEdge, TraceRow } from '@shardwalk/traces'
import { EDGE_END, TRACE_STATE } from '../tables/traces.ts'

/** The traces of a batch that other batches may change. Column by column in flat memory: cheap to move between threads. */
export interface OpenTraces {
  /** Three of 32 bytes per trace: its id, hash of the root's message, normalised hash. */
  readonly hashes: Uint8Array<ArrayBuffer>
  /** `NUMBERS` per trace. */
  readonly numbers: BigInt64Array<ArrayBuffer>
  /** 32 bytes per message of which one end is in the batch. */
  readonly edgeHashes: Uint8Array<ArrayBuffer>
  /** Per message: index of the trace, of the end that is known, lt there. */
  readonly edges: BigInt64Array<ArrayBuffer>
  /** Per transaction: position of its trace id in the bytes of the transaction rows, index of the trace. */
  readonly slots: Uint32Array<ArrayBuffer>
}

/** A transaction row whose trace id is only known when the batch is written. */
export interface Slot {
  readonly position: number
  readonly trace: number
}

const NUMBERS = 10
const EDGE_NUMBERS = 3
const HASH = 32
const HAS_EXTERNAL = 4n
const HAS_NORM = 8n

export function packOpenTraces(
  traces: readonly TraceRow[],
  edges: readonly (PendingEdge & { readonly trace: number })[],
  slots: readonly Slot[],
): OpenTraces {
  const hashes = new Uint8Array(traces.length * 3 * HASH)
  for (const [index, trace] of traces.entries()) {
    hashes.set(trace.traceId, index * 3 * HASH)
    if (trace.externalHash) hashes.set(trace.externalHash, (index * 3 + 1) * HASH)
    if (trace.externalHashNorm) hashes.set(trace.externalHashNorm, (index * 3 + 2) * HASH)
  }
  const edgeHashes = new Uint8Array(edges.length * HASH)
  for (const [index, edge] of edges.entries()) edgeHashes.set(edge.messageHash, index * HASH)
  return {
    hashes,
    numbers: BigInt64Array.from(traces.flatMap(numbersOf)),
    edgeHashes,
    edges: BigInt64Array.from(
      edges.flatMap((edge) => [BigInt(edge.trace), BigInt(EDGE_END.indexOf(edge.end)), edge.lt]),
    ),
    slots: Uint32Array.from(slots.flatMap(({ position, trace }) => [position, trace])),
  }
}

function numbersOf(trace: TraceRow): bigint[] {
  const flags =
    BigInt(TRACE_STATE.indexOf(trace.state)) |
    (trace.externalHash ? HAS_EXTERNAL : 0n) |
    (trace.externalHashNorm ? HAS_NORM : 0n)
  const { mcSeqnoStart, mcSeqnoEnd, startUtime, endUtime, nodes, edges, pendingEdges } = trace
  const small = [mcSeqnoStart, mcSeqnoEnd, startUtime, endUtime, nodes, edges, pendingEdges].map(BigInt)
  return [flags, trace.startLt, trace.endLt, ...small]
}

/** The traces in the order in which slots and edges name them. */
export function readTraces({ hashes, numbers }: OpenTraces): TraceRow[] {
  return Array.from({ length: numbers.length / NUMBERS }, (_, index) => {
    const hash = (which: number) => hashAt(hashes, index * 3 + which)
    const [flags, startLt, endLt] = numbers.subarray(index * NUMBERS, index * NUMBERS + 3) as unknown as [
      bigint,
      bigint,
      bigint,
    ]
    const small = [...numbers.subarray(index * NUMBERS + 3, (index + 1) * NUMBERS)].map(Number)
    const [mcSeqnoStart, mcSeqnoEnd, startUtime, endUtime, nodes, edges, pendingEdges] = small as SmallNumbers
    return {
      traceId: hash(0),
      ...((flags & HAS_EXTERNAL) !== 0n && { externalHash: hash(1) }),
      ...((flags & HAS_NORM) !== 0n && { externalHashNorm: hash(2) }),
      state: TRACE_STATE[Number(flags & 3n)]!,
      ...{ mcSeqnoStart, mcSeqnoEnd, startLt, startUtime, endLt, endUtime, nodes, edges, pendingEdges },
    }
  })
}

type SmallNumbers = [number, number, number, number, number, number, number]

export function readEdges({ edgeHashes, edges }: OpenTraces, traces: readonly TraceRow[]): PendingEdge[] {
  return Array.from({ length: edges.length / EDGE_NUMBERS }, (_, index) => ({
    messageHash: hashAt(edgeHashes, index),
    traceId: traces[Number(edges[index * EDGE_NUMBERS])]!.traceId,
    end: EDGE_END[Number(edges[index * EDGE_NUMBERS + 1])]!,
    lt: edges[index * EDGE_NUMBERS + 2]!,
  }))
}

/** Writes the trace ids into the rows. `ids`: by the index that slots name. May be repeated: each call writes every slot. */
export function fillSlots(rows: Uint8Array, { slots }: OpenTraces, ids: readonly Uint8Array[]): void {
  for (let at = 0; at < slots.length; at += 2) rows.set(ids[slots[at + 1]!]!, slots[at]!)
}

const hashAt = (bytes: Uint8Array<ArrayBuffer>, index: number): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset + index * HASH, HASH)

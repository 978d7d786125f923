import type { DecodedMessage } from '@shardwalk/model'
import { Fragments, keyOf } from './fragments.ts'
import type { Assembly, Hash, KnownTraces, PendingEdge, TraceInput } from './records.ts'

/** A pending edge names a trace whose row was not given: the store and this batch do not fit together. */
export class UnknownTrace extends Error {}

/**
 * Messages that start a trace because no transaction sent them: external, or minted and recovered money. The masterchain zero address as
 * sender is no sign of it: a contract may live there, and what that sends has a transaction behind it.
 */
const isRootMessage = (message: DecodedMessage): boolean => message.kind === 'external_in' || message.isSystem === true

/** Delivered messages between accounts; everything else an outgoing message can be is a log. */
const isDelivered = (message: DecodedMessage): boolean => message.kind === 'internal'

/**
 * Hashes of the messages whose other end lies outside the batch: the store's pending edges with these hashes, and the rows
 * of their traces, are what `assemble` needs to know.
 */
export function messagesOf(batch: readonly TraceInput[]): Hash[] {
  const wanted = new Map<string, Hash>()
  const toggle = (hash: Hash): void => {
    const key = keyOf(hash)
    if (!wanted.delete(key)) wanted.set(key, hash)
  }
  for (const { transaction } of batch) {
    if (transaction.inMsg && !isRootMessage(transaction.inMsg)) toggle(transaction.inMsg.hash)
    for (const message of transaction.outMsgs) if (isDelivered(message)) toggle(message.hash)
  }
  return [...wanted.values()]
}

/**
 * Joins the transactions of a batch with each other and with what is stored. Batches may come in any order: a transaction
 * whose sender is not known starts a broken trace, which becomes part of the sender's when that arrives; the rows in the end
 * are the same for every order. Pure: nothing is kept between calls. Source: transactions of a trace are those connected by
 * internal messages, the root is the one that no transaction caused.
 */
export function assemble(batch: readonly TraceInput[], known: KnownTraces): Assembly {
  return new Assembler(known).run(batch)
}

class Assembler {
  readonly #fragments: Fragments
  readonly #stored: ReadonlySet<string>
  /** Ends known to the store, then those of this batch, by message. */
  readonly #edges = new Map<string, PendingEdge>()
  readonly #storedEdges: ReadonlySet<string>
  readonly #consumed: Hash[] = []
  readonly #traceOf = new Map<string, string>()

  constructor({ edges, traces }: KnownTraces) {
    this.#fragments = new Fragments(traces)
    this.#stored = new Set(traces.map(({ traceId }) => keyOf(traceId)))
    for (const edge of edges) this.#edges.set(keyOf(edge.messageHash), edge)
    this.#storedEdges = new Set(this.#edges.keys())
    for (const { traceId } of edges)
      if (!this.#fragments.has(keyOf(traceId))) throw new UnknownTrace(`no row of trace ${traceId.toString('hex')}`)
  }

  /** By lt a sender comes before its receiver, so that orphans arise only where a batch boundary makes them. */
  run(batch: readonly TraceInput[]): Assembly {
    const ordered = [...batch].sort((a, b) =>
      a.transaction.lt < b.transaction.lt ? -1 : a.transaction.lt > b.transaction.lt ? 1 : 0,
    )
    for (const input of ordered) this.#add(input)
    const newEdges = [...this.#edges]
      .filter(([key]) => !this.#storedEdges.has(key))
      .map(([, edge]) => ({ ...edge, traceId: this.#fragments.idOf(keyOf(edge.traceId)) }))
    return {
      consumedEdges: this.#consumed,
      mergedTraces: this.#fragments.merged((id) => this.#stored.has(id)),
      newEdges,
      traceRows: this.#fragments.rows(),
      traceIdByTransaction: new Map([...this.#traceOf].map(([key, id]) => [key, this.#fragments.idOf(id)])),
    }
  }

  #add(input: TraceInput): void {
    const id = this.#place(input)
    this.#traceOf.set(keyOf(input.transaction.hash), id)
    let [logs, pending] = [0, 0]
    for (const message of input.transaction.outMsgs) {
      if (!isDelivered(message)) logs++
      else if (!this.#deliver(message, id, input.transaction.lt)) pending++
    }
    if (logs + pending > 0) this.#fragments.count(id, { logs, pending })
  }

  /** The trace that the transaction continues or starts. */
  #place(input: TraceInput): string {
    const { inMsg, hash, lt } = input.transaction
    if (!inMsg) return this.#fragments.start(input, { edges: 0, orphan: false })
    if (isRootMessage(inMsg)) return this.#fragments.start(input, { edges: 1, orphan: false })
    const edge = this.#edges.get(keyOf(inMsg.hash))
    if (edge?.end === 'out') {
      this.#consume(edge)
      const id = keyOf(edge.traceId)
      this.#fragments.extend(id, input, true)
      return id
    }
    this.#edges.set(keyOf(inMsg.hash), { messageHash: inMsg.hash, end: 'in', traceId: hash, lt })
    return this.#fragments.start(input, { edges: 0, orphan: true })
  }

  /** True when the receiver came earlier and is part of the trace from now on. */
  #deliver(message: DecodedMessage, id: string, lt: bigint): boolean {
    const edge = this.#edges.get(keyOf(message.hash))
    if (edge?.end === 'in') {
      this.#consume(edge)
      this.#fragments.attach(keyOf(edge.traceId), id)
      return true
    }
    const traceId = this.#fragments.idOf(id)
    this.#edges.set(keyOf(message.hash), { messageHash: message.hash, end: 'out', traceId, lt })
    return false
  }

  #consume(edge: PendingEdge): void {
    const key = keyOf(edge.messageHash)
    this.#edges.delete(key)
    if (this.#storedEdges.has(key)) this.#consumed.push(edge.messageHash)
  }
}

import { type Assembly, assemble, joinPieces, type TraceInput, type TraceRow } from '../src/index.ts'
import type { Link } from '../src/join.ts'

const keyOf = (hash: Buffer): string => hash.toString('hex')

/** An in-memory substitute for the trace tables. */
export class MemoryStore {
  readonly traces = new Map<string, TraceRow>()
  /** Trace id by transaction. */
  readonly traceOf = new Map<string, string>()
  /** Transactions by the messages they sent and received. */
  private readonly senders = new Map<string, string>()
  private readonly receivers = new Map<string, string>()

  /** Messages of which one end is known. */
  get open(): string[] {
    const ends = [...this.senders.keys(), ...this.receivers.keys()]
    return ends.filter((message) => this.senders.has(message) !== this.receivers.has(message))
  }

  add(batch: readonly TraceInput[]): void {
    const assembly = assemble(batch)
    const links = this.linksOf(assembly)
    const stored = new Set(links.flatMap(({ sender, receiver }) => [keyOf(sender), keyOf(receiver)]))
    const known = [...stored].flatMap((id) => this.traces.get(id) ?? [])
    const { traces, traceOf } = joinPieces([...known, ...assembly.pieces], links)
    for (const row of known) this.traces.delete(keyOf(row.traceId))
    const moved = new Map(known.map(({ traceId }) => [keyOf(traceId), keyOf(traceOf(traceId))]))
    if ([...moved].some(([from, into]) => from !== into))
      for (const [hash, id] of this.traceOf) this.traceOf.set(hash, moved.get(id) ?? id)
    for (const row of traces) this.traces.set(keyOf(row.traceId), row)
    for (const [index, { transaction }] of batch.entries())
      this.traceOf.set(
        keyOf(transaction.hash),
        keyOf(traceOf(assembly.pieces[assembly.pieceOf[index]!]!.traceId)),
      )
    this.remember(batch)
  }

  private linksOf({ pieces, received, sent }: Assembly): Link[] {
    const traceAt = (ends: ReadonlyMap<string, string>, message: Buffer) => {
      const transaction = ends.get(keyOf(message))
      return transaction === undefined ? [] : [Buffer.from(this.traceOf.get(transaction)!, 'hex')]
    }
    return [
      ...received.flatMap(({ message, piece }) =>
        traceAt(this.senders, message.hash).map((sender) => ({ sender, receiver: pieces[piece]!.traceId })),
      ),
      ...sent.flatMap(({ message, piece }) =>
        traceAt(this.receivers, message.hash).map((receiver) => ({
          sender: pieces[piece]!.traceId,
          receiver,
        })),
      ),
    ]
  }

  private remember(batch: readonly TraceInput[]): void {
    for (const { transaction } of batch) {
      const { hash, inMsg, outMsgs } = transaction
      if (inMsg?.kind === 'internal' && !inMsg.isSystem) this.receivers.set(keyOf(inMsg.hash), keyOf(hash))
      for (const { kind, hash: message } of outMsgs)
        if (kind === 'internal') this.senders.set(keyOf(message), keyOf(hash))
    }
  }

  /** All rows in an order independent of how they arose. */
  snapshot() {
    const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
    return { traces: sorted(this.traces), traceOf: sorted(this.traceOf) }
  }
}

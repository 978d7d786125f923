import {
  type Assembly,
  assemble,
  type KnownTraces,
  messagesOf,
  type PendingEdge,
  type TraceInput,
  type TraceRow,
} from '../src/index.ts'

const keyOf = (hash: Buffer): string => hash.toString('hex')

/** What a database does with assemblies, in memory. */
export class MemoryStore {
  readonly edges = new Map<string, PendingEdge>()
  readonly traces = new Map<string, TraceRow>()
  readonly traceOf = new Map<string, string>()

  add(batch: readonly TraceInput[]): void {
    this.#apply(assemble(batch, this.#known(batch)))
  }

  #known(batch: readonly TraceInput[]): KnownTraces {
    const edges = messagesOf(batch).flatMap((hash) => this.edges.get(keyOf(hash)) ?? [])
    const ids = new Set(edges.map(({ traceId }) => keyOf(traceId)))
    return { edges, traces: [...ids].map((id) => this.traces.get(id)!) }
  }

  #apply({ consumedEdges, mergedTraces, newEdges, traceRows, traceIdByTransaction }: Assembly): void {
    for (const hash of consumedEdges)
      if (!this.edges.delete(keyOf(hash))) throw new Error('consumed edge was not there')
    for (const { from, into } of mergedTraces) this.#merge(keyOf(from), into)
    for (const edge of newEdges) {
      if (this.edges.has(keyOf(edge.messageHash))) throw new Error('new edge conflicts')
      this.edges.set(keyOf(edge.messageHash), edge)
    }
    for (const row of traceRows) this.traces.set(keyOf(row.traceId), row)
    for (const [hash, id] of traceIdByTransaction) this.traceOf.set(keyOf(Buffer.from(hash, 'latin1')), keyOf(id))
  }

  #merge(from: string, into: Buffer): void {
    if (!this.traces.delete(from)) throw new Error('merged trace was not there')
    for (const [hash, id] of this.traceOf) if (id === from) this.traceOf.set(hash, keyOf(into))
    for (const [key, edge] of this.edges)
      if (keyOf(edge.traceId) === from) this.edges.set(key, { ...edge, traceId: into })
  }

  /** Everything, in an order that does not depend on how it came about. */
  snapshot() {
    const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
    return { edges: sorted(this.edges), traces: sorted(this.traces), traceOf: sorted(this.traceOf) }
  }
}

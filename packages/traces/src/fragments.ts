import type { Hash, TraceInput, TraceRow, TraceState } from './records.ts'

/** Map key of a hash: one character per byte. */
export const keyOf = (hash: Hash): string => hash.toString('latin1')

function latest(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}

/** Traces being put together: rows by id, and which fragment turned out to be part of which. */
export class Fragments {
  readonly #rows = new Map<string, TraceRow>()
  readonly #parents = new Map<string, string>()
  readonly #touched = new Set<string>()

  constructor(known: readonly TraceRow[]) {
    for (const row of known) this.#rows.set(keyOf(row.traceId), row)
  }

  /** Starts a trace at this transaction. `edges`: 1 for an external or system message; an orphan waits for its sender. */
  start({ transaction, mcSeqno }: TraceInput, { edges, orphan }: { edges: number; orphan: boolean }): string {
    const { hash, lt, now, inMsg } = transaction
    const key = keyOf(hash)
    this.#touched.add(key)
    this.#rows.set(key, {
      traceId: hash,
      ...(inMsg && { externalHash: inMsg.hash }),
      ...(inMsg?.hashNorm && { externalHashNorm: inMsg.hashNorm }),
      state: orphan ? 'broken' : 'complete',
      mcSeqnoStart: mcSeqno,
      mcSeqnoEnd: mcSeqno,
      startLt: lt,
      startUtime: now,
      endLt: lt,
      endUtime: now,
      nodes: 1,
      edges,
      pendingEdges: orphan ? 1 : 0,
    })
    return key
  }

  /** Adds a transaction that continues the trace over a message that was pending there. */
  extend(id: string, { transaction, mcSeqno }: TraceInput, wasPending: boolean): void {
    const row = this.#row(id)
    this.#set(id, {
      mcSeqnoEnd: Math.max(row.mcSeqnoEnd, mcSeqno),
      endLt: latest(row.endLt, transaction.lt),
      endUtime: Math.max(row.endUtime, transaction.now),
      nodes: row.nodes + 1,
      edges: row.edges + 1,
      pendingEdges: row.pendingEdges - (wasPending ? 1 : 0),
    })
  }

  /** Counts logs, and messages whose receiver is still to come. */
  count(id: string, { logs, pending }: { logs: number; pending: number }): void {
    const row = this.#row(id)
    this.#set(id, { edges: row.edges + logs, pendingEdges: row.pendingEdges + pending })
  }

  /** `child` is an orphan whose sender belongs to `parent`: one row of both, the message counted as delivered. */
  attach(child: string, parent: string): void {
    const [lower, upper] = [this.#row(child), this.#row(parent)]
    this.#parents.set(child, parent)
    this.#touched.add(child)
    this.#set(parent, {
      mcSeqnoEnd: Math.max(upper.mcSeqnoEnd, lower.mcSeqnoEnd),
      endLt: latest(upper.endLt, lower.endLt),
      endUtime: Math.max(upper.endUtime, lower.endUtime),
      nodes: upper.nodes + lower.nodes,
      edges: upper.edges + lower.edges + 1,
      // The orphan's missing sender is no longer missing.
      pendingEdges: upper.pendingEdges + lower.pendingEdges - 1,
    })
  }

  /** The trace that this fragment is part of in the end. */
  rootOf(id: string): string {
    let root = id
    for (let parent = this.#parents.get(root); parent !== undefined; parent = this.#parents.get(root)) root = parent
    for (let at = id; at !== root; ) {
      const parent = this.#parents.get(at)!
      this.#parents.set(at, root)
      at = parent
    }
    return root
  }

  idOf(id: string): Hash {
    return this.#rows.get(this.rootOf(id))!.traceId
  }

  has(id: string): boolean {
    return this.#rows.has(id)
  }

  /** Rows that changed and still stand. */
  rows(): TraceRow[] {
    return [...this.#touched].filter((id) => !this.#parents.has(id)).map((id) => this.#rows.get(id)!)
  }

  /** Stored fragments that are part of another trace now; those that started in this batch were never stored. */
  merged(isStored: (id: string) => boolean): { from: Hash; into: Hash }[] {
    return [...this.#parents.keys()]
      .filter(isStored)
      .map((id) => ({ from: this.#rows.get(id)!.traceId, into: this.idOf(id) }))
  }

  #row(id: string): TraceRow {
    return this.#rows.get(this.rootOf(id))!
  }

  #set(id: string, change: Partial<TraceRow>): void {
    const root = this.rootOf(id)
    const row = { ...this.#rows.get(root)!, ...change }
    this.#rows.set(root, { ...row, state: stateOf(row) })
    this.#touched.add(root)
  }
}

/** A root without its sender stays broken until the sender comes; nothing else can break a trace. */
const stateOf = ({ state, pendingEdges }: TraceRow): TraceState =>
  state === 'broken' ? 'broken' : pendingEdges > 0 ? 'pending' : 'complete'

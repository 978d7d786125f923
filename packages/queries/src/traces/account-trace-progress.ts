import { earlier, type LtRange, later, type Sort } from '../idiom/index.ts'
import type { TraceOrder } from './account-trace-order.ts'
import type { FoundTrace, Walked } from './account-trace-walk.ts'

/** The traces found so far that are the first ones of the list. */
export class FirstTraces {
  private traces: readonly FoundTrace[] = []

  constructor(
    readonly wanted: number,
    private readonly sort: Sort,
  ) {}

  /** End of the last one; null while there are too few. */
  get end(): bigint | null {
    return this.traces.length === this.wanted ? this.traces.at(-1)!.end : null
  }

  get ids(): Buffer[] {
    return this.traces.map(({ id }) => id)
  }

  add(found: readonly FoundTrace[]): void {
    const sign = this.sort === 'asc' ? 1 : -1
    const byId = new Map([...this.traces, ...found].map((trace) => [trace.id.toString('latin1'), trace]))
    const inOrder = (a: FoundTrace, b: FoundTrace) =>
      sign * (a.end < b.end ? -1 : a.end > b.end ? 1 : Buffer.compare(a.id, b.id))
    this.traces = [...byId.values()].sort(inOrder).slice(0, this.wanted)
  }
}

/** The part of an account's transactions that was scanned. */
export class Scanned {
  /** The furthest position in the order of the list. */
  last: bigint | null = null
  private lt: bigint | null = null

  constructor(private readonly order: TraceOrder) {}

  add({ last, lt }: Pick<Walked, 'last' | 'lt'>): void {
    if (last === null) return
    const further = this.order.sort === 'desc' ? earlier : later
    this.last = further(last, this.last ?? last)
    this.lt = lt
  }

  /** Range of lt that is left, up to a bound. */
  rest(bound: bigint | undefined): LtRange {
    const { from, to } = this.order.lt
    return this.order.sort === 'desc'
      ? { from: later(from, bound ?? from), to: this.lt === null ? to : this.lt - 1n }
      : { from: this.lt === null ? from : this.lt + 1n, to: earlier(to, bound ?? to) }
  }
}

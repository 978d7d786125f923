import { RecentMap } from '@shardwalk/model'
import type { EmulatedTrace } from '../types.ts'

/** Wallets ask for the same preview again while a user looks at it. Milliseconds. */
const KEPT_MS = 5_000
const MAX_TRACES = 64
/** Larger traces are not kept. */
const MAX_TRANSACTIONS = 16

interface Recent {
  readonly trace: EmulatedTrace
  readonly at: number
}

/** Traces emulated a moment ago: equal questions get equal answers until the next block. */
export class RecentTraces {
  private readonly traces = new RecentMap<string, Recent>(MAX_TRACES)

  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * The trace kept under the key, or that of `emulate`, which is kept when it is complete. Callers do not
   * wait for one another: one that gives up would take the answer from the others.
   */
  async get(key: string, emulate: () => Promise<EmulatedTrace>): Promise<EmulatedTrace> {
    const known = this.traces.get(key)
    if (known && this.now() - known.at < KEPT_MS) return known.trace
    const trace = await emulate()
    this.traces.delete(key)
    if (!trace.isIncomplete && trace.transactions.length <= MAX_TRANSACTIONS)
      this.traces.set(key, { trace, at: this.now() })
    return trace
  }
}

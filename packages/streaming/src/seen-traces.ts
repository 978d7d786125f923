import { type Finality, rankOf } from './finality.ts'

/** Twice the longest life of a pending trace. Milliseconds. */
const KEPT_MS = 300_000
const MAX_TRACES = 50_000

interface Seen {
  readonly rank: number
  readonly at: number
}

/**
 * The traces of which a connection has received something that was not final, and the greatest finality of
 * it: finality never decreases, and only they are invalidated.
 */
export class SeenTraces {
  private readonly traces = new Map<string, Seen>()

  /** Whether an event may be sent, which is then remembered. `now`: milliseconds. */
  admit(trace: string, finality: Finality, now: number): boolean {
    const rank = rankOf(finality)
    const seen = this.traces.get(trace)
    if (seen && seen.rank > rank) return false
    this.traces.delete(trace)
    this.traces.set(trace, { rank, at: now })
    this.forgetOld(now)
    return true
  }

  /** Whether an invalidation of the trace is owed; it is then forgotten. */
  invalidate(trace: string): boolean {
    const seen = this.traces.get(trace)
    if (!seen || seen.rank === FINAL) return false
    return this.traces.delete(trace)
  }

  private forgetOld(now: number): void {
    for (const [trace, { at }] of this.traces) {
      if (this.traces.size <= MAX_TRACES && now - at < KEPT_MS) return
      this.traces.delete(trace)
    }
  }
}

const FINAL = rankOf('finalized')

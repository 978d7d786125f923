import type { Unfinished } from './unfinished.ts'

/** When the rows of a snapshot were read. */
export class ReadMoments {
  /** The newest indexed masterchain block when the first row was read; null: none, or not a snapshot. */
  first: number | null = null
  private last: number | null = null
  private count = 0

  constructor(begun: Unfinished | undefined) {
    if (begun) this.add(begun.mc_seqno)
  }

  readonly add = (seqno: number | null): void => {
    if (this.count === 0) this.first = seqno
    this.last = seqno
    this.count++
  }

  /** Undefined: all rows are of one moment. */
  get seqnos(): readonly [number | null, number | null] | undefined {
    return this.count > 1 ? [this.first, this.last] : undefined
  }
}

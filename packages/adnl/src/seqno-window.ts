const WIDTH = 64n

/** Records which packets of a peer arrived, so that repeated and very old ones can be dropped. */
export class SeqnoWindow {
  private newest = 0n
  /** Bit N: `newest - N` arrived. */
  private seen = 0n

  /** Highest number that arrived; 0 before the first. */
  get highest(): bigint {
    return this.newest
  }

  /** Records a packet; false if it arrived already or is older than the window. */
  accept(seqno: bigint): boolean {
    if (seqno > this.newest) {
      const distance = seqno - this.newest
      this.seen = distance >= WIDTH ? 1n : ((this.seen << distance) | 1n) & ((1n << WIDTH) - 1n)
      this.newest = seqno
      return true
    }
    const age = this.newest - seqno
    if (age >= WIDTH || (this.seen >> age) & 1n) return false
    this.seen |= 1n << age
    return true
  }
}

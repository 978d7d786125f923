/** What is wrong with a line. Shares of datagrams. */
export interface LineFaults {
  readonly loss?: number
  /** Arrives later than the next ones. */
  readonly reorder?: number
  /** Arrives twice. */
  readonly duplicate?: number
}

const REORDERED_MS = 3

/** A line with faults, for `UdpNodeOptions.line`. `random` gives numbers in [0, 1). */
export const damagedLine =
  ({ loss = 0, reorder = 0, duplicate = 0 }: LineFaults, random: () => number = Math.random) =>
  (datagram: Buffer, deliver: (datagram: Buffer) => void): void => {
    if (random() < loss) return
    if (random() < duplicate) deliver(datagram)
    if (random() < reorder) setTimeout(() => deliver(datagram), REORDERED_MS)
    else deliver(datagram)
  }

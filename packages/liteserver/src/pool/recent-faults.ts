/** What may be wrong with a server. Refusals for reasons of the query itself do not count. */
const FAULTS = ['timeouts', 'rate_limits', 'wrong_answers', 'disconnects'] as const
/** One kind of fault, by its name in metrics and in the status. */
export type Fault = (typeof FAULTS)[number]
/** Numbers of the last five minutes. */
export type FaultCounts = Readonly<Record<Fault, number>>

const SLOT_MS = 10_000
const SLOTS = 30

/** Counts faults in slots of some seconds, so that memory does not grow with them. */
export class RecentFaults {
  private readonly slots = new Map<number, Record<Fault, number>>()

  /** `now`: milliseconds of a clock that does not jump. */
  note(fault: Fault, now: number): void {
    const slot = Math.floor(now / SLOT_MS)
    this.forget(slot)
    const counts = this.slots.get(slot) ?? none()
    counts[fault]++
    this.slots.set(slot, counts)
  }

  read(now: number): FaultCounts {
    this.forget(Math.floor(now / SLOT_MS))
    const sum = none()
    for (const counts of this.slots.values()) for (const fault of FAULTS) sum[fault] += counts[fault]
    return sum
  }

  private forget(slot: number): void {
    for (const old of this.slots.keys()) if (old <= slot - SLOTS) this.slots.delete(old)
  }
}

const none = (): Record<Fault, number> => ({
  timeouts: 0,
  rate_limits: 0,
  wrong_answers: 0,
  disconnects: 0,
})

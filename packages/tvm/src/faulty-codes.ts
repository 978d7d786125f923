/** Number of strikes after which a code is refused. */
const MAX_STRIKES = 3
/**
 * One strike is forgotten after this time: the machine may have been slow rather than the code. A code that
 * never ends costs one run per class and minute from then on.
 */
const HEAL_MS = 60_000
const MAX_CODES = 10_000

interface Strikes {
  readonly count: number
  readonly at: number
}

/**
 * Codes whose runs were killed or crashed the executor several times in a row. Keeps contracts whose
 * get-methods all hang from using up their time limit again and again. Strikes are counted per code and class
 * of callers, so that one caller's arguments cannot suspend the code for others.
 */
export class FaultyCodes {
  private readonly codes = new Map<string, Strikes>()

  /** `now`: monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether such calls must currently be refused. */
  isRefused(key: string): boolean {
    return this.strikes(key) >= MAX_STRIKES
  }

  note(key: string, isGood: boolean): void {
    const count = isGood ? 0 : Math.min(this.strikes(key) + 1, MAX_STRIKES)
    this.codes.delete(key)
    if (count === 0) return
    this.codes.set(key, { count, at: this.now() })
    const oldest = this.codes.keys().next().value
    if (this.codes.size > MAX_CODES && oldest !== undefined) this.codes.delete(oldest)
  }

  private strikes(key: string): number {
    const strikes = this.codes.get(key)
    if (!strikes) return 0
    return Math.max(0, strikes.count - Math.floor((this.now() - strikes.at) / HEAL_MS))
  }
}

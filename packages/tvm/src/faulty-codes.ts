import { RecentMap } from '@shardwalk/model'

/** Number of strikes after which a code is refused. */
const MAX_STRIKES = 3
/**
 * One strike is forgotten after this time: the machine may have been slow rather than the code. A code that
 * never ends costs one run per class and minute from then on.
 */
const HEAL_MS = 60_000
/** After so many in a row the code is the reason, not the machine. It takes minutes. */
const LASTING_FAULTS = 5
const MAX_CODES = 10_000

interface Strikes {
  readonly count: number
  /** Runs in a row that were killed or crashed, whenever that was. */
  readonly faults: number
  readonly at: number
}

/**
 * Codes whose runs were killed or crashed the executor several times in a row. Keeps contracts whose
 * get-methods all hang from using up their time limit again and again. Strikes are counted per code and class
 * of callers, so that one caller's arguments cannot suspend the code for others.
 */
export class FaultyCodes {
  private readonly codes = new RecentMap<string, Strikes>(MAX_CODES)

  /** `now`: monotonic clock in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether such calls must currently be refused. */
  isRefused(key: string): boolean {
    return this.strikes(key) >= MAX_STRIKES
  }

  /** Whether its runs keep failing for so long that waiting is pointless. */
  isLasting(key: string): boolean {
    return (this.codes.get(key)?.faults ?? 0) >= LASTING_FAULTS
  }

  note(key: string, isGood: boolean): void {
    const count = Math.min(this.strikes(key) + 1, MAX_STRIKES)
    const faults = (this.codes.get(key)?.faults ?? 0) + 1
    if (isGood) this.codes.delete(key)
    else this.codes.set(key, { count, faults, at: this.now() })
  }

  private strikes(key: string): number {
    const strikes = this.codes.get(key)
    if (!strikes) return 0
    return Math.max(0, strikes.count - Math.floor((this.now() - strikes.at) / HEAL_MS))
  }
}

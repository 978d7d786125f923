const MAX_FAULTS = 3
/** After this many refusals one call is allowed: the machine may have been slow rather than the code. */
const RETRY_AFTER = 500
const MAX_CODES = 10_000

/**
 * Codes whose runs were killed or crashed the executor several times in a row, by code hash. Prevents
 * contracts whose getters all hang from using up their time limit again and again.
 */
export class FaultyCodes {
  private readonly codes = new Map<string, { count: number; refused: number }>()

  /** Whether calls to this code must currently be refused. */
  isRefused(codeHash: string): boolean {
    const code = this.codes.get(codeHash)
    if (!code || code.count < MAX_FAULTS) return false
    code.refused = (code.refused + 1) % RETRY_AFTER
    return code.refused !== 0
  }

  note(codeHash: string, isGood: boolean): void {
    if (isGood) {
      this.codes.delete(codeHash)
      return
    }
    const code = this.codes.get(codeHash) ?? { count: 0, refused: 0 }
    code.count++
    this.codes.set(codeHash, code)
    const oldest = this.codes.keys().next().value
    if (this.codes.size > MAX_CODES && oldest !== undefined) this.codes.delete(oldest)
  }
}

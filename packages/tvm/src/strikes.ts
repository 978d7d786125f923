const STRIKES = 3
/** After this many refusals one call is let through again: the machine may have been slow, not the code. */
const RETRY_AFTER = 500
const MAX_CODES = 10_000

/**
 * Code whose runs were killed or broke the executor several times in a row, by code hash. Without this a contract could make every getter hang
 * and cost its time limit again and again.
 */
export class Strikes {
  private readonly codes = new Map<string, { count: number; refused: number }>()

  /** True when a call to this code should not be made now. */
  isOut(codeHash: string): boolean {
    const code = this.codes.get(codeHash)
    if (!code || code.count < STRIKES) return false
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

import { add, newSymbols } from './octets.ts'
import type { CodeParameters } from './parameters.ts'

/** An equation: the sum of some intermediate symbols. */
export interface Equation {
  /** Indexes of intermediate symbols. */
  readonly columns: readonly number[]
  /** Their sum. Undefined if it is zero. */
  readonly sum: Int32Array | undefined
}

/** What peeling leaves: every column is either solved by one equation or inactive. */
export interface Peeled {
  /** Solved columns in the order in which they were solved, each with the number of its equation. */
  readonly order: readonly { readonly column: number; readonly equation: number }[]
  /** Equations that solve no column; they relate inactive columns only. */
  readonly rest: readonly number[]
  /** Inactive columns. Position in this list is the position in `terms`. */
  readonly inactive: readonly number[]
  /** By equation: the inactive columns it depends on, as bits, with all solved columns substituted. */
  readonly terms: readonly Uint32Array[]
  /** By equation: its sum with all solved columns substituted. */
  readonly sums: readonly Int32Array[]
}

/**
 * Solves equations for one column after the other. If none has a single unknown column, all unknown ones but
 * one of an equation with few are declared inactive and solved later by elimination. Columns from `w` on are
 * inactive from the beginning. See RFC 6330, 5.4.2.2.
 */
export function peel(
  parameters: CodeParameters,
  equations: readonly Equation[],
  symbolWords: number,
): Peeled {
  return new Peeling(parameters, equations, symbolWords).run()
}

class Peeling {
  private readonly inactive: number[] = []
  private readonly order: { column: number; equation: number }[] = []
  private readonly terms: Uint32Array[]
  private readonly sums: Int32Array[]
  /** Unknown columns of each equation, and the equations of each unknown column. */
  private readonly degrees: Uint16Array
  private readonly equationsOf: number[][]
  private readonly isUnknown: Uint8Array
  private readonly isUsed: Uint8Array
  /** Equations by degree. Entries become stale when a degree falls, and are then skipped. */
  private readonly byDegree: number[][] = []

  constructor(
    private readonly parameters: CodeParameters,
    private readonly equations: readonly Equation[],
    symbolWords: number,
  ) {
    const { l, w } = parameters
    for (let column = w; column < l; column++) this.inactive.push(column)
    this.terms = equations.map(() => new Uint32Array(0))
    this.sums = newSymbols(equations.length, symbolWords)
    for (const [equation, { sum }] of equations.entries()) if (sum) this.sums[equation]!.set(sum)
    this.degrees = new Uint16Array(equations.length)
    this.isUsed = new Uint8Array(equations.length)
    this.isUnknown = new Uint8Array(l).fill(1, 0, w)
    this.equationsOf = Array.from({ length: w }, () => [])
    for (const [equation, { columns }] of equations.entries()) {
      for (const column of columns)
        if (column < w) {
          this.degrees[equation]!++
          this.equationsOf[column]!.push(equation)
        } else this.flip(equation, column - w)
      this.file(equation)
    }
  }

  run(): Peeled {
    for (let equation = this.next(); equation !== undefined; equation = this.next()) this.solve(equation)
    for (let column = 0; column < this.parameters.w; column++)
      if (this.isUnknown[column]) this.inactivate(column)
    const rest = [...this.isUsed.keys()].filter((equation) => !this.isUsed[equation])
    const { order, inactive, terms, sums } = this
    return { order, rest, inactive, terms, sums }
  }

  private file(equation: number): void {
    const degree = this.degrees[equation]!
    if (degree === 0) return
    const bucket = this.byDegree[degree]
    if (bucket) bucket.push(equation)
    else this.byDegree[degree] = [equation]
  }

  /** An equation with the fewest unknown columns; undefined if none has any. */
  private next(): number | undefined {
    for (let degree = 1; degree < this.byDegree.length; degree++) {
      const bucket = this.byDegree[degree]
      while (bucket && bucket.length > 0) {
        const equation = bucket.pop()!
        if (!this.isUsed[equation] && this.degrees[equation] === degree) return equation
      }
    }
    return undefined
  }

  private solve(equation: number): void {
    const [column, ...others] = this.equations[equation]!.columns.filter((column) => this.isUnknown[column])
    for (const other of others) this.inactivate(other)
    this.isUsed[equation] = 1
    this.isUnknown[column!] = 0
    this.order.push({ column: column!, equation })
    for (const other of this.equationsOf[column!]!) {
      if (other === equation) continue
      this.terms[other] = sumOfBits(this.terms[other]!, this.terms[equation]!)
      add(this.sums[other]!, this.sums[equation]!)
      this.lower(other)
    }
  }

  private inactivate(column: number): void {
    const position = this.inactive.push(column) - 1
    this.isUnknown[column] = 0
    for (const equation of this.equationsOf[column]!) {
      this.flip(equation, position)
      this.lower(equation)
    }
  }

  private lower(equation: number): void {
    this.degrees[equation]!--
    if (!this.isUsed[equation]) this.file(equation)
  }

  private flip(equation: number, position: number): void {
    let bits = this.terms[equation]!
    const word = position >>> 5
    if (bits.length <= word) {
      const longer = new Uint32Array(word + 4)
      longer.set(bits)
      this.terms[equation] = bits = longer
    }
    bits[word]! ^= 1 << (position & 31)
  }
}

/** `a + b`, in place where it fits. */
function sumOfBits(a: Uint32Array, b: Uint32Array): Uint32Array {
  let target = a
  if (a.length < b.length) {
    target = new Uint32Array(b.length)
    target.set(a)
  }
  for (let i = 0; i < b.length; i++) target[i]! ^= b[i]!
  return target
}

/** Positions of the bits that are set. */
export function* setBits(bits: Uint32Array): Generator<number> {
  for (const [index, word] of bits.entries())
    for (let left = word; left !== 0; left &= left - 1) yield (index << 5) + 31 - Math.clz32(left & -left)
}

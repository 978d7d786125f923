import { solveInactive } from './elimination.ts'
import { intermediateSymbolsOf, internalId, ldpcRows } from './encoding-symbol.ts'
import { add, newSymbols } from './octets.ts'
import { type CodeParameters, codeParameters } from './parameters.ts'
import { type Equation, peel } from './peeling.ts'

/** The intermediate symbols of a block, from which any encoding symbol follows. */
export class IntermediateSymbols {
  private constructor(
    private readonly parameters: CodeParameters,
    private readonly symbols: readonly Int32Array[],
  ) {}

  /**
   * `known`: encoding symbols by seqno, all of the same length, a multiple of four bytes. Undefined if they
   * are not enough, which is rare when there are at least `k`.
   */
  static solve(
    k: number,
    known: ReadonlyMap<number, Int32Array>,
    symbolWords: number,
  ): IntermediateSymbols | undefined {
    const parameters = codeParameters(k)
    if (known.size < k) return undefined
    const equations: Equation[] = ldpcRows(parameters).map((columns) => ({ columns, sum: undefined }))
    for (let id = k; id < parameters.kPadded; id++)
      equations.push({ columns: intermediateSymbolsOf(parameters, id), sum: undefined })
    for (const [seqno, sum] of known)
      equations.push({ columns: intermediateSymbolsOf(parameters, internalId(parameters, seqno)), sum })

    const peeled = peel(parameters, equations, symbolWords)
    const values = solveInactive(parameters, peeled, symbolWords)
    if (!values) return undefined
    const symbols = newSymbols(parameters.l, symbolWords)
    for (const [position, column] of peeled.inactive.entries()) symbols[column] = values[position]!
    // All other columns of an equation are inactive or were solved before.
    for (const { column, equation } of peeled.order) {
      const { columns, sum } = equations[equation]!
      const symbol = symbols[column]!
      if (sum) symbol.set(sum)
      for (const other of columns) if (other !== column) add(symbol, symbols[other]!)
    }
    return new IntermediateSymbols(parameters, symbols)
  }

  /** The encoding symbol `seqno`: source symbols below `k`, repair symbols above. */
  symbol(seqno: number): Int32Array {
    const [first, ...others] = intermediateSymbolsOf(this.parameters, internalId(this.parameters, seqno))
    const symbol = Int32Array.from(this.symbols[first!]!)
    for (const index of others) add(symbol, this.symbols[index]!)
    return symbol
  }
}

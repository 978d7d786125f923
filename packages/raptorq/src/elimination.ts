import { random } from './encoding-symbol.ts'
import { add, addMultiple, double, inverse, newSymbols, power, scale } from './octets.ts'
import type { CodeParameters } from './parameters.ts'
import { type Peeled, setBits } from './peeling.ts'

/** A relation of inactive columns: the sum of coefficients times columns. */
interface Row {
  /** An octet for each inactive column; length is a multiple of four. */
  readonly coefficients: Int32Array
  readonly sum: Int32Array
}

const octetsOf = ({ coefficients }: Row): Uint8Array =>
  new Uint8Array(coefficients.buffer, coefficients.byteOffset, coefficients.byteLength)

/** One coefficient, without a view of all. */
const coefficient = ({ coefficients }: Row, position: number): number =>
  (coefficients[position >>> 2]! >>> (8 * (position & 3))) & 255

/** Values of the inactive columns; undefined if the equations do not determine them. */
export function solveInactive(
  parameters: CodeParameters,
  peeled: Peeled,
  symbolWords: number,
): readonly Int32Array[] | undefined {
  const width = (peeled.inactive.length + 3) >>> 2
  const coefficients = newSymbols(peeled.rest.length, width)
  const rows = peeled.rest.map((equation, index) => {
    const row = { coefficients: coefficients[index]!, sum: peeled.sums[equation]! }
    const octets = octetsOf(row)
    for (const position of setBits(peeled.terms[equation]!)) octets[position] = 1
    return row
  })
  return eliminate(peeled.inactive.length, [...rows, ...hdpcRows(parameters, peeled, width, symbolWords)])
}

/**
 * HDPC rows with all solved columns substituted. The dense matrix of RFC 6330, 5.3.3.3 is a product whose
 * second factor multiplies a running sum by the generator, so a pass over the columns replaces it.
 */
function hdpcRows(
  { kPadded, s, h }: CodeParameters,
  { order, inactive, terms, sums }: Peeled,
  width: number,
  symbolWords: number,
): Row[] {
  const columns = kPadded + s
  const newRow = (): Row => ({ coefficients: new Int32Array(width), sum: new Int32Array(symbolWords) })
  const solvedBy = new Map(order.map(({ column, equation }) => [column, equation]))
  const positions = new Map(inactive.map((column, position) => [column, position]))
  const rows = Array.from({ length: h }, newRow)
  const running = newRow()
  const octets = octetsOf(running)
  for (let column = 0; column < columns; column++) {
    double(running.coefficients)
    double(running.sum)
    const equation = solvedBy.get(column)
    if (equation === undefined) octets[positions.get(column)!]! ^= 1
    else {
      for (const position of setBits(terms[equation]!)) octets[position]! ^= 1
      add(running.sum, sums[equation]!)
    }
    if (column === columns - 1) break
    const first = random(column + 1, 6, h)
    const second = (first + random(column + 1, 7, h - 1) + 1) % h
    for (const row of [rows[first]!, rows[second]!]) addRow(row, running, 1)
  }
  for (const [index, row] of rows.entries()) {
    addRow(row, running, power(index))
    octetsOf(row)[positions.get(columns + index)!]! ^= 1
  }
  return rows
}

function addRow(target: Row, source: Row, factor: number): void {
  addMultiple(target.coefficients, source.coefficients, factor)
  addMultiple(target.sum, source.sum, factor)
}

/** Gauss-Jordan elimination. Rows of zeros and ones come first, for they are cheaper. */
function eliminate(unknowns: number, rows: readonly Row[]): readonly Int32Array[] | undefined {
  const left = new Set(rows)
  const pivots = new Map<number, Row>()
  for (const row of rows) {
    const position = octetsOf(row).findIndex((octet, index) => octet !== 0 && index < unknowns)
    if (position < 0) continue
    left.delete(row)
    const factor = inverse(octetsOf(row)[position]!)
    scale(row.coefficients, factor)
    scale(row.sum, factor)
    for (const other of left) addRow(other, row, coefficient(other, position))
    for (const other of pivots.values()) addRow(other, row, coefficient(other, position))
    pivots.set(position, row)
    if (pivots.size === unknowns) break
  }
  if (pivots.size < unknowns) return undefined
  return Array.from({ length: unknowns }, (_, position) => pivots.get(position)!.sum)
}

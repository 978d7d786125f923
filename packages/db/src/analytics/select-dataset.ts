import type { Dataset, Derived } from './define-dataset.ts'
import type { ComputedValue, RowBatch } from './row-batch.ts'

/** Columns that are read from the same part of what was parsed. */
interface Part {
  readonly of: Derived['part']
  readonly columns: { readonly at: number; readonly read: Derived['read'] }[]
}

/** Behind the columns that are selected come the sources of the others. */
interface Selection {
  /** By field. */
  readonly expressions: readonly string[]
  /** By column: its field; null: it is computed. */
  readonly fields: readonly (number | null)[]
  readonly sources: readonly {
    readonly name: string
    readonly field: number
    readonly parts: readonly Part[]
  }[]
}

function select(dataset: Dataset, names: readonly string[]): Selection {
  const all = { ...dataset.columns, ...dataset.bocs }
  const expressions: string[] = []
  const sources = new Map<string, Part[]>()
  const fields = names.map((name, at) => {
    const expression = all[name]![1]
    if (typeof expression === 'string') return expressions.push(`${expression} as "${name}"`) - 1
    const parts = sources.get(expression.source) ?? []
    sources.set(expression.source, parts)
    addColumn(parts, expression, at)
    return null
  })
  const list = [...sources].map(([name, parts]) => {
    const field = expressions.push(dataset.sources![name]!.expression) - 1
    return { name, field, parts }
  })
  return { expressions, fields, sources: list }
}

function addColumn(parts: Part[], { part, read }: Derived, at: number): void {
  const found = parts.find(({ of }) => of === part)
  if (found) found.columns.push({ at, read })
  else parts.push({ of: part, columns: [{ at, read }] })
}

/** What is selected: columns that are not computed and, behind them, the sources of those that are. */
export const selectionOf = (dataset: Dataset, names: readonly string[]): readonly string[] =>
  select(dataset, names).expressions

/** Adds the columns that are computed to rows of `readDataset`. */
export function completionOf(dataset: Dataset, names: readonly string[]): (rows: RowBatch) => RowBatch {
  const { fields, sources } = select(dataset, names)
  // Rows of a snapshot end with their position.
  const isWhole = sources.length === 0 && !dataset.walks
  if (isWhole) return (rows) => rows
  return (rows) => {
    const computed = fields.map((field) => field ?? new Array<ComputedValue>(rows.length).fill(null))
    for (const { name, field, parts } of sources) {
      const { parse } = dataset.sources![name]!
      for (let row = 0; row < rows.length; row++) {
        const value = parse(rows, row, field)
        if (value !== undefined) readParts(value, parts, { computed, row })
      }
    }
    return rows.with(computed)
  }
}

interface Target {
  readonly computed: readonly (number | ComputedValue[])[]
  readonly row: number
}

/** Columns of phases that a transaction does not have are not read. */
function readParts(value: unknown, parts: readonly Part[], { computed, row }: Target): void {
  for (const { of, columns } of parts) {
    const part = of ? of(value as never) : value
    if (part === undefined) continue
    for (const { at, read } of columns) (computed[at] as ComputedValue[])[row] = read(part as never) ?? null
  }
}

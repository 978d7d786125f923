import type { Dataset, Derived } from './define-dataset.ts'
import type { ComputedColumn, RowBatch } from './row-batch.ts'

interface Computed {
  /** Names of sources. */
  readonly sources: readonly string[]
  readonly columns: readonly { readonly at: number; readonly derived: Derived }[]
}

function computedOf(dataset: Dataset, names: readonly string[]): Computed {
  const all = { ...dataset.columns, ...dataset.bocs }
  const columns = names.flatMap((name, at) => {
    const expression = all[name]![1]
    return typeof expression === 'string' ? [] : [{ at, derived: expression }]
  })
  return { sources: [...new Set(columns.map(({ derived }) => derived.source))], columns }
}

/** What is selected: the columns and, behind them, the sources of those that are computed. */
export function selectionOf(dataset: Dataset, names: readonly string[]): readonly string[] {
  const all = { ...dataset.columns, ...dataset.bocs }
  const own = names.map((name) => {
    const expression = all[name]![1]
    return typeof expression === 'string' ? `${expression} as "${name}"` : 'null'
  })
  const { sources } = computedOf(dataset, names)
  return [...own, ...sources.map((name) => dataset.sources![name]!.expression)]
}

/** Adds the columns that are computed to rows of `readDataset`. */
export function completionOf(dataset: Dataset, names: readonly string[]): (rows: RowBatch) => RowBatch {
  const { sources, columns } = computedOf(dataset, names)
  if (columns.length === 0) return (rows) => rows
  const readers = sources.map((name) => ({
    parse: dataset.sources![name]!.parse,
    of: columns.filter(({ derived }) => derived.source === name),
  }))
  return (rows) => {
    const values = new Map<number, ComputedColumn>()
    for (const [index, { parse, of }] of readers.entries()) {
      const parsed = Array.from({ length: rows.length }, (_, row) => {
        const text = rows.text(row, names.length + index)
        return text === null ? undefined : parse(text)
      })
      for (const { at, derived } of of)
        values.set(
          at,
          parsed.map((value) => (value === undefined ? null : (derived.read(value as never) ?? null))),
        )
    }
    return rows.with(names.length, values)
  }
}

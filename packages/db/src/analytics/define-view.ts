/** Columns by name: an expression over the tables of `from`, and its meaning with the unit. */
export type ViewColumns = Readonly<Record<string, readonly [expression: string, comment: string]>>

/** A view of the schema `analytics`. */
export interface View {
  readonly name: string
  /** What a row stands for. */
  readonly comment: string
  /** Further notes for docs/views.md. */
  readonly notes?: string
  readonly columns: ViewColumns
  /** What follows SELECT and its expressions. */
  readonly from: string
  /** More rows: other expressions for some of the columns, from other tables. */
  readonly union?: readonly {
    readonly from: string
    readonly columns: Readonly<Record<string, string>>
  }[]
}

/** The statement behind the view. */
export function selectOf({ columns, from, union = [] }: View): string {
  const branch = (tables: string, others: Readonly<Record<string, string>>) =>
    `select ${Object.entries(columns)
      .map(([name, [expression]]) => `${others[name] ?? expression} as ${name}`)
      .join(',\n    ')}\n  ${tables}`
  return [branch(from, {}), ...union.map((one) => branch(one.from, one.columns))].join('\n  union all\n  ')
}

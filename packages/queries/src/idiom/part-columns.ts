import { type RawBuilder, sql } from 'kysely'

/** Columns of all kinds of rows with their types. A row has nulls in the columns of other kinds. */
export type PartTypes = Readonly<Record<string, string>>

/**
 * Select list for one kind of rows in a statement that reads several kinds with `union all`, because a round
 * trip to the server takes longer than the lookups. `part` identifies the kind.
 */
export const partColumns =
  <Types extends PartTypes>(types: Types) =>
  (part: number, own: { readonly [Name in keyof Types]?: string }): RawBuilder<unknown> => {
    const list = Object.entries(types).map(([name, type]) => `${own[name] ?? `null::${type}`} as ${name}`)
    return sql.raw(`${part} as part, ${list.join(', ')}`)
  }

/** Columns of a table under their own names. */
export const named = (table: string, names: string | readonly string[]): Record<string, string> =>
  Object.fromEntries(
    [names].flat().flatMap((list) => list.split(' ').map((name) => [name, `${table}.${name}`])),
  )

import { type RawBuilder, sql } from 'kysely'

/** Columns of all parts with their types: a part has nulls where another has its own. */
export type PartTypes = Readonly<Record<string, string>>

/**
 * For a statement that reads rows of several kinds, one `select` each, joined by `union all`: a round trip to
 * the server costs more than all that a page looks up there. Gives the select list of one kind; `part` tells
 * its rows from others.
 */
export const partColumns =
  <Types extends PartTypes>(types: Types) =>
  (part: number, own: { readonly [Name in keyof Types]?: string }): RawBuilder<unknown> => {
    const list = Object.entries(types).map(([name, type]) => `${own[name] ?? `null::${type}`} as ${name}`)
    return sql.raw(`${part} as part, ${list.join(', ')}`)
  }

/** The columns of a table under their own names. */
export const named = (table: string, names: string | readonly string[]): Record<string, string> =>
  Object.fromEntries(
    [names].flat().flatMap((list) => list.split(' ').map((name) => [name, `${table}.${name}`])),
  )

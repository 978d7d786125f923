import { type RawBuilder, sql } from 'kysely'

/** A condition; values in it are bound. */
export type Condition = RawBuilder<unknown>
export type Sort = 'asc' | 'desc'

/**
 * Begins a statement whose best plan does not depend on its values: look-ups by key and walks along one
 * index. The server keeps its plan. Statements without it are planned for the values they carry.
 */
export const KEEP_PLAN: RawBuilder<unknown> = sql.raw('/* keep plan */')

/** All of the conditions; `true` when there is none. */
export const all = (conditions: readonly Condition[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : (sql.join(conditions, sql` and `) as RawBuilder<boolean>)

export const direction = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`asc` : sql`desc`)
/** The operator that leads to later rows of the order. */
export const beyond = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>` : sql`<`)
export const beyondOrAt = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>=` : sql`<=`)

import { KEPT_PLAN } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'

/** A condition with bound values. */
export type Condition = RawBuilder<unknown>
/** Direction of a list. */
export type Sort = 'asc' | 'desc'

/**
 * Starts a statement whose best plan does not depend on its values: lookups by key and scans along one index.
 * PostgreSQL keeps its plan; statements without this mark are planned for their values.
 */
export const KEEP_PLAN: RawBuilder<unknown> = sql.raw(KEPT_PLAN)

/** All conditions joined by AND; `true` when there are none. */
export const all = (conditions: readonly Condition[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : (sql.join(conditions, sql` and `) as RawBuilder<boolean>)

/** The direction as `order by` has it. */
export const direction = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`asc` : sql`desc`)
/** The operator that selects later rows in the order. */
export const beyond = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>` : sql`<`)
/** The same, rows at the position included. */
export const beyondOrAt = (sort: Sort): RawBuilder<unknown> => (sort === 'asc' ? sql`>=` : sql`<=`)

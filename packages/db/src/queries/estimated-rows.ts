import { TABLES, type TableName } from '@shardwalk/tables'
import { type RawBuilder, sql } from 'kysely'

/** Up to this number the rows of a queue are counted. */
const EXACT_ROWS = 10_000

/**
 * Text of an expression for the number of rows of a table that is not partitioned: exact up to `EXACT_ROWS`,
 * above that the density that PostgreSQL found at the last VACUUM or ANALYZE, times the present size. Its
 * cost does not depend on the size. Counts along the primary key, because a queue that was emptied still has
 * its pages.
 */
export function estimatedRowsText(table: TableName): string {
  const { primaryKey = [] } = TABLES[table] as { readonly primaryKey?: readonly string[] }
  return `(
    select case when n <= ${EXACT_ROWS} then n::float8 else greatest(n, (
      select reltuples::float8 / greatest(relpages, 1) *
        (pg_relation_size(oid) / current_setting('block_size')::int)
      from pg_class where oid = '${table}'::regclass))::float8 end
    from (select count(*) as n from (
      select from ${table} order by ${primaryKey.join(', ')} limit ${EXACT_ROWS + 1}) counted) few)`
}

/** `estimatedRowsText` as an expression of a query. */
export const estimatedRows = (table: TableName): RawBuilder<number> => sql.raw(estimatedRowsText(table))

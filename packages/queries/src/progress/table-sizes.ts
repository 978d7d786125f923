import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { statement } from '../idiom/index.ts'

/** Size of a table with its partitions, on disk. */
export interface TableSize {
  readonly name: string
  /** Estimated by the planner. */
  readonly rows: number
  /** Bytes; indexes apart. */
  readonly table_bytes: number
  readonly index_bytes: number
}

const SIZES = statement<TableSize>('table sizes', {
  name: 'text',
  rows: 'float8',
  table_bytes: 'float8',
  index_bytes: 'float8',
})

/** Raw: of the catalogue. The server asks the file system for every file, so not often. Largest first. */
export function readTableSizes(db: Db): Promise<readonly TableSize[]> {
  return SIZES.rows(
    db,
    sql`
    select p.relname::text as name, sum(greatest(c.reltuples, 0))::float8 as rows,
      sum(pg_table_size(c.oid))::float8 as table_bytes, sum(pg_indexes_size(c.oid))::float8 as index_bytes
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
      join pg_class p on p.oid = coalesce(i.inhparent, c.oid)
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    group by 1 order by sum(pg_total_relation_size(c.oid)) desc`,
  )
}

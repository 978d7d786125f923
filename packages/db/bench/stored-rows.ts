import { buffer } from 'node:stream/consumers'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { COPY_HEADER, COPY_TRAILER } from '../src/rows/copy-buffer.ts'
import type { EncodedRows } from '../src/rows/encoded-rows.ts'
import { pack, rowsIn } from '../src/rows/pick-rows.ts'

/** All rows of a table, encoded for COPY, in portions of nearly equal size. */
export interface StoredTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly portions: readonly EncodedRows[]
}

/** Every non-empty table, in `portions` portions each. */
export async function readTables(pool: pg.Pool, portions: number): Promise<StoredTable[]> {
  const tables: StoredTable[] = []
  for (const name of await writtenTables(pool)) {
    const columns = await columnsOf(pool, name)
    const rows = await readRows(pool, name, columns)
    if (rows.rows > 0) tables.push({ name, columns, portions: split(rows, portions) })
  }
  return tables
}

/**
 * All tables, a partitioned one listed once, except migrations, network and progress, which are not part of
 * the chain.
 */
export async function writtenTables(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and relname not like 'schema_migrations%' and relname not in ('network', 'indexed_ranges')
    order by relname`)
  return rows.map((row) => row.name)
}

async function columnsOf(pool: pg.Pool, table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = '' order by attnum`,
    [table],
  )
  return rows.map((row) => row.name)
}

async function readRows(pool: pg.Pool, table: string, columns: readonly string[]): Promise<EncodedRows> {
  const client = await pool.connect()
  try {
    const stream = client.query(
      copyTo(`copy (select ${columns.join(', ')} from ${table}) to stdout (format binary)`),
    )
    const all = await buffer(stream)
    const bytes = new Uint8Array(all.subarray(COPY_HEADER.length, all.length - COPY_TRAILER.length))
    return { rows: countRows(bytes), bytes }
  } finally {
    client.release()
  }
}

function countRows(bytes: Uint8Array<ArrayBuffer>): number {
  const view = new DataView(bytes.buffer)
  let rows = 0
  for (let at = 0; at < bytes.length; rows++) {
    const fields = view.getInt16(at)
    at += 2
    for (let field = 0; field < fields; field++) at += 4 + Math.max(0, view.getInt32(at))
  }
  return rows
}

function split(rows: EncodedRows, portions: number): EncodedRows[] {
  const spans = [...rowsIn(rows)]
  const size = Math.ceil(spans.length / portions)
  return Array.from({ length: portions }, (_, index) => pack(spans.slice(index * size, (index + 1) * size)))
}

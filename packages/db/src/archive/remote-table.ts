import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

type Client = pg.Pool | pg.ClientBase

/** A column as `create table` has it. */
export interface ColumnText {
  readonly name: string
  readonly text: string
}

/** Columns of a table in the order of the database, without dropped ones. */
export async function columnsOf(client: Client, table: string): Promise<readonly ColumnText[]> {
  const { rows } = await client.query<ColumnText>(
    `select quote_ident(attname) as name, format('%I %s%s', attname, format_type(atttypid, atttypmod),
       case when attnotnull then ' not null' else '' end) as text
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table],
  )
  return rows
}

/** Statements for the indexes of the partitioned table on one table that is to be a partition of it. */
export async function indexesOf(
  client: Client,
  parent: string,
  on: { readonly schema: string; readonly table: string },
): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(x.indexrelid) as definition
     from pg_index x join pg_class c on c.oid = x.indexrelid
     where x.indrelid = $1::regclass and not x.indisprimary order by c.relname`,
    [parent],
  )
  return rows.map(({ name, definition }) => {
    const how = definition.slice(definition.indexOf(' USING '))
    return (
      `create index if not exists ${on.table}${name.slice(parent.length)} ` +
      `on ${on.schema}.${on.table}${how}`
    )
  })
}

/** Copies all rows from one database to another. Returns their number of bytes. */
export async function copyTable(
  source: { readonly client: pg.ClientBase; readonly table: string },
  target: { readonly client: pg.ClientBase; readonly table: string },
  columns: readonly ColumnText[],
): Promise<number> {
  const list = columns.map(({ name }) => name).join(', ')
  let bytes = 0
  await pipeline(
    source.client.query(copyTo(`copy ${source.table} (${list}) to stdout (format binary)`)),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        yield chunk
      }
    },
    target.client.query(copyFrom(`copy ${target.table} (${list}) from stdin (format binary)`)),
  )
  return bytes
}

/** What two copies of a table must have in common. */
export interface Contents {
  readonly rows: number
  readonly checksum: string
}

/**
 * Number of rows of a table and the sums of both halves of their hashes. Equal for equal sets of rows, on any
 * server and in any order.
 */
export async function contentsOf(
  client: Client,
  table: string,
  columns: readonly ColumnText[],
): Promise<Contents> {
  const { rows } = await client.query<Contents>(
    `select count(*)::float8 as rows, concat(sum(('x' || left(hash, 16))::bit(64)::bigint), ':',
       sum(('x' || right(hash, 16))::bit(64)::bigint)) as checksum
     from (select md5(row(${columns.map(({ name }) => name).join(', ')})::text) as hash
       from ${table}) hashes`,
  )
  return rows[0]!
}

import { readFileSync } from 'node:fs'
import { schemaPage, TABLE_TOPICS, type TableDefinition } from '@shardwalk/tables'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../src/index.ts'

const tables: readonly TableDefinition[] = TABLE_TOPICS.flatMap(({ tables }) => [...tables])

let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
})

afterAll(() => scratch.close())

/** kysely's own tables. */
const MIGRATIONS = /^schema_migrations/

async function read<T>(query: string): Promise<T[]> {
  const { rows } = await scratch.pool.query(query)
  return rows.filter(({ table }: { table: string }) => !MIGRATIONS.test(table))
}

interface StoredColumn {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly nullable: boolean
  readonly filledIn: string
}

const sorted = <T>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

test('every table and column of the database is defined, with type, nullability and default', async () => {
  const stored = await read<StoredColumn>(`
    select c.relname as table, a.attname as column,
      case when t.typelem <> 0 and t.typcategory = 'A' then e.typname || '[]' else t.typname end as type,
      not a.attnotnull and a.attgenerated = '' as nullable,
      case when a.attgenerated <> '' or a.attidentity <> '' then 'always' when a.atthasdef then 'by default'
        else 'never' end as "filledIn"
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
    left join pg_type e on e.oid = t.typelem
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped`)
  const defined = tables.flatMap(({ name, columns }) =>
    Object.entries(columns).map(([column, { type, nullable, filledIn }]) => ({
      table: name,
      column,
      type,
      nullable,
      filledIn,
    })),
  )
  expect(sorted(defined)).toEqual(sorted(stored))
})

test('primary keys and other indexes are those of the definitions', async () => {
  const stored = await read<{ table: string; index: string; primary: boolean; definition: string }>(`
    select c.relname as table, i.relname as index, x.indisprimary as primary,
      regexp_replace(pg_get_indexdef(x.indexrelid), '^.* USING (btree )?', '') as definition
    from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition`)
  const defined = tables.flatMap(({ name, primaryKey, indexes = {} }) => [
    ...(primaryKey ? [`${name} primary key (${primaryKey.join(', ')})`] : []),
    ...Object.entries(indexes).map(([index, definition]) => `${name} ${index} ${definition}`),
  ])
  expect(defined.sort()).toEqual(
    stored
      .map(({ table, index, primary, definition }) =>
        primary ? `${table} primary key ${definition}` : `${table} ${index} ${definition}`,
      )
      .sort(),
  )
})

test('tables and columns have the comments of the definitions', async () => {
  const stored = await read<{ table: string; column: string | null; comment: string }>(`
    select c.relname as table, a.attname as column, d.description as comment
    from pg_description d join pg_class c on c.oid = d.objoid and d.classoid = 'pg_class'::regclass
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid and d.objsubid > 0
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`)
  const defined = tables.flatMap(({ name, comment, columns }) => [
    { table: name, column: null as string | null, comment },
    ...Object.entries(columns).map(([column, { comment }]) => ({ table: name, column, comment })),
  ])
  expect(sorted(stored)).toEqual(sorted(defined))
})

test('a comment that was changed is right again after the next migration', async () => {
  await scratch.pool.query("comment on column blocks.seqno is 'mine'")
  await migrate(scratch.db)
  const { rows } = await scratch.pool.query(
    "select col_description('blocks'::regclass, attnum) as text from pg_attribute where attname = 'seqno' " +
      "and attrelid = 'blocks'::regclass",
  )
  expect(rows).toEqual([{ text: 'Number of the block in its shard.' }])
})

test('COPY omits columns that the database fills in', () => {
  const states = tables.find(({ name }) => name === 'latest_account_states')
  expect(states?.copied).not.toContain('balance_rank')
})

test('docs/schema.md shows the definitions', () => {
  const page = readFileSync(new URL('../../../docs/schema.md', import.meta.url), 'utf8')
  expect(page).toBe(schemaPage())
})

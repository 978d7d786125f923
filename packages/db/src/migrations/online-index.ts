import { type Kysely, sql } from 'kysely'

/**
 * An index that is built while the table is read and written. `name` begins with the name of the table;
 * `definition` is what follows the table in `create index`, such as `using hash (hash)`.
 */
export interface OnlineIndex {
  readonly table: string
  readonly name: string
  readonly definition: string
}

/** Longest wait for a lock in whose queue readers and writers stand too. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Builds the index, or what is missing of it: the catalog says how far an interrupted run came. `db` must be
 * a single connection outside any transaction.
 *
 * A partitioned table cannot be indexed concurrently as a whole: its own index is created without those of
 * the partitions, to which it becomes valid once each of them has been built and attached.
 */
export async function buildOnlineIndex(db: Kysely<unknown>, index: OnlineIndex): Promise<void> {
  if (!(await isPartitioned(db, index.table))) return buildConcurrently(db, index)
  if (!(await findIndex(db, index.name))) await briefly(db, createIndex(index, 'only'))
  // A partition that was added in the meantime has the index already, or comes with the next round.
  for (;;) {
    const missing = await partitionsWithout(db, index)
    if (missing.length === 0) return
    for (const partition of missing) await buildOnPartition(db, index, partition)
  }
}

async function buildOnPartition(db: Kysely<unknown>, index: OnlineIndex, table: string): Promise<void> {
  const name = `${table}${index.name.slice(index.table.length)}`
  await buildConcurrently(db, { ...index, table, name })
  await briefly(db, `alter index ${quoted(index.name)} attach partition ${quoted(name)}`)
}

async function buildConcurrently(db: Kysely<unknown>, index: OnlineIndex): Promise<void> {
  const found = await findIndex(db, index.name)
  if (found?.isValid) return
  // What an interrupted build leaves behind is updated by every write and used by no read.
  if (found) await run(db, `drop index concurrently ${quoted(index.name)}`)
  await run(db, createIndex(index, 'concurrently'))
}

const createIndex = ({ table, name, definition }: OnlineIndex, how: 'concurrently' | 'only'): string =>
  how === 'only'
    ? `create index ${quoted(name)} on only ${quoted(table)} ${definition}`
    : `create index concurrently ${quoted(name)} on ${quoted(table)} ${definition}`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const run = (db: Kysely<unknown>, statement: string) => sql.raw(statement).execute(db)

/** Gives way to the others in the queue for a lock, as often as necessary. */
async function briefly(db: Kysely<unknown>, statement: string): Promise<void> {
  await run(db, `set lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    for (;;)
      try {
        await run(db, statement)
        return
      } catch (error) {
        if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
      }
  } finally {
    await run(db, 'reset lock_timeout').catch(() => {})
  }
}

async function isPartitioned(db: Kysely<unknown>, table: string): Promise<boolean> {
  const { rows } = await sql<{ kind: string }>`
    select relkind as kind from pg_class where oid = ${table}::regclass
  `.execute(db)
  return rows[0]?.kind === 'p'
}

async function findIndex(
  db: Kysely<unknown>,
  name: string,
): Promise<{ readonly isValid: boolean } | undefined> {
  const { rows } = await sql<{ isValid: boolean }>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${quoted(name)})
  `.execute(db)
  return rows[0]
}

/**
 * Partitions here none of whose indexes is attached to the index. Those on archive servers get theirs when
 * they are moved; because of them the table's own index stays invalid, which no plan depends on.
 */
async function partitionsWithout(db: Kysely<unknown>, { table, name }: OnlineIndex): Promise<string[]> {
  const { rows } = await sql<{ partition: string }>`
    select p.relname as partition
    from pg_inherits i join pg_class p on p.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and p.relkind = 'r' and not exists (
      select from pg_inherits a join pg_index x on x.indexrelid = a.inhrelid
      where a.inhparent = ${quoted(name)}::regclass and x.indrelid = p.oid
    )
    order by p.relname
  `.execute(db)
  return rows.map((row) => row.partition)
}

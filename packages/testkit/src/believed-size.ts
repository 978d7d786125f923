import { chown, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** Rows at four billion transactions; of a partitioned table in all partitions. */
const ROWS: Readonly<Record<string, number>> = {
  transactions: 4e9,
  messages: 6e9,
  blocks: 250e6,
  accounts: 300e6,
  latest_account_states: 300e6,
  account_data: 250e6,
  contracts: 260e6,
  contract_data: 200e6,
  traces: 900e6,
  trace_pieces: 2.5e9,
  actions: 2e9,
  action_accounts: 5e9,
  asked_facts: 500e6,
  jetton_wallets: 100e6,
  jetton_transfers: 700e6,
  jetton_burns: 50e6,
  nft_items: 200e6,
  nft_transfers: 300e6,
  mintless_claims: 100e6,
  address_metadata: 50e6,
  // What waits while history is filled in.
  refresh_queue: 10e6,
  event_queue: 1e6,
  unclassified_traces: 10e6,
}

const PAGE_BYTES = 8192
/** PostgreSQL keeps a table in files of this size. */
const FILE_BYTES = 2 ** 30
/** Of an entry of a B-tree or a hash index. */
const ENTRY_BYTES = 30
/** From this number on ANALYZE has seen too few distinct values to take them for all there are. */
const MANY_VALUES = 250

/** Whether a table, or the table that it is a partition of, is believed to be large. */
export const isBelievedLarge = (table: string): boolean => ROWS[table.replace(/_lt_\d+$/, '')] !== undefined

/**
 * Makes the planner believe that the tables of an analysed database are as large as at four billion
 * transactions: statistics say so, and files, whose size it asks for, are extended by holes, which take no
 * space. Plans may then be looked at; a statement that reads a whole table would read terabytes of zeros.
 * False if it cannot be done: it takes PostgreSQL 18 with its files on this machine, and not Windows, where
 * files have no holes by themselves.
 */
export async function believeLarge(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ folder: string; version: number }>(
    `select current_setting('data_directory') as folder,
       current_setting('server_version_num')::int as version`,
  )
  const { folder, version } = rows[0]!
  const hasHoles = process.platform !== 'win32'
  if (version < 180_000 || !hasHoles || !(await stat(folder).catch(() => undefined))) return false
  // By the numbers of rows that there really are.
  const relations = await readRelations(pool)
  await believeValues(pool)
  for (const relation of relations) await enlarge(pool, folder, relation)
  return true
}

interface Relation {
  readonly oid: number
  /** Of its first file; null for a table that is only its partitions. */
  readonly path: string | null
  readonly rows: number
  readonly pages: number
  /** Of a row. */
  readonly bytes: number
}

/** Tables and partitions with the numbers of rows that they are to have, in proportion to those they have. */
const LARGE = `
  large as (
    select c.oid, c.relkind, c.reltuples as found, l.rows::float8 *
      case when i.inhparent is null then 1 else greatest(c.reltuples, 1)
        / sum(greatest(c.reltuples, 1)) over (partition by i.inhparent) end as rows
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    join pg_class root on root.oid = coalesce(i.inhparent, c.oid)
    join json_each_text($1::json) l(name, rows) on l.name = root.relname
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace)`

async function readRelations(pool: pg.Pool): Promise<readonly Relation[]> {
  const { rows } = await pool.query<Relation>(
    `with ${LARGE}, relations as (
       select x.indexrelid as oid, ${ENTRY_BYTES}::float8 as bytes, l.rows *
         case when x.indpred is null then 1 when l.found > 0 then c.reltuples / l.found else 0.1 end as rows
       from large l join pg_index x on x.indrelid = l.oid join pg_class c on c.oid = x.indexrelid
       join pg_am m on m.oid = c.relam where m.amname <> 'brin'
       union all
       select l.oid, 28 + (select coalesce(sum(stawidth * (1 - stanullfrac)), 0) from pg_statistic
         where starelid = l.oid and not stainherit), l.rows
       from large l)
     select r.oid::int8::float8 as oid, pg_relation_filepath(c.oid) as path, c.relpages as pages, r.rows,
       r.bytes from relations r join pg_class c on c.oid = r.oid`,
    [JSON.stringify(ROWS)],
  )
  return rows
}

async function enlarge(pool: pg.Pool, folder: string, relation: Relation): Promise<void> {
  const { oid, path, rows, bytes, pages } = relation
  const wanted = path === null ? -1 : Math.max(pages, Math.ceil((rows * bytes) / PAGE_BYTES))
  if (path !== null && wanted > pages) await extend(join(folder, path), wanted * PAGE_BYTES)
  await pool.query(
    `update pg_class set reltuples = $2, relpages = $3,
       relallvisible = case when relkind = 'r' then $3 else 0 end where oid = $1`,
    [oid, rows, wanted],
  )
}

async function extend(path: string, bytes: number): Promise<void> {
  const { uid, gid } = await stat(path)
  for (let file = 0; file * FILE_BYTES < bytes; file++) {
    const name = file === 0 ? path : `${path}.${file}`
    if (file > 0) await writeFile(name, '', { mode: 0o600 })
    if (file > 0) await chown(name, uid, gid)
    await truncate(name, Math.min(FILE_BYTES, bytes - file * FILE_BYTES))
  }
}

/** Columns whose commonest values are as common at any size. */
const BUSY = ['account_id', 'in_msg_account_id', 'destination_id', 'owner_id', 'source_id', 'opcode']

/**
 * What ANALYZE took for a number of distinct values grows with the table, and a sample of so many rows hardly
 * has a value twice.
 */
const MORE_VALUES = `
  with ${LARGE}
  update pg_statistic s set
    stadistinct = case when stadistinct > 0 then -least(1, stadistinct / greatest(l.found, 1))
      else stadistinct end,
    stakind1 = case when stakind1 = 1 and not a.attname = any ($2) then 0 else stakind1 end,
    stakind2 = case when stakind2 = 1 and not a.attname = any ($2) then 0 else stakind2 end
  from large l, pg_attribute a
  where s.starelid = l.oid and a.attrelid = l.oid and a.attnum = s.staattnum
    and (stadistinct > ${MANY_VALUES} or stadistinct < 0)`

/** Columns whose values grow along the chain, by how much in all of it; a block has a tiny part of it. */
const GROWING = {
  lt: 3e14,
  in_msg_lt: 3e14,
  start_lt: 3e14,
  end_lt: 3e14,
  trace_end_lt: 3e14,
  batch_start_lt: 3e14,
  batch_end_lt: 3e14,
  now: 2e8,
  gen_utime: 2e8,
  created_at: 2e8,
  end_utime: 2e8,
  trace_end_utime: 2e8,
}

/** Their bounds as if rows were spread over the whole chain up to the present newest one. */
const LONGER_CHAIN = `
  with ${LARGE}
  select pg_restore_attribute_stats('schemaname', s.schemaname::text, 'relname', s.tablename::text,
    'attname', s.attname::text, 'inherited', s.inherited, 'null_frac', s.null_frac,
    'avg_width', s.avg_width, 'n_distinct', s.n_distinct, 'histogram_bounds',
    (select array_agg(last - (100 - n) * (g.extent::float8::int8 / 100) order by n)::text
      from generate_series(0, 100) n))
  from large l join pg_class c on c.oid = l.oid join pg_stats s on s.tablename = c.relname
  join json_each_text($2::json) g(name, extent) on g.name = s.attname
  cross join lateral (select max(b) as last from unnest(s.histogram_bounds::text::int8[]) b) x
  where s.schemaname = current_schema() and last is not null`

async function believeValues(pool: pg.Pool): Promise<void> {
  await pool.query(MORE_VALUES, [JSON.stringify(ROWS), BUSY])
  await pool.query(LONGER_CHAIN, [JSON.stringify(ROWS), JSON.stringify(GROWING)])
}

import type { Lt, McBlockSeqno } from '@shardwalk/model'
import { COMPLETE_TRACE, TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import { deleteActions, dequeueTraces } from '../actions/write-actions.ts'
import { inTransaction } from '../writing/transaction.ts'
import { leastLtFrom } from './find-cut.ts'

/** Rows that one transaction deletes by an index. */
const ROWS = 5_000
/** Pages of a table that one transaction looks through. */
const PAGES = 2_000
/** Traces that one transaction deletes, with their actions. */
const TRACES = 500

/** Tables with an index that tells which rows are before a masterchain block. */
const BY_INDEX = [
  ['quarantine', 'mc_seqno < $1'],
  // The upper half of a piece is its masterchain block.
  ['trace_pieces', 'piece < ($1::bigint << 32)'],
] as const

/** States that remain are still to be completed. */
const NOT_NEWEST =
  'not exists (select from latest_account_states s where s.account_id = h.account_id and s.lt = h.lt)'

/**
 * Deletes what belongs to masterchain blocks before `seqno` from the tables without partitions, in bounded
 * transactions. The rows of `blocks` come last: they tell that there is something to do. Returns the number
 * of rows. `mayGoOn` is asked before each transaction.
 */
export async function deletePages(
  pool: pg.Pool,
  seqno: McBlockSeqno,
  mayGoOn: () => Promise<boolean>,
): Promise<number> {
  const lt = await firstLt(pool, seqno)
  if (lt === undefined) return 0
  const steps: readonly (() => AsyncGenerator<number>)[] = [
    () => untilNone(() => deleteTraces(pool, seqno)),
    () => alongTable(pool, 'traces', (pages) => deleteUnfinished(pool, seqno, pages)),
    // Their indexes leave out those that are not confirmed.
    ...TOKEN_EVENT_TABLES.map(
      (table) => () =>
        alongTable(pool, table, (pages) =>
          run(pool, `delete from ${table} where ${IN_PAGES} and lt < $3`, [...pages, lt]),
        ),
    ),
    () =>
      alongTable(pool, 'hidden_currencies', (pages) =>
        run(pool, `delete from hidden_currencies h where ${IN_PAGES} and mc_seqno < $3 and ${NOT_NEWEST}`, [
          ...pages,
          seqno,
        ]),
      ),
    ...BY_INDEX.map(
      ([table, condition]) =>
        () =>
          untilNone(() => deleteByIndex(pool, table, condition, seqno)),
    ),
    () => untilNone(() => deleteByIndex(pool, 'blocks', 'mc_block_seqno < $1', seqno)),
  ]
  let deleted = 0
  for (const step of steps)
    for await (const rows of step()) {
      deleted += rows
      if (!(await mayGoOn())) return deleted
    }
  return deleted
}

/** The least lt from `seqno` on; undefined if there is no block before it. Index: blocks_mc_block_seqno. */
async function firstLt(pool: pg.Pool, seqno: McBlockSeqno): Promise<Lt | undefined> {
  const { rowCount } = await pool.query('select from blocks where mc_block_seqno < $1 limit 1', [seqno])
  return rowCount ? leastLtFrom(pool, seqno) : undefined
}

async function* untilNone(deletePage: () => Promise<number>): AsyncGenerator<number> {
  for (let rows = await deletePage(); rows > 0; rows = await deletePage()) yield rows
}

type PageRange = readonly [from: string, to: string]
const IN_PAGES = 'ctid >= $1::tid and ctid < $2::tid'

/** From the first page of the table to its present last one. */
async function* alongTable(
  pool: pg.Pool,
  table: string,
  deleteIn: (pages: PageRange) => Promise<number>,
): AsyncGenerator<number> {
  const { rows } = await pool.query<{ pages: number }>(
    `select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as pages`,
    [table],
  )
  for (let page = 0; page < rows[0]!.pages; page += PAGES)
    yield await deleteIn([`(${page},0)`, `(${page + PAGES},0)`])
}

async function run(pool: pg.Pool, statement: string, values: readonly unknown[]): Promise<number> {
  const { rowCount } = await pool.query(statement, [...values])
  return rowCount ?? 0
}

const deleteByIndex = (
  pool: pg.Pool,
  table: string,
  condition: string,
  seqno: McBlockSeqno,
): Promise<number> =>
  run(
    pool,
    `delete from ${table}
     where ctid = any(array(select ctid from ${table} where ${condition} limit ${ROWS}))`,
    [seqno],
  )

/** Index: traces_mc_seqno_end. */
const deleteTraces = (pool: pg.Pool, seqno: McBlockSeqno): Promise<number> =>
  inTransaction(pool, (client) =>
    deleteWithActions(
      client,
      `select trace_id from traces where state = ${COMPLETE_TRACE} and mc_seqno_end < $1 limit ${TRACES}`,
      [seqno],
    ),
  )

/** Those that are not complete have no index. */
const deleteUnfinished = (pool: pg.Pool, seqno: McBlockSeqno, pages: PageRange): Promise<number> =>
  inTransaction(pool, (client) =>
    deleteWithActions(
      client,
      `select trace_id from traces where ${IN_PAGES} and state <> ${COMPLETE_TRACE} and mc_seqno_end < $3`,
      [...pages, seqno],
    ),
  )

/** Deletes traces with everything that was derived from them. */
async function deleteWithActions(
  client: pg.ClientBase,
  selection: string,
  values: readonly unknown[],
): Promise<number> {
  const { rows } = await client.query<{ trace_id: Buffer }>(selection, [...values])
  if (rows.length === 0) return 0
  const ids = rows.map((row) => row.trace_id)
  await dequeueTraces(client, ids)
  await client.query('delete from traces where trace_id = any($1)', [ids])
  await deleteActions(client, ids)
  return ids.length
}

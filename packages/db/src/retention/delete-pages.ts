import type { Lt, McBlockSeqno } from '@shardwalk/model'
import { COMPLETE_TRACE, TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import { deleteActions, dequeueTraces } from '../actions/write-actions.ts'
import { greatest } from '../rows/lt.ts'
import { inTransaction } from '../writing/transaction.ts'
import { leastLtFrom } from './find-cut.ts'

/** Rows that one transaction deletes by an index. */
const ROWS = 5_000
/** Pages of a table that one transaction looks through. */
const PAGES = 2_000
/** Traces that one transaction deletes, with their actions. */
const TRACES = 500

/** A table with an index that tells which rows are before a masterchain block. */
interface Indexed {
  readonly table: string
  readonly column: string
  /** First value that is kept. */
  readonly end: string
}

const BLOCKS: Indexed = { table: 'blocks', column: 'mc_block_seqno', end: '$1' }
const BY_INDEX: readonly Indexed[] = [
  { table: 'quarantine', column: 'mc_seqno', end: '$1' },
  // The upper half of a piece is its masterchain block.
  { table: 'trace_pieces', column: 'piece', end: '($1::bigint << 32)' },
]

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
    () => alongIndex((from) => deleteTraces(pool, seqno, from)),
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
    ...[...BY_INDEX, BLOCKS].map(
      (one) => () => alongIndex((from) => deleteByIndex(pool, one, { seqno, from })),
    ),
  ]
  let deleted = 0
  for (const step of steps)
    for await (const rows of step()) {
      deleted += rows
      if (!(await mayGoOn())) return deleted
    }
  return deleted
}

/**
 * The least lt from `seqno` on, or if nothing has happened since, what follows the last lt before it;
 * undefined if there is no block before it. Index: blocks_mc_block_seqno.
 */
async function firstLt(pool: pg.Pool, seqno: McBlockSeqno): Promise<Lt | undefined> {
  const { rowCount } = await pool.query(
    'select from blocks where mc_block_seqno < $1 order by mc_block_seqno limit 1',
    [seqno],
  )
  if (!rowCount) return undefined
  const least = await leastLtFrom(pool, seqno)
  if (least !== undefined) return least
  const { rows } = await pool.query<{ end: Lt }>(
    'select max(end_lt) + 1 as end from blocks where mc_block_seqno < $1',
    [seqno],
  )
  return rows[0]!.end
}

/** What a page of rows in the order of an index had; `last`: the place of the last one. */
interface DeletedPage {
  readonly rows: number
  readonly last: bigint | null
}

/**
 * Pages in the order of an index, each from where the last one ended: entries of rows that were deleted stay
 * until vacuum removes them.
 */
async function* alongIndex(deleteFrom: (from: bigint) => Promise<DeletedPage>): AsyncGenerator<number> {
  let from: bigint | null = 0n
  while (from !== null) {
    const page: DeletedPage = await deleteFrom(from)
    if (page.rows > 0) yield page.rows
    from = page.last
  }
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

/**
 * In the order of the index: without it the planner, which expects the rows everywhere, would read the table
 * from its beginning, where they have been deleted already.
 */
async function deleteByIndex(
  pool: pg.Pool,
  { table, column, end }: Indexed,
  { seqno, from }: { readonly seqno: McBlockSeqno; readonly from: bigint },
): Promise<DeletedPage> {
  const { rows } = await pool.query<{ place: bigint }>(
    `delete from ${table} where ctid = any(array(
       select ctid from ${table} where ${column} >= $2::bigint and ${column} < ${end}
       order by ${column} limit ${ROWS})) returning ${column}::bigint as place`,
    [seqno, from],
  )
  const places = rows.map(({ place }) => place)
  return { rows: places.length, last: places.length > 0 ? places.reduce(greatest) : null }
}

/** Index: traces_mc_seqno_end. In its order, as with `deleteByIndex`. */
const deleteTraces = (pool: pg.Pool, seqno: McBlockSeqno, from: bigint): Promise<DeletedPage> =>
  inTransaction(pool, async (client) => {
    const found = await client.query<TraceRow>(
      `select trace_id, mc_seqno_end from traces
       where state = ${COMPLETE_TRACE} and mc_seqno_end >= $2 and mc_seqno_end < $1
       order by mc_seqno_end limit ${TRACES}`,
      [seqno, from],
    )
    await deleteWithActions(client, found.rows)
    const last = found.rows.at(-1)
    return { rows: found.rows.length, last: last ? BigInt(last.mc_seqno_end) : null }
  })

interface TraceRow {
  readonly trace_id: Buffer
  readonly mc_seqno_end: McBlockSeqno
}

/** Those that are not complete have no index. */
const deleteUnfinished = (pool: pg.Pool, seqno: McBlockSeqno, pages: PageRange): Promise<number> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<Pick<TraceRow, 'trace_id'>>(
      `select trace_id from traces where ${IN_PAGES} and state <> ${COMPLETE_TRACE} and mc_seqno_end < $3`,
      [...pages, seqno],
    )
    await deleteWithActions(client, rows)
    return rows.length
  })

/** Deletes traces with everything that was derived from them. */
async function deleteWithActions(
  client: pg.ClientBase,
  rows: readonly Pick<TraceRow, 'trace_id'>[],
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map((row) => row.trace_id)
  await dequeueTraces(client, ids)
  await client.query('delete from traces where trace_id = any($1)', [ids])
  await deleteActions(client, ids)
}

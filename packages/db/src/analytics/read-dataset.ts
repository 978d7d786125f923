import type pg from 'pg'
import { type RunningCopy, startCopy } from './copy-rows.ts'
import type { Dataset, FilterName } from './define-dataset.ts'
import type { SeqnoRange } from './ranges-of-days.ts'
import { readSnapshot, type SnapshotReading } from './read-snapshot.ts'
import type { RowBatch } from './row-batch.ts'
import { selectionOf } from './select-dataset.ts'

/** Blocks per statement: a long one would keep vacuum from removing rows. */
const BLOCKS_PER_STATEMENT = 1_000

/** Ids of accounts, or texts, of which one has to match. */
export type DatasetFilters = Partial<Readonly<Record<FilterName, readonly (bigint | string)[]>>>

/** What to read of a dataset. */
export interface DatasetRequest {
  readonly dataset: Dataset
  readonly columns: readonly string[]
  /** Undefined for a snapshot. */
  readonly range?: SeqnoRange
  readonly filters?: DatasetFilters
  /**
   * Awaited before each statement. An open one would keep vacuum from removing rows as long as it pauses; the
   * transaction of a snapshot does so while its moment lasts.
   */
  readonly turn?: (() => Promise<void>) | undefined
  readonly reading?: SnapshotReading
}

/**
 * Rows of the range, or of the snapshot, in the order of the dataset; a few hundred at a time. They lack the
 * columns that `completionOf` computes.
 */
export async function* readDataset(pool: pg.Pool, request: DatasetRequest): AsyncGenerator<RowBatch> {
  const { dataset, columns, filters = {}, reading = {} } = request
  if (dataset.walks) {
    const filtered = Object.keys(filters).length > 0 ? filterCondition(dataset, filters) : undefined
    yield* readSnapshot(pool, { dataset, columns, filtered, turn: request.turn, reading })
    return
  }
  const expressions = selectionOf(dataset, columns)
  const start = async (condition: string) => {
    await request.turn?.()
    return startCopy(
      pool,
      `select ${expressions.join(', ')} ${dataset.from} where ${condition} order by ${dataset.order}`,
      expressions.length,
    )
  }
  for await (const copy of oneAhead(conditionsOf(pool, request), start)) yield* copy.rows()
}

/**
 * Each statement is started while the rows of the one before are read: it sends nothing before it has sorted
 * all of its rows.
 */
async function* oneAhead(
  conditions: AsyncGenerator<string>,
  start: (condition: string) => Promise<RunningCopy>,
): AsyncGenerator<RunningCopy> {
  const startNext = async () => {
    const { value, done } = await conditions.next()
    return done ? undefined : start(value)
  }
  let next = startNext()
  try {
    for (;;) {
      const copy = await next
      if (!copy) return
      next = startNext()
      // Awaited when its turn comes.
      next.catch(() => {})
      yield copy
    }
  } finally {
    await next.then((copy) => copy?.cancel()).catch(() => {})
  }
}

/** Number of rows that `readDataset` gives. */
export async function countDataset(pool: pg.Pool, request: DatasetRequest): Promise<bigint> {
  let rows = 0n
  for await (const condition of conditionsOf(pool, request)) {
    const { rows: found } = await pool.query<{ count: string }>(
      `select count(*)::text as count ${request.dataset.from} where ${condition}`,
    )
    rows += BigInt(found[0]!.count)
  }
  return rows
}

/** One for each statement, in order. */
async function* conditionsOf(
  pool: pg.Pool,
  { dataset, range, filters = {} }: DatasetRequest,
): AsyncGenerator<string> {
  const filtered = filterCondition(dataset, filters)
  if (!range || !dataset.position) {
    yield filtered
    return
  }
  const { seqno, lt } = dataset.position
  for (let from = range.from; from <= range.to; from += BLOCKS_PER_STATEMENT) {
    const to = Math.min(range.to, from + BLOCKS_PER_STATEMENT - 1)
    const bounds = await ltBounds(pool, { from, to })
    if (bounds)
      yield `${seqno} between ${from} and ${to} and ${lt} between ${bounds.start} and ${bounds.end}
       and ${filtered}`
  }
}

function filterCondition({ filters: columns = {} }: Dataset, filters: DatasetFilters): string {
  const conditions = Object.entries(filters).map(([name, values]) => {
    const list = values.map((value) => (typeof value === 'bigint' ? String(value) : quoted(value)))
    const type = name === 'type' ? 'text' : 'int8'
    const matching = (columns[name as FilterName] ?? []).map(
      (column) => `${column} = any (array[${list.join(', ')}]::${type}[])`,
    )
    return `(${matching.length > 0 ? matching.join(' or ') : 'false'})`
  })
  return conditions.length > 0 ? conditions.join(' and ') : 'true'
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Undefined if none of the blocks is indexed. */
async function ltBounds(
  pool: pg.Pool,
  { from, to }: SeqnoRange,
): Promise<{ readonly start: string; readonly end: string } | undefined> {
  const { rows } = await pool.query<{ start: string | null; end: string | null }>(
    `select min(batch_start_lt)::text as start, max(batch_end_lt)::text as end from blocks
     where workchain = -1 and shard = -9223372036854775808 and seqno between $1 and $2`,
    [from, to],
  )
  const { start, end } = rows[0]!
  return start === null || end === null ? undefined : { start, end }
}

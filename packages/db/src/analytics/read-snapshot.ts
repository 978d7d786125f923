import type pg from 'pg'
import { copyRows } from './copy-rows.ts'
import type { Dataset } from './define-dataset.ts'
import type { RowBatch } from './row-batch.ts'
import { selectionOf } from './select-dataset.ts'
import { pagesOf, type SnapshotPage } from './snapshot-pages.ts'

/** Rows of a statement, which is short and sorts little. */
const ROWS_PER_PAGE = 50_000
/** As long as rows are of one moment, vacuum cannot remove what was deleted since then. */
const MOMENT_MS = 600_000

/** How a snapshot is read. */
export interface SnapshotReading {
  /** Goes on behind the row with this position. */
  readonly after?: string | undefined
  /** Default: 50,000. */
  readonly rowsPerPage?: number | undefined
  /** How long rows are of one moment. Default: ten minutes. */
  readonly momentMs?: number | undefined
  /** Called when a moment begins, with the newest indexed masterchain block; null: there is none. */
  readonly onMoment?: ((seqno: number | null) => void) | undefined
}

interface Request {
  readonly dataset: Dataset
  readonly columns: readonly string[]
  /** Few rows are wanted, which an index has: one statement reads them. */
  readonly filtered: string | undefined
  readonly turn?: (() => Promise<void>) | undefined
  readonly reading: SnapshotReading
}

/** Rows of the snapshot in its order. Behind their columns they have their position. */
export async function* readSnapshot(pool: pg.Pool, request: Request): AsyncGenerator<RowBatch> {
  const { dataset, columns, reading, turn } = request
  const expressions = selectionOf(dataset, columns)
  const client = await pool.connect()
  const moments = new Moments(client, reading)
  let isDone = false
  try {
    for await (const page of snapshotPages(client, request)) {
      await turn?.()
      await moments.next(page)
      const selected = [...expressions, page.position].join(', ')
      const query = `select ${selected} ${dataset.from} where ${page.condition} order by ${dataset.order}`
      yield* copyRows(client, query, expressions.length + 1)
    }
    await client.query('commit')
    isDone = true
  } finally {
    // The rest of a result that is not wanted any more would have to be read before another query.
    client.release(isDone ? undefined : true)
  }
}

async function* snapshotPages(
  client: pg.ClientBase,
  { dataset, filtered, reading }: Pick<Request, 'dataset' | 'filtered' | 'reading'>,
): AsyncGenerator<SnapshotPage> {
  if (filtered !== undefined) yield { condition: filtered, position: "''", isPart: false }
  else
    yield* pagesOf(client, dataset.walks!, {
      after: reading.after,
      rows: reading.rowsPerPage ?? ROWS_PER_PAGE,
    })
}

/**
 * The rows of a page have few others to be joined with, which indexes find. Where the planner expects more
 * rows than there are, it would read the other tables as a whole, for each page.
 */
const OF_A_PAGE = `set local enable_seqscan = off; set local enable_hashjoin = off;
  set local enable_mergejoin = off; set local jit = off`

/** Transactions with one snapshot of the database each. */
class Moments {
  private endsAt = Number.NEGATIVE_INFINITY
  private isOfPages = false

  constructor(
    private readonly client: pg.ClientBase,
    private readonly reading: SnapshotReading,
  ) {}

  async next({ isPart }: SnapshotPage): Promise<void> {
    if (performance.now() >= this.endsAt) await this.begin()
    if (isPart && !this.isOfPages) await this.client.query(OF_A_PAGE)
    this.isOfPages ||= isPart
  }

  private async begin(): Promise<void> {
    if (Number.isFinite(this.endsAt)) await this.client.query('commit')
    await this.client.query('begin isolation level repeatable read, read only')
    const { rows } = await this.client.query<{ seqno: number | null }>(
      'select (select to_seqno from indexed_ranges order by to_seqno desc limit 1) as seqno',
    )
    this.endsAt = performance.now() + (this.reading.momentMs ?? MOMENT_MS)
    this.isOfPages = false
    this.reading.onMoment?.(rows[0]!.seqno)
  }
}

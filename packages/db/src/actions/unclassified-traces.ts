import type { McBlockSeqno } from '@shardwalk/model'
import type { SeqnoRange } from '@shardwalk/pipeline'
import { COMPLETE_TRACE } from '@shardwalk/tables'
import type pg from 'pg'
import { estimatedRowsText } from '../queries/estimated-rows.ts'
import { lock } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { TO_BE_EXAMINED } from './queue-candidates.ts'

const PAGE = 10_000

interface EnqueueOptions {
  /** Called after each transaction. */
  readonly onPage?: (progress: QueuedUpTo) => void
  /** Traces that one transaction queues, and those that ended in the block of the last one. */
  readonly pageRows?: number
}

/** How far traces were queued: those that ended up to this masterchain block. */
interface QueuedUpTo {
  readonly seqno: McBlockSeqno
  /** Traces added so far. */
  readonly traces: number
}

/**
 * Queues the complete traces that ended in these masterchain blocks for classification, in short
 * transactions, from the first block on: an interrupted call can be continued where it was. Their actions
 * stay until new ones replace them. Returns the number of traces added. Index: traces_mc_seqno_end.
 */
export async function enqueueForClassifier(
  pool: pg.Pool,
  { from, to }: SeqnoRange,
  { onPage = () => {}, pageRows = PAGE }: EnqueueOptions = {},
): Promise<number> {
  let traces = 0
  for (let next: McBlockSeqno | undefined = from; next !== undefined; ) {
    const page: QueuedPage = await enqueuePage(pool, { from: next, to }, pageRows)
    traces += page.queued
    if (page.last !== null) onPage({ seqno: page.last, traces })
    next = page.last === null ? undefined : page.last + 1
  }
  return traces
}

interface QueuedPage {
  readonly queued: number
  /** Null: no complete trace ended in the range. */
  readonly last: McBlockSeqno | null
}

/** The first traces of the range, with all of the last block. */
const enqueuePage = (pool: pg.Pool, range: SeqnoRange, rows: number): Promise<QueuedPage> =>
  inTransaction(pool, async (client) => {
    await lock(client, 'reclassify')
    const page = await client.query<QueuedPage>(
      `with page as materialized (
         select trace_id, end_lt, edges, mc_seqno_end from traces
         where state = ${COMPLETE_TRACE} and mc_seqno_end between $1 and $2
         order by mc_seqno_end fetch first ${rows} rows with ties
       ), queued as (
         insert into unclassified_traces (trace_id, end_lt)
         select trace_id, end_lt from page where edges > 0 order by trace_id
         on conflict (trace_id) do nothing returning 1
       ) select (select count(*)::int from queued) as queued, max(mc_seqno_end) as last from page`,
      [range.from, range.to],
    )
    return page.rows[0]!
  })

/** What waits to be classified. */
export interface ClassifierQueueState {
  /** Number of waiting traces: exact up to 10,000, an estimate above. */
  readonly waiting: number
  /** Number of those among the newest 10,000 that wait for contracts to be examined. */
  readonly waitingForContracts: number
  /** How long the oldest one has been waiting; 0 when none is waiting. */
  readonly oldestSeconds: number
  /** Contracts that changed and whose traces have not been queued yet; exact as `waiting`. */
  readonly changedAccounts: number
  /** Traces that have only basic actions, because of a fault or of their size; exact as `waiting`. */
  readonly failed: number
}

/** Size and state of the queue. */
export async function readClassifierQueue(pool: pg.Pool): Promise<ClassifierQueueState> {
  const { rows } = await pool.query<{ [K in keyof ClassifierQueueState]: number }>(
    `select ${estimatedRowsText('unclassified_traces')} as waiting,
       (select count(*) from (select trace_id from unclassified_traces order by end_lt desc limit 10000) u
         join traces r using (trace_id)
        where exists (${TO_BE_EXAMINED}))::float8 as "waitingForContracts",
       (select coalesce(greatest(extract(epoch from now() - min(queued_at)), 0), 0)
         from unclassified_traces)::float8
         as "oldestSeconds",
       ${estimatedRowsText('changed_facts')} as "changedAccounts",
       ${estimatedRowsText('classification_failures')} as failed`,
  )
  return rows[0]!
}

/** Number of waiting traces, except those of changed accounts that have not been queued yet. */
export async function countUnclassified(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: bigint }>('select count(*) as n from unclassified_traces')
  return Number(rows[0]!.n)
}

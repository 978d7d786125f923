import type { SeqnoRange } from '@shardwalk/pipeline'
import { COMPLETE_TRACE } from '@shardwalk/tables'
import type pg from 'pg'
import { estimatedRowsText } from '../queries/estimated-rows.ts'
import { lock } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { TO_BE_EXAMINED } from './queue-candidates.ts'

/**
 * Queues the complete traces that ended in these masterchain blocks for classification. Their actions stay
 * until new ones replace them. Returns the number of traces added.
 */
export function enqueueForClassifier(pool: pg.Pool, range: SeqnoRange): Promise<number> {
  return inTransaction(pool, async (client) => {
    await lock(client, 'reclassify')
    const { rowCount } = await client.query(
      `insert into unclassified_traces (trace_id, end_lt)
       select trace_id, end_lt from traces
       where state = ${COMPLETE_TRACE} and edges > 0 and mc_seqno_end between $1 and $2
       on conflict (trace_id) do nothing`,
      [range.from, range.to],
    )
    return rowCount ?? 0
  })
}

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

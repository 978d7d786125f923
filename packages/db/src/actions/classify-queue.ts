import { classifyTrace, type Trace } from '@shardwalk/actions'
import type pg from 'pg'
import { withNumbering } from '../contracts/account-list.ts'
import type { SeqnoRange } from '../sink/ranges.ts'
import { loadFacts } from './facts.ts'
import { loadTraces } from './load-traces.ts'
import { writeActions } from './write-actions.ts'

export interface ClassifyQueueOptions {
  /** Most traces in one transaction. Default 200. */
  readonly limit?: number
  /** Leave traces waiting whose contracts are still to be examined (`refresh_queue`). Default true. */
  readonly waitForFacts?: boolean
}

export interface Classified {
  readonly traces: number
  readonly actions: number
  readonly failed: number
}

/** Newest first, so that the head does not wait for a backfill; looked at at most, ready or not. */
const CANDIDATES = 2000

/**
 * Classifies some of the traces that wait, in one transaction: claimed rows, actions and the end of their waiting become visible together,
 * and a process that dies leaves its traces waiting. Any number of processes may call it at once. Zero traces: nothing is ready.
 */
export function classifyWaiting(pool: pg.Pool, options: ClassifyQueueOptions = {}): Promise<Classified> {
  return withNumbering(pool, async (client, numbering) => {
    const ids = await claim(client, options)
    if (ids.length === 0) return { traces: 0, actions: 0, failed: 0 }
    const traces = await loadTraces(client, ids)
    const facts = await loadFacts(client, traces)
    const results = traces.map((trace: Trace) => classifyTrace(trace, facts))
    await writeActions(client, numbering, ids, results)
    await client.query('delete from unclassified_traces where trace_id = any($1)', [ids])
    return {
      traces: ids.length,
      actions: results.reduce((sum, { actions }) => sum + actions.length, 0),
      failed: results.filter(({ state }) => state === 'failed').length,
    }
  })
}

async function claim(
  client: pg.ClientBase,
  { limit = 200, waitForFacts = true }: ClassifyQueueOptions,
): Promise<Buffer[]> {
  const { rows } = await client.query<{ trace_id: Buffer }>(
    `select u.trace_id from unclassified_traces u
     where u.trace_id in (select trace_id from unclassified_traces order by end_lt desc limit ${CANDIDATES})
     ${waitForFacts ? `and ${NOTHING_TO_EXAMINE}` : ''}
     order by u.end_lt desc limit $1 for update of u skip locked`,
    [limit],
  )
  return rows.map((row) => row.trace_id)
}

const NOTHING_TO_EXAMINE = `not exists (
  select from traces r join transactions t on t.trace_id = r.trace_id and t.lt between r.start_lt and r.end_lt
  join refresh_queue q on q.account_id = t.account_id
  where r.trace_id = u.trace_id)`

/**
 * Has the complete traces that ended in these masterchain blocks classified again. Their actions stay until new ones take their place. Returns
 * how many there are.
 */
export async function enqueueForClassifier(pool: pg.Pool, range: SeqnoRange): Promise<number> {
  const { rowCount } = await pool.query(
    `insert into unclassified_traces (trace_id, end_lt)
     select trace_id, end_lt from traces where state = 0 and edges > 0 and mc_seqno_end between $1 and $2
     on conflict (trace_id) do nothing`,
    [range.from, range.to],
  )
  return rowCount ?? 0
}

/** Traces that wait. */
export async function countUnclassified(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: bigint }>('select count(*) as n from unclassified_traces')
  return Number(rows[0]!.n)
}

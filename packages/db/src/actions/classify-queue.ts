import { type Classification, classifyTrace, type Trace } from '@shardwalk/actions'
import type pg from 'pg'
import { type Numbering, withNumbering } from '../contracts/account-list.ts'
import { IdsMet } from '../sink/known-accounts.ts'
import type { SeqnoRange } from '../sink/ranges.ts'
import { isConflict } from '../sink/transaction.ts'
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
/** A transaction takes fewer traces when they are large: this many transactions of the chain, or one trace. */
const MAX_NODES = 5000

/**
 * Classifies some of the traces that wait, in one transaction: claimed rows, actions and the end of their waiting become visible together,
 * and a process that dies leaves its traces waiting. Any number of processes may call it at once. Zero traces: nothing is ready.
 */
export function classifyWaiting(pool: pg.Pool, options: ClassifyQueueOptions = {}): Promise<Classified> {
  return withNumbering(pool, async (client, numbering) => {
    const ids = await claim(client, options)
    if (ids.length === 0) return { traces: 0, actions: 0, failed: 0 }
    const results = await classifyAndWrite(client, numbering, ids)
    await client.query('delete from unclassified_traces where trace_id = any($1)', [ids])
    return {
      traces: ids.length,
      actions: results.reduce((sum, { actions }) => sum + actions.length, 0),
      failed: results.filter(({ state }) => state === 'failed').length,
    }
  })
}

/** All at once; one by one when something about one of them is in the way, so that it stops no other. */
async function classifyAndWrite(
  client: pg.ClientBase,
  numbering: Numbering,
  ids: readonly Buffer[],
): Promise<Classification[]> {
  await client.query('savepoint traces')
  try {
    const traces = await loadTraces(client, ids)
    const facts = await loadFacts(client, traces)
    const results = traces.map((trace: Trace) => classifyTrace(trace, facts))
    await writeActions(client, numbering, ids, results)
    return results
  } catch (error) {
    if (error instanceof IdsMet || isConflict(error)) throw error
    await client.query('rollback to savepoint traces')
    if (ids.length === 1) return [await giveUp(client, numbering, ids[0]!, error)]
    const results: Classification[] = []
    for (const id of ids) results.push(...(await classifyAndWrite(client, numbering, [id])))
    return results
  }
}

/** A trace that cannot even be loaded or stored has no actions, and a row that tells why. */
async function giveUp(
  client: pg.ClientBase,
  numbering: Numbering,
  id: Buffer,
  error: unknown,
): Promise<Classification> {
  const { message, stack } = error instanceof Error ? error : { message: String(error) }
  const failure = { traceId: id.toString('base64'), matcher: 'storage', messageHash: null }
  const result: Classification = {
    state: 'failed',
    actions: [],
    failures: [{ ...failure, error: message, stack: stack ?? null }],
  }
  await writeActions(client, numbering, [id], [result])
  return result
}

async function claim(
  client: pg.ClientBase,
  { limit = 200, waitForFacts = true }: ClassifyQueueOptions,
): Promise<Buffer[]> {
  const { rows } = await client.query<{ trace_id: Buffer; nodes: number }>(
    `select u.trace_id, r.nodes from unclassified_traces u join traces r on r.trace_id = u.trace_id
     where u.trace_id in (select trace_id from unclassified_traces order by end_lt desc limit ${CANDIDATES})
     ${waitForFacts ? `and ${NOTHING_TO_EXAMINE}` : ''}
     order by u.end_lt desc limit $1 for update of u skip locked`,
    [limit],
  )
  let nodes = 0
  const taken = rows.filter((row, index) => {
    nodes += row.nodes
    return index === 0 || nodes <= MAX_NODES
  })
  return taken.map((row) => row.trace_id)
}

const NOTHING_TO_EXAMINE = `not exists (
  select from transactions t join refresh_queue q on q.account_id = t.account_id
  where t.trace_id = r.trace_id and t.lt between r.start_lt and r.end_lt)`

/**
 * Has the complete traces that ended in these masterchain blocks classified again. Their actions stay until new ones take their place. Returns
 * how many were not waiting already.
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

import type { Lt } from '@shardwalk/model'
import type pg from 'pg'
import { TRACE_COLUMNS_READ, type TraceRowRead } from './trace-rows.ts'
import { MAX_NODES_READ } from './transaction-rows.ts'

/** How much is classified at once, and what traces wait for. */
export interface ClassifyQueueOptions {
  /** Most traces in one transaction. Default 500. */
  readonly limit?: number
  /** Whether traces wait for the examination of their contracts (`refresh_queue`). Default true. */
  readonly waitForFacts?: boolean
  /** Maximum time a trace waits for its contracts. Default 10 minutes. */
  readonly patienceSeconds?: number
}

/** Number of traces that one statement examines, ready or not. */
const CANDIDATES = 2_000
/**
 * Transactions of the chain per database transaction. A larger trace gets a database transaction of its own.
 */
const MAX_NODES = 5_000
/**
 * Failed examinations after which an account no longer delays traces. Its traces are classified again once it
 * can be examined.
 */
const PATIENT_ATTEMPTS = 2
const PATIENCE_SECONDS = 600

/** A place in the queue, whose order is `end_lt desc, trace_id desc`. */
export interface Place {
  readonly end_lt: Lt
  readonly trace_id: Buffer
}

/** Before the first place. */
export const FIRST: Place = { end_lt: 2n ** 63n - 1n, trace_id: Buffer.alloc(32, 0xff) }

/** Whether `place` comes later in the queue than `other`. */
export const isAfter = (place: Place, other: Place): boolean =>
  place.end_lt < other.end_lt || (place.end_lt === other.end_lt && place.trace_id.compare(other.trace_id) < 0)

const NEXT_CANDIDATES = `select trace_id, end_lt from unclassified_traces
  where (end_lt, trace_id) < ($1, $2::bytea)
  order by end_lt desc, trace_id desc limit ${CANDIDATES}`

/**
 * Claims the candidates after a place that are ready, up to `limit`; other processes skip them. Index:
 * unclassified_traces (end_lt, trace_id).
 */
export async function claim(
  client: pg.ClientBase,
  { limit = 500, waitForFacts = true, patienceSeconds = PATIENCE_SECONDS }: ClassifyQueueOptions,
  after: Place,
): Promise<readonly TraceRowRead[]> {
  const { rows } = await client.query<TraceRowRead>(
    `select ${TRACE_COLUMNS_READ} from unclassified_traces u join traces r on r.trace_id = u.trace_id
     where u.trace_id in (select trace_id from (${NEXT_CANDIDATES}) c) and u.queued_at <= now()
       and (not $4 or u.queued_at < now() - make_interval(secs => $5) or not exists (${TO_BE_EXAMINED}))
     order by u.end_lt desc limit $3 for update of u skip locked`,
    [after.end_lt, after.trace_id, limit, waitForFacts, patienceSeconds],
  )
  return atMostNodes(rows)
}

/** The last candidate of a page; undefined when the page is not full and hence the last. */
export async function lastCandidate(client: pg.ClientBase, after: Place): Promise<Place | undefined> {
  const { rows } = await client.query<Place>(
    `select * from (${NEXT_CANDIDATES}) c offset ${CANDIDATES - 1}`,
    [after.end_lt, after.trace_id],
  )
  return rows[0]
}

/**
 * Accounts that a trace waits for: it touches them, and they have not been examined in a state as recent.
 * They may also be queued for newer states, as busy contracts always are.
 */
export const TO_BE_EXAMINED = `select from pieces_of_trace(r.piece) p(piece)
  join transactions t on t.piece = p.piece and t.lt between r.start_lt and r.end_lt
  join refresh_queue q on q.account_id = t.account_id
  where q.attempts <= ${PATIENT_ATTEMPTS}
    and not exists (select from contracts c where c.account_id = t.account_id and c.lt >= t.lt)`

function atMostNodes(rows: readonly TraceRowRead[]): TraceRowRead[] {
  let nodes = 0
  return rows.filter((row, index) => {
    nodes += Math.min(row.nodes, MAX_NODES_READ)
    return index === 0 || nodes <= MAX_NODES
  })
}

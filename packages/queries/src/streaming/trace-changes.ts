import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import { sql } from 'kysely'
import {
  ACTION_COLUMNS,
  ACTION_TYPES,
  type ActionRow,
  type StoredActionRow,
  toActionRows,
} from '../actions/action-rows.ts'
import { KEEP_PLAN, statement } from '../idiom/index.ts'
import { TRACE_COLUMNS, TRACE_TYPES, type TraceRow } from '../traces/trace-filter.ts'
import type { Since } from './batch-changes.ts'

/** Raw: as `listTraces`. Index: traces (mc_seqno_end). */
const ENDED = statement<TraceRow>('traces that a block completed', TRACE_TYPES)

/** Complete traces whose last transaction a masterchain block commits. */
export const tracesEndedIn = (db: Db, mcBlockSeqno: number): Promise<readonly TraceRow[]> =>
  ENDED.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRACE_COLUMNS} from traces r
    where r.state = 0 and r.mc_seqno_end = ${mcBlockSeqno}`,
  )

/** Raw: as `listTraces`. Index: traces (trace_id). */
const BY_IDS = statement<TraceRow>('traces by ids', TRACE_TYPES)

/** Traces in whatever state. */
export async function tracesByIds(db: Db, ids: readonly Buffer[]): Promise<readonly TraceRow[]> {
  if (ids.length === 0) return []
  return BY_IDS.rows(
    db,
    sql`${KEEP_PLAN} select ${TRACE_COLUMNS} from traces r where r.trace_id = any(${ids}::bytea[])`,
  )
}

/**
 * Raw: with the constituents of composites, which depend on the client; one lookup per trace. Index: traces
 * (trace_id), actions (trace_id).
 */
const ALL_ACTIONS = statement<StoredActionRow>('all actions of traces', ACTION_TYPES)

/** All actions of traces, by end, then start, the latest first. */
export async function allActionsOfTraces(db: Db, ids: readonly Buffer[]): Promise<readonly ActionRow[]> {
  if (ids.length === 0) return []
  const rows = await ALL_ACTIONS.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${ACTION_COLUMNS} from traces r cross join lateral (
      select * from actions x where x.trace_id = r.trace_id offset 0
    ) a where r.trace_id = any(${ids}::bytea[]) order by a.end_lt desc, a.start_lt desc, a.action_id`,
  )
  return toActionRows(rows)
}

/** Raw: one lookup per trace. Index: primary key. */
const WAITING = statement<{ readonly trace_id: Buffer }>('traces that wait for the classifier', {
  trace_id: 'bytea',
})

/** Those of the traces that have not been classified yet. */
export async function unclassifiedAmong(db: Db, ids: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (ids.length === 0) return []
  const rows = await WAITING.rows(
    db,
    sql`${KEEP_PLAN} select u.trace_id from unclassified_traces u where u.trace_id = any(${ids}::bytea[])`,
  )
  return rows.map((row) => row.trace_id)
}

/** Raw: a kept plan. Index: unclassified_traces (end_lt). */
const WAITING_SINCE = statement<{ readonly trace_id: Buffer }>('traces since that wait for the classifier', {
  trace_id: 'bytea',
})

/** Traces that ended after an lt and have not been classified yet, the latest first, at most `limit`. */
export async function unclassifiedSince(
  db: Db,
  { lt, limit }: { readonly lt: bigint; readonly limit: number },
): Promise<readonly Buffer[]> {
  const rows = await WAITING_SINCE.rows(
    db,
    sql`
    ${KEEP_PLAN} select u.trace_id from unclassified_traces u
    where u.end_lt > ${lt} order by u.end_lt desc limit ${limit}`,
  )
  return rows.map((row) => row.trace_id)
}

/**
 * Raw: one index scan per account, which looks at the block of each trace, with a kept plan. Index:
 * action_accounts_order_lt, actions_order_lt.
 */
const ACTION_TRACES = statement<{ readonly trace_id: Buffer }>('traces with actions of accounts since', {
  trace_id: 'bytea',
})

/**
 * Traces that ended after a masterchain block and have actions of the accounts, the earliest first, at most
 * `limit`.
 */
export async function tracesWithActionsSince(
  db: Db,
  { accounts, lt, mcBlockSeqno, limit }: Omit<Since, 'to'>,
): Promise<readonly Buffer[]> {
  if (accounts.length === 0) return []
  const rows = await ACTION_TRACES.rows(
    db,
    sql`
    ${KEEP_PLAN} select t.trace_id from unnest(${accounts}::int8[]) as i(id) cross join lateral (
      select a.trace_id, k.trace_end_lt from (
        select distinct c.trace_end_lt, c.trace_bytes from action_accounts c
        where c.account_id = i.id and c.trace_end_lt > ${lt} order by c.trace_end_lt, c.trace_bytes
      ) k cross join lateral (
        select a.trace_id from actions a
        where a.trace_end_lt = k.trace_end_lt and a.trace_mc_seqno_end > ${mcBlockSeqno}
          and substr(a.trace_id, 1, ${sql.lit(SHORT_ID_BYTES)}) = k.trace_bytes limit 1
      ) a order by k.trace_end_lt limit ${limit}
    ) t group by t.trace_id, t.trace_end_lt order by t.trace_end_lt limit ${limit}`,
  )
  return rows.map((row) => row.trace_id)
}

import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  beyond,
  type Condition,
  direction,
  hasTime,
  type LtRange,
  type Page,
  readPage,
  type SortedPageRequest,
  statement,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import type { TransactionPlace } from '../traces/index.ts'
import {
  ACTION_COLUMNS,
  ACTION_CURSOR,
  ACTION_TYPES,
  type ActionRow,
  type ActionSlice,
} from './action-rows.ts'

/** The conditions are joined by AND. */
export interface ActionFilter {
  /** Bounds the end of the trace. */
  readonly lt?: LtRange | undefined
  /** Bounds the end of the trace and orders the list by it. */
  readonly time?: TimeRange | undefined
  readonly account?: AccountId | undefined
  /** Actions that cover one of these transactions; with an empty list no action matches. */
  readonly transactions?: readonly TransactionPlace[] | undefined
  readonly actionIds?: readonly Buffer[] | undefined
  readonly traceIds?: readonly Buffer[] | undefined
  readonly mcBlockSeqno?: number | undefined
  readonly types?: readonly string[] | undefined
  readonly withoutTypes?: readonly string[] | undefined
  /** Types that the client supports. */
  readonly supported: ReadonlySet<string>
}

interface ActionScan extends ActionFilter {
  readonly lt: LtRange
  readonly time: TimeRange
}

/**
 * Actions ordered by the end of their trace (`end_utime` when time is bounded, else `end_lt`), trace id, own
 * end, own id. Throws `MasterchainBlockNotIndexed`. Index: actions (trace_end_lt, ...), (trace_end_utime,
 * ...), (type, trace_end_lt), the primary key; for an account, that of action_accounts.
 */
export async function listActions(
  db: Db,
  filter: ActionFilter,
  page: SortedPageRequest,
): Promise<Page<ActionRow>> {
  if (filter.mcBlockSeqno !== undefined) await requireBatchExtent(db, filter.mcBlockSeqno)
  const scan = { ...filter, lt: filter.lt ?? ALL_LT, time: filter.time ?? {} }
  const order = { cursor: ACTION_CURSOR, by: hasTime(scan.time) ? 'time' : 'lt' }
  return readPage(page, order, async (slice) =>
    filter.transactions?.length === 0 ? [] : readActions(db, scan, slice),
  )
}

/** Raw: the plan depends on which table drives the query. */
const ACTIONS = statement<ActionRow>('actions', ACTION_TYPES)

async function readActions(db: Db, scan: ActionScan, slice: ActionSlice): Promise<readonly ActionRow[]> {
  // Both tables have the ordering columns, so the driving one must be named.
  const k = sql.raw(scan.account === undefined ? 'a' : 'c')
  const unit = sql.raw(hasTime(scan.time) ? 'utime' : 'lt')
  const to = direction(slice.sort)
  const conditions = filters(scan, k)
  if (scan.account === undefined) conditions.push(...visible(scan))
  if (slice.after) {
    const { after } = slice
    const values = hasTime(scan.time)
      ? sql`${after.trace_end_utime}, ${after.trace_id}, ${after.end_utime}, ${after.action_id}`
      : sql`${after.trace_end_lt}, ${after.trace_id}, ${after.end_lt}, ${after.action_id}`
    const key = sql`${k}.trace_end_${unit}, ${k}.trace_id, ${k}.end_${unit}, ${k}.action_id`
    conditions.push(sql`(${key}) ${beyond(slice.sort)} (${values})`)
  }
  const from =
    scan.account === undefined
      ? sql`actions a`
      : // One lookup per row. With a plain join the planner expects almost no visible rows and sorts all
        // actions of the account.
        sql`action_accounts c cross join lateral (
          select * from actions a
          where a.trace_id = c.trace_id and a.action_id = c.action_id and ${all(visible(scan))} limit 1
        ) a`
  return ACTIONS.rows(
    db,
    sql`
    select ${ACTION_COLUMNS} from ${from} join traces r on r.trace_id = a.trace_id where ${all(conditions)}
    order by ${k}.trace_end_${unit} ${to}, ${k}.trace_id ${to}, ${k}.end_${unit} ${to}, ${k}.action_id ${to}
    limit ${slice.limit} offset ${slice.offset}`,
  )
}

function filters(scan: ActionScan, k: Condition): Condition[] {
  const { account, transactions, actionIds, traceIds, mcBlockSeqno } = scan
  // When ordering by time, the range of lt must not tempt the planner to use the index on lt.
  const endLt = hasTime(scan.time) ? sql`(${k}.trace_end_lt + 0)` : sql`${k}.trace_end_lt`
  const conditions: Condition[] = timeConditions(sql`${k}.trace_end_utime`, scan.time)
  if (scan.lt.from > ALL_LT.from || scan.lt.to < ALL_LT.to)
    conditions.push(sql`${endLt} between ${scan.lt.from} and ${scan.lt.to}`)
  if (account !== undefined) conditions.push(sql`c.account_id = ${account}`)
  if (actionIds) conditions.push(sql`a.action_id = any(${actionIds}::bytea[])`)
  if (traceIds) conditions.push(sql`a.trace_id = any(${traceIds}::bytea[])`)
  if (mcBlockSeqno !== undefined) conditions.push(sql`a.trace_mc_seqno_end = ${mcBlockSeqno}`)
  if (transactions) {
    const [ids, hashes] = [transactions.map((tx) => tx.trace_id), transactions.map((tx) => tx.hash)]
    conditions.push(sql`a.trace_id = any(${ids}::bytea[])`, sql`a.tx_hashes && ${hashes}::bytea[]`)
  }
  return conditions
}

/**
 * An action is visible when the client supports its type, unless the client also sees the action that it is
 * part of. Types named by the filter are visible in any case.
 */
function visible({
  types,
  withoutTypes,
  supported,
}: Pick<ActionFilter, 'types' | 'withoutTypes' | 'supported'>): Condition[] {
  const understood = [...supported]
  const conditions: Condition[] = [sql`not (a.ancestor_type && ${understood}::text[])`]
  conditions.push(sql`a.type = any(${types ?? understood}::text[])`)
  if (withoutTypes) conditions.push(sql`a.type <> all(${withoutTypes}::text[])`)
  return conditions
}

/** Raw: same as `listActions`. Index: primary key. */
const OF_TRACES = statement<ActionRow>('actions of traces', ACTION_TYPES)

/** Visible actions of traces, by start, then end. */
export async function actionsOfTraces(
  db: Db,
  traceIds: readonly Buffer[],
  supported: ReadonlySet<string>,
): Promise<readonly ActionRow[]> {
  if (traceIds.length === 0) return []
  return OF_TRACES.rows(
    db,
    sql`
    select ${ACTION_COLUMNS} from actions a join traces r on r.trace_id = a.trace_id
    where a.trace_id = any(${traceIds}::bytea[]) and ${all(visible({ supported }))}
    order by a.start_lt, a.end_lt, a.action_id`,
  )
}

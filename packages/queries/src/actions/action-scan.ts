import { SHORT_ID_BYTES } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  ALL_LT,
  beyond,
  type Condition,
  direction,
  hasTime,
  type LtRange,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import type { TransactionPlace } from '../traces/index.ts'
import { type ActionPosition, type ActionSlice, HASH_BYTES } from './action-rows.ts'

/** The conditions are joined by AND. */
export interface ActionFilter {
  /** Bounds the end of the trace. */
  readonly lt?: LtRange | undefined
  /** Bounds the end of the trace and orders the list by it. */
  readonly time?: TimeRange | undefined
  readonly account?: AccountId | undefined
  /** Only of traces that began with an external message to the account. */
  readonly isInitiator?: boolean | undefined
  /** Lists of transactions: actions that cover one of each; with an empty list among them none matches. */
  readonly transactions?: readonly (readonly TransactionPlace[])[] | undefined
  readonly actionIds?: readonly Buffer[] | undefined
  readonly traceIds?: readonly Buffer[] | undefined
  readonly mcBlockSeqno?: number | undefined
  readonly types?: readonly string[] | undefined
  readonly withoutTypes?: readonly string[] | undefined
  /** Types that the client supports. */
  readonly supported: ReadonlySet<string>
  /** How many rows of a list may be read without a match. Set by tests. */
  readonly few?: number
}

/** What a list of actions is narrowed to. */
export interface ActionScan extends ActionFilter {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Of `mcBlockSeqno`. */
  readonly batch: LtRange | undefined
}

/** Maximum number of rows that may be read and discarded. */
export const FEW = 500

/** Bytes of an id in the indexes of actions. */
export const SHORT = sql.lit(SHORT_ID_BYTES)

/** Few actions match, and an index finds them. */
export const isNamed = (scan: ActionScan): boolean => scan.batch !== undefined || named(scan).length > 0

/** What a statement reads. */
export interface Scan {
  readonly from: Condition
  readonly order: Condition
  readonly conditions: readonly Condition[]
}

/** `rare`: types of which all actions are read, before they are put in order. */
export function scanActions(scan: ActionScan, slice: ActionSlice, rare?: readonly string[]): Scan {
  const { key, bounds, after } = inOrder(scan, slice, 'a')
  const conditions = [...bounds, ...(after ? [isAfter(key, after, slice)] : [])]
  const { account } = scan
  if (account !== undefined) conditions.push(sql`${account}::int8 = any(account_ids_in(a.account_ids))`)
  conditions.push(...named(scan), ...visible(scan), ...initiated(scan))
  return { from: actionsOf(scan, rare), order: ordered(key, slice), conditions }
}

/** `offset 0`: by the index on lt, whatever the order of the list. */
function actionsOf({ batch, lt, mcBlockSeqno }: ActionScan, rare: readonly string[] | undefined): Condition {
  const read = ({ from, to }: LtRange, condition: Condition) => sql`(select * from actions x
    where x.trace_end_lt between ${from}::int8 and ${to}::int8 and ${condition} offset 0) a`
  if (batch) return read(batch, sql`x.trace_mc_seqno_end = ${mcBlockSeqno}`)
  return rare ? read(lt, sql`x.type = any(${rare}::text[])`) : sql`actions a`
}

/**
 * The key of the list, what bounds the columns of the end of the trace, and the key that the page begins
 * after. `table` has the columns of the trace.
 */
export function inOrder(
  scan: ActionScan,
  { after }: ActionSlice,
  table: 'a' | 'c',
): { key: Condition[]; bounds: Condition[]; after: Condition[] | undefined } {
  const isTimed = hasTime(scan.time)
  const [k, unit] = [sql.raw(table), sql.raw(isTimed ? 'utime' : 'lt')]
  const trace = table === 'c' ? sql`c.trace_bytes` : sql`substr(a.trace_id, 1, ${SHORT})`
  const key = [sql`${k}.trace_end_${unit}`, trace, sql`a.end_${unit}`, sql`substr(a.action_id, 1, ${SHORT})`]
  // When ordering by time, the range of lt must not tempt the planner to use the index on lt.
  const endLt = isTimed ? sql`(${k}.trace_end_lt + 0)` : sql`${k}.trace_end_lt`
  const bounds = timeConditions(sql`${k}.trace_end_utime`, scan.time)
  if (scan.lt.from > ALL_LT.from || scan.lt.to < ALL_LT.to)
    bounds.push(sql`${endLt} between ${scan.lt.from} and ${scan.lt.to}`)
  return { key, bounds, after: after && keyOf(after, isTimed) }
}

function keyOf(position: ActionPosition, isTimed: boolean): Condition[] {
  const [traceEnd, end] = isTimed
    ? [position.trace_end_utime, position.end_utime]
    : [position.trace_end_lt, position.end_lt]
  const short = (id: Buffer) => sql`${id.subarray(0, SHORT_ID_BYTES)}::bytea`
  return [sql`${traceEnd}`, short(position.trace_id), sql`${end}`, short(position.action_id)]
}

/** The row comes later in the order than the row of the cursor. */
export const isAfter = (
  key: readonly Condition[],
  after: readonly Condition[],
  { sort }: ActionSlice,
): Condition => sql`(${sql.join(key)}) ${beyond(sort)} (${sql.join(after)})`

/** Terms of `order by`, all in the direction of the page. */
export const ordered = (key: readonly Condition[], { sort }: ActionSlice): Condition =>
  sql.join(key.map((column) => sql`${column} ${direction(sort)}`))

function named({ transactions, actionIds, traceIds }: ActionFilter): Condition[] {
  const conditions: Condition[] = []
  if (actionIds) {
    const bytes = actionIds.map((id) => id.subarray(0, SHORT_ID_BYTES))
    conditions.push(sql`substr(a.action_id, 1, ${SHORT}) = any(${bytes}::bytea[])`)
    conditions.push(sql`a.action_id = any(${actionIds}::bytea[])`)
  }
  if (traceIds) conditions.push(sql`a.trace_id = any(${traceIds}::bytea[])`)
  for (const list of transactions ?? []) {
    const [ids, hashes] = [list.map((tx) => tx.trace_id), list.map((tx) => tx.hash)]
    conditions.push(sql`a.trace_id = any(${ids}::bytea[])`, coversOneOf(hashes))
  }
  return conditions
}

/**
 * Of an action `a`. Index: traces (trace_id), never that of the account: with `exists`, all traces of an
 * account that seems to have few are read for each action.
 */
export const initiated = ({ account, isInitiator }: ActionFilter): Condition[] =>
  account !== undefined && isInitiator
    ? [
        sql`(select began.external_account_id from traces began
          where began.trace_id = a.trace_id limit 1) = ${account}::int8`,
      ]
    : []

const BYTES = sql.lit(HASH_BYTES)

const coversOneOf = (hashes: readonly Buffer[]): Condition =>
  sql`exists (select from tx_hashes_of(a.trace_id, a.tx_hashes) covered
    cross join lateral generate_series(1, length(covered), ${BYTES}) place
    where substr(covered, place, ${BYTES}) = any(${hashes}::bytea[]))`

/** Types that a list may have. Those named by the filter are visible in any case. */
export function wantedTypes({
  types,
  withoutTypes,
  supported,
}: Pick<ActionFilter, 'types' | 'withoutTypes' | 'supported'>): string[] {
  const excluded = new Set(withoutTypes)
  return [...new Set(types ?? supported)].filter((type) => !excluded.has(type))
}

/** An action is hidden when the client also sees one that it is part of. */
export const notHidden = (supported: ReadonlySet<string>): Condition =>
  sql`(a.ancestor_type && ${[...supported]}::text[]) is not true`

/** The action is of a wanted type and not hidden. */
export const visible = (filter: Pick<ActionFilter, 'types' | 'withoutTypes' | 'supported'>): Condition[] => [
  notHidden(filter.supported),
  sql`a.type = any(${wantedTypes(filter)}::text[])`,
]

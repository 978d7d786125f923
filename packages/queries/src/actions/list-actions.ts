import { type Db, SHORT_ID_BYTES } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  beyond,
  beyondOrAt,
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
  type ActionPosition,
  type ActionRow,
  type ActionSlice,
  HASH_BYTES,
  type StoredActionRow,
  toActionRows,
} from './action-rows.ts'

/** The conditions are joined by AND. */
export interface ActionFilter {
  /** Bounds the end of the trace. */
  readonly lt?: LtRange | undefined
  /** Bounds the end of the trace and orders the list by it. */
  readonly time?: TimeRange | undefined
  readonly account?: AccountId | undefined
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

interface ActionScan extends ActionFilter {
  readonly lt: LtRange
  readonly time: TimeRange
  /** Of `mcBlockSeqno`. */
  readonly batch: LtRange | undefined
}

/**
 * Actions ordered by the end of their trace (`end_utime` when time is bounded, else `end_lt`), trace id, own
 * end, own id. Throws `MasterchainBlockNotIndexed`. Index: actions (trace_end_lt, ...), (trace_end_utime,
 * ...), (type, trace_end_lt), (trace_id), bytes of action_id; for an account, those of action_accounts.
 */
export async function listActions(
  db: Db,
  filter: ActionFilter,
  page: SortedPageRequest,
): Promise<Page<ActionRow>> {
  const { mcBlockSeqno } = filter
  const batch = mcBlockSeqno === undefined ? undefined : await requireBatchExtent(db, mcBlockSeqno)
  const scan = { ...filter, lt: filter.lt ?? ALL_LT, time: filter.time ?? {}, batch }
  const order = { cursor: ACTION_CURSOR, by: hasTime(scan.time) ? 'time' : 'lt' }
  return readPage(page, order, async (slice) =>
    filter.transactions?.some((list) => list.length === 0) ? [] : readActions(db, scan, slice),
  )
}

const SHORT = sql.lit(SHORT_ID_BYTES)

/** Raw: the plan depends on which table drives the query. */
const ACTIONS = statement<StoredActionRow>('actions', ACTION_TYPES)

async function readActions(db: Db, scan: ActionScan, slice: ActionSlice): Promise<readonly ActionRow[]> {
  const { account, types, few = FEW } = scan
  const read = async ({ from, order, conditions }: Scan) => {
    const rows = await ACTIONS.rows(
      db,
      sql`
      with page as materialized (
        select a.* from ${from} where ${all(conditions)}
        order by ${order} limit ${slice.limit} offset ${slice.offset}
      ), traces_of_page as materialized (
        select r.* from (select distinct trace_id from page) p
        cross join lateral (select * from traces x where x.trace_id = p.trace_id limit 1) r
      )
      select ${ACTION_COLUMNS} from page a join traces_of_page r on r.trace_id = a.trace_id
      order by ${ordered(inOrder(scan, slice, 'a').key, slice)}`,
    )
    return toActionRows(rows)
  }
  if (account === undefined || isNamed(scan)) return read(scanActions(scan, slice))
  if (!types) return read(scanAccount(scan, slice, account))
  const first = await read(scanAccount(scan, slice, account, few))
  if (first.length === slice.limit) return first
  const [row] = await BEYOND.rows(db, beyondFirst({ ...scan, account, types, few }))
  if (row!.is_all) return first
  return read(row!.are_rare ? scanActions(scan, slice, types) : scanAccount(scan, slice, account))
}

/** So many rows of an account, or actions of a type, may be read in vain. */
const FEW = 500

/**
 * Raw: two lists, up to a limit. Index: action_accounts (account_id, trace_end_lt), actions (type,
 * trace_end_lt).
 */
const BEYOND = statement<{ readonly is_all: boolean; readonly are_rare: boolean }>(
  'whether an account has many actions, and types have few',
  { is_all: 'bool', are_rare: 'bool' },
)

/**
 * Whether the first rows of an account are all, and if not, whether the types have few actions: then those
 * are the list to read.
 */
function beyondFirst({
  account,
  types,
  lt,
  few,
}: ActionScan & Required<Pick<ActionScan, 'account' | 'types' | 'few'>>): Condition {
  const within = (table: 'a' | 'c') =>
    sql`${sql.raw(table)}.trace_end_lt between ${lt.from}::int8 and ${lt.to}::int8`
  const isShort = (list: Condition) => sql`(select count(*) from (${list} limit ${few}) x) < ${few}`
  return sql`
    select is_all, not is_all and ${isShort(sql`select from actions a
      where a.type = any(${types}::text[]) and ${within('a')}`)} as are_rare
    from (select ${isShort(sql`select from action_accounts c
      where c.account_id = ${account} and ${within('c')}`)} as is_all) x`
}

/** Few actions match, and an index finds them. */
const isNamed = (scan: ActionScan): boolean => scan.batch !== undefined || named(scan).length > 0

interface Scan {
  readonly from: Condition
  readonly order: Condition
  readonly conditions: readonly Condition[]
}

/** `rare`: types of which all actions are read, before they are put in order. */
function scanActions(scan: ActionScan, slice: ActionSlice, rare?: readonly string[]): Scan {
  const { key, bounds, after } = inOrder(scan, slice, 'a')
  const conditions = [...bounds, ...(after ? [isAfter(key, after, slice)] : [])]
  const { account } = scan
  if (account !== undefined) conditions.push(sql`${account}::int8 = any(account_ids_in(a.account_ids))`)
  const order = ordered(key, slice)
  return { from: actionsOf(scan, rare), order, conditions: [...conditions, ...named(scan), ...visible(scan)] }
}

/** `offset 0`: by the index on lt, whatever the order of the list. */
function actionsOf({ batch, lt, mcBlockSeqno }: ActionScan, rare: readonly string[] | undefined): Condition {
  const read = ({ from, to }: LtRange, condition: Condition) => sql`(select * from actions x
    where x.trace_end_lt between ${from}::int8 and ${to}::int8 and ${condition} offset 0) a`
  if (batch) return read(batch, sql`x.trace_mc_seqno_end = ${mcBlockSeqno}`)
  return rare ? read(lt, sql`x.type = any(${rare}::text[])`) : sql`actions a`
}

/**
 * One lookup per action of the account: with a plain join the planner expects almost no visible rows and
 * sorts all actions of the account. `first`: only so many of its rows, and the others of the same trace.
 */
function scanAccount(scan: ActionScan, slice: ActionSlice, account: AccountId, first?: number): Scan {
  const { key, bounds, after } = inOrder(scan, slice, 'c')
  const ofTrace = key.slice(0, 2)
  const ofAccount = [sql`c.account_id = ${account}`, ...bounds]
  if (after)
    ofAccount.push(sql`(${sql.join(ofTrace)}) ${beyondOrAt(slice.sort)} (${sql.join(after.slice(0, 2))})`)
  const rows =
    first === undefined
      ? sql`action_accounts c`
      : sql`(select * from action_accounts c where ${all(ofAccount)}
          order by ${ordered(ofTrace, slice)} fetch first (${first}) rows with ties) c`
  const from = sql`${rows}
    cross join lateral generate_series(1, length(c.action_bytes), ${SHORT}) place
    cross join lateral (
      select * from actions a
      where substr(a.action_id, 1, ${SHORT}) = substr(c.action_bytes, place, ${SHORT})
        and (a.trace_end_lt + 0) = c.trace_end_lt and substr(a.trace_id, 1, ${SHORT}) = c.trace_bytes
        and ${all(visible(scan))} limit 1
    ) a`
  const conditions = after ? [...ofAccount, isAfter(key, after, slice)] : ofAccount
  return { from, order: ordered(key, slice), conditions }
}

/**
 * The key of the list, what bounds the columns of the end of the trace, and the key that the page begins
 * after. `table` has the columns of the trace.
 */
function inOrder(
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

const isAfter = (key: readonly Condition[], after: readonly Condition[], { sort }: ActionSlice): Condition =>
  sql`(${sql.join(key)}) ${beyond(sort)} (${sql.join(after)})`

const ordered = (key: readonly Condition[], { sort }: ActionSlice): Condition =>
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

const BYTES = sql.lit(HASH_BYTES)

const coversOneOf = (hashes: readonly Buffer[]): Condition =>
  sql`exists (select from tx_hashes_of(a.trace_id, a.tx_hashes) covered
    cross join lateral generate_series(1, length(covered), ${BYTES}) place
    where substr(covered, place, ${BYTES}) = any(${hashes}::bytea[]))`

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
  const conditions: Condition[] = [sql`(a.ancestor_type && ${understood}::text[]) is not true`]
  conditions.push(sql`a.type = any(${types ?? understood}::text[])`)
  if (withoutTypes) conditions.push(sql`a.type <> all(${withoutTypes}::text[])`)
  return conditions
}

/** Raw: one lookup per trace. Index: traces (trace_id), actions (trace_id). */
const OF_TRACES = statement<StoredActionRow>('actions of traces', ACTION_TYPES)

/** Visible actions of traces, by start, then end. */
export async function actionsOfTraces(
  db: Db,
  traceIds: readonly Buffer[],
  supported: ReadonlySet<string>,
): Promise<readonly ActionRow[]> {
  if (traceIds.length === 0) return []
  const rows = await OF_TRACES.rows(
    db,
    sql`
    select ${ACTION_COLUMNS} from traces r cross join lateral (
      select * from actions a where a.trace_id = r.trace_id and ${all(visible({ supported }))} offset 0
    ) a where r.trace_id = any(${traceIds}::bytea[])
    order by a.start_lt, a.end_lt, a.action_id`,
  )
  return toActionRows(rows)
}

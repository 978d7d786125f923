import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  beyondOrAt,
  type Condition,
  hasTime,
  type Page,
  readPage,
  type SortedPageRequest,
  statement,
} from '../idiom/index.ts'
import {
  ACTION_COLUMNS,
  ACTION_CURSOR,
  ACTION_TYPES,
  type ActionRow,
  type ActionSlice,
  type StoredActionRow,
  toActionRows,
} from './action-rows.ts'
import {
  type ActionFilter,
  type ActionScan,
  FEW,
  initiated,
  inOrder,
  isAfter,
  isNamed,
  ordered,
  type Scan,
  SHORT,
  scanActions,
  visible,
} from './action-scan.ts'
import { scansOfList } from './scans-of-list.ts'

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

/** Raw: the plan depends on which table drives the query. */
const ACTIONS = statement<StoredActionRow>('actions', ACTION_TYPES)

async function readActions(db: Db, scan: ActionScan, slice: ActionSlice): Promise<readonly ActionRow[]> {
  const { account } = scan
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
  if (isNamed(scan)) return read(scanActions(scan, slice))
  if (account !== undefined) return readOfAccount(db, { ...scan, account }, slice, read)
  let rows: readonly ActionRow[] = []
  for await (const part of scansOfList(db, scan, slice)) {
    rows = await read(part)
    if (rows.length === slice.limit) break
  }
  return rows
}

async function readOfAccount(
  db: Db,
  scan: ActionScan & { readonly account: AccountId },
  slice: ActionSlice,
  read: (scan: Scan) => Promise<readonly ActionRow[]>,
): Promise<readonly ActionRow[]> {
  const { account, types, few = FEW } = scan
  if (!types) return read(scanAccount(scan, slice, account))
  const first = await read(scanAccount(scan, slice, account, few))
  if (first.length === slice.limit) return first
  const [row] = await BEYOND.rows(db, beyondFirst({ ...scan, types, few }))
  if (row!.is_all) return first
  return read(row!.are_rare ? scanActions(scan, slice, types) : scanAccount(scan, slice, account))
}

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

/**
 * One lookup per action of the account: with a plain join the planner expects almost no visible rows and
 * sorts all actions of the account. `first`: number of its rows that are read, besides others of the same
 * trace.
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
        and ${all([...visible(scan), ...initiated(scan)])} limit 1
    ) a`
  const conditions = after ? [...ofAccount, isAfter(key, after, slice)] : ofAccount
  return { from, order: ordered(key, slice), conditions }
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

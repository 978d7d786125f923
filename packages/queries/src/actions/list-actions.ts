import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import {
  ALL_LT,
  all,
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
  inOrder,
  isNamed,
  ordered,
  type Scan,
  scanActions,
  visible,
} from './action-scan.ts'
import { scansOfAccount } from './scans-of-account.ts'
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
  let rows: readonly ActionRow[] = []
  for await (const part of scansOf(db, scan, slice)) {
    rows = await read(part)
    if (rows.length === slice.limit) break
  }
  return rows
}

/** What to read, one after the other, until the page is full. */
function scansOf(db: Db, scan: ActionScan, slice: ActionSlice): AsyncIterable<Scan> | readonly Scan[] {
  const { account } = scan
  if (isNamed(scan)) return [scanActions(scan, slice)]
  return account === undefined
    ? scansOfList(db, scan, slice)
    : scansOfAccount(db, { ...scan, account }, slice)
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

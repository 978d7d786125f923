import type { ActionEnvelopeRow } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import {
  ALL_LT,
  all,
  beyond,
  type Condition,
  direction,
  hasTime,
  type LtRange,
  type Sort,
  type TimeRange,
  timeConditions,
} from './sql.ts'
import type { TransactionPlace } from './traces.ts'

export interface ActionRow extends ActionEnvelopeRow {
  readonly type: string
  readonly ancestor_type: readonly string[]
  readonly account_ids: readonly bigint[]
  /** Columns of the type. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface ActionPosition {
  readonly trace_end_lt: bigint
  readonly trace_end_utime: number
  readonly trace_id: Buffer
  readonly end_lt: bigint
  readonly end_utime: number
  readonly action_id: Buffer
}

export interface ActionSlice {
  readonly sort: Sort
  readonly limit: number
  readonly offset: number
  readonly after?: ActionPosition | undefined
}

/** Filters, joined by AND. */
export interface ActionScan {
  readonly lt: LtRange
  readonly time: TimeRange
  readonly account?: bigint | undefined
  readonly transactions?: readonly TransactionPlace[] | undefined
  readonly actionIds?: readonly Buffer[] | undefined
  readonly traceIds?: readonly Buffer[] | undefined
  readonly mcBlockSeqno?: number | undefined
  readonly types?: readonly string[] | undefined
  readonly withoutTypes?: readonly string[] | undefined
  /** What the client understands. */
  readonly supported: ReadonlySet<string>
}

const COLUMNS = sql.raw(
  `a.trace_id, a.action_id, a.type, a.success, a.start_lt, a.end_lt, a.start_utime, a.end_utime, a.trace_end_lt, a.trace_end_utime,
   a.trace_mc_seqno_end, a.ancestor_type, a.tx_hashes, a.account_ids, a.details, r.external_hash, r.external_hash_norm`,
)

/**
 * Actions in order of the end of their trace, then its id, then their own end, then their id. Index: actions (trace_end_lt, ...),
 * (trace_end_utime, ...), (type, trace_end_lt), the primary key; of an account that of action_accounts.
 */
export async function listActions(db: Db, scan: ActionScan, slice: ActionSlice): Promise<ActionRow[]> {
  // The columns of the order stand in both tables: the one that is walked has to be named.
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
      : // One look-up a row: joined, the planner expects next to none to be visible and sorts all of the account's.
        sql`action_accounts c cross join lateral (
          select * from actions a where a.trace_id = c.trace_id and a.action_id = c.action_id and ${all(visible(scan))} limit 1
        ) a`
  const { rows } = await sql<ActionRow>`
    select ${COLUMNS} from ${from} join traces r on r.trace_id = a.trace_id where ${all(conditions)}
    order by ${k}.trace_end_${unit} ${to}, ${k}.trace_id ${to}, ${k}.end_${unit} ${to}, ${k}.action_id ${to}
    limit ${slice.limit} offset ${slice.offset}`.execute(db)
  return rows
}

function filters(scan: ActionScan, k: Condition): Condition[] {
  const { account, transactions, actionIds, traceIds, mcBlockSeqno } = scan
  // In order of time a range of lt must not tempt the planner to the index of the other order.
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

/** Shown is what the client understands unless it sees the whole that this is a part of. Types asked for by name need no understanding. */
function visible({ types, withoutTypes, supported }: ActionScan): Condition[] {
  const understood = [...supported]
  const conditions: Condition[] = [sql`not (a.ancestor_type && ${understood}::text[])`]
  conditions.push(sql`a.type = any(${types ?? understood}::text[])`)
  if (withoutTypes) conditions.push(sql`a.type <> all(${withoutTypes}::text[])`)
  return conditions
}

/** Visible actions of traces, by start, then end. Index: primary key. */
export async function actionsOfTraces(
  db: Db,
  traceIds: readonly Buffer[],
  supported: ReadonlySet<string>,
): Promise<ActionRow[]> {
  if (traceIds.length === 0) return []
  const { rows } = await sql<ActionRow>`
    select ${COLUMNS} from actions a join traces r on r.trace_id = a.trace_id
    where a.trace_id = any(${traceIds}::bytea[])
      and a.type = any(${[...supported]}::text[]) and not (a.ancestor_type && ${[...supported]}::text[])
    order by a.start_lt, a.end_lt, a.action_id`.execute(db)
  return rows
}

import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import {
  ALL_LT,
  all,
  beyond,
  type Condition,
  direction,
  earlier,
  heldRows,
  intersect,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  ltConditions,
  openedWithin,
  statement,
} from '../idiom/index.ts'
import {
  alongActivity,
  fromFirstPartitions,
  type Reading,
  readingRows,
  withinActive,
} from '../partitions/index.ts'
import { messagesByKeys } from './by-keys.ts'
import { listCrossing } from './crossing.ts'
import { CREATED, CREATED_UNINDEXED } from './message-filter.ts'
import {
  CREATED_LT,
  createdLtsOf,
  MESSAGE_COLUMNS,
  MESSAGE_TYPES,
  type MessageRow,
  SYSTEM_LT_SKEW,
} from './message-rows.ts'
import { beyondPosition, conditionsOf, type MessageScan, type MessageSlice } from './message-scan.ts'

/**
 * Limit of system messages at the start of one masterchain block, which is how many rows may be out of order
 * there.
 */
const SYSTEM_ROWS = 8

/**
 * Raw: the page, and rows that may belong to it, come from one index scan. Index: same as `readByCreatedLt`.
 */
const BY_CREATED_LT = statement<MessageRow>('messages by creation lt', MESSAGE_TYPES)

/**
 * Messages other than external-in, ordered by `created_lt <sort>, hash <sort>`. Index: messages (lt) where
 * kind <> 1, or (account_id, lt), (destination_id, lt), (opcode, lt) when the conditions have one of these.
 *
 * The index is ordered by the column lt, which is slightly greater than created_lt for system messages. So
 * the page is read in index order and sorted again. Descending, a system message may drop out of the page, so
 * a few more rows are read; ascending, one from after the page may belong in it, so those are read as well.
 * Neither is needed when no system message can match.
 */
export async function readByCreatedLt(
  db: Db,
  scan: MessageScan,
  slice: MessageSlice,
): Promise<readonly MessageRow[]> {
  if (isEmpty(scan.lt)) return []
  if (scan.lists.length > 0) return readCrossed(db, scan, slice)
  return fromFirstMessages(
    db,
    scan,
    slice,
    readingRows(slice, (lt, wanted) => readIndexOrder(db, { ...scan, lt }, { ...slice, ...wanted })),
  )
}

/**
 * `fromFirstPartitions` by created_lt. A system message may have been created before the first partition in
 * which its receiver has rows.
 */
export function fromFirstMessages<Found>(
  db: Db,
  { account, lt, onlySent }: Pick<MessageScan, 'account' | 'lt' | 'onlySent'>,
  { after, sort }: Pick<MessageSlice, 'after' | 'sort'>,
  { read, isEnough }: Reading<Found>,
): Promise<Found> {
  let rest = lt
  const createdIn = (part: LtRange): LtRange => {
    const range = intersect(rest, onlySent ? part : createdLtsOf(part))
    rest = sort === 'asc' ? { from: range.to + 1n, to: rest.to } : { from: rest.from, to: range.from - 1n }
    return range
  }
  return fromFirstPartitions(
    db,
    { account, lt: beyondPosition(lt, { after, sort }), sort },
    { read: (part, before) => read(createdIn(part), before), isEnough },
  )
}

async function readIndexOrder(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  const dir = direction(slice.sort)
  const wanted = positions(scan.lt, slice)
  const range = within(scan, rangeAround(scan, slice))
  const conditions = all([created(scan.account), range, ...conditionsOf(scan)])
  const limit = slice.limit + slice.offset + (scan.onlySent ? 0 : SYSTEM_ROWS)
  const isWanted = sql`(m.flags & 8 <> 0 or ${wanted(sql`m.lt`, sql`m.hash`)})`
  const wide = { ...scan, conditions: [...conditionsOf(scan), isWanted] }
  const behind = sql`
    union all
    select ${MESSAGE_COLUMNS} from messages m
    where ${conditions} and m.flags & 8 <> 0
      and m.lt >= (select max(lt) from page) and m.lt <= (select max(lt) from page) + ${SYSTEM_LT_SKEW}::int8
      and (m.lt > (select max(lt) from page)
        or m.hash > (select hash from page order by lt desc, hash desc limit 1))
      and (select count(*) from page) = ${limit}`
  return BY_CREATED_LT.rows(
    db,
    sql`
    ${scan.keepPlan ? KEEP_PLAN : sql``} with page as materialized (
      select ${MESSAGE_COLUMNS} from (${inOrderOfLt(wide, slice, limit)}) m
    )
    select * from (select * from page ${slice.sort === 'asc' && !scan.onlySent ? behind : sql``}) x
    where ${wanted(sql`x.created_lt`, sql`x.hash`)}
    order by x.created_lt ${dir}, x.hash ${dir} limit ${slice.limit} offset ${slice.offset}`,
  )
}

const created = (account: bigint | undefined): Condition =>
  account === undefined ? CREATED : CREATED_UNINDEXED

type Selected = Pick<MessageScan, 'account' | 'conditions' | 'keepPlan' | 'lt' | 'onlySent'>

/** A plan for the values knows how many rows are between two of them. */
const within = ({ keepPlan }: Pick<MessageScan, 'keepPlan'>, range: LtRange): Condition =>
  keepPlan ? openedWithin('m.lt', range) : all(ltConditions(sql`m.lt`, range))

/** Subquery: messages other than external-in, the first ones in the order of the column lt. */
export function inOrderOfLt(
  { account, conditions, keepPlan, ...scan }: Selected,
  slice: Pick<MessageSlice, 'after' | 'sort'>,
  limit: number,
): RawBuilder<unknown> {
  const dir = direction(slice.sort)
  const range = rangeAround(scan, slice)
  const rows = (bounds: Condition) => sql`
    select m.* from messages m where ${all([created(account), bounds, ...conditions])}
    order by m.lt ${dir}, m.hash ${dir} limit ${limit}`
  if (account === undefined) return rows(within({ keepPlan }, range))
  return alongActivity({ account, sort: slice.sort, limit }, rows(withinActive('m.lt', range)))
}

/** Subquery: all of them in a range of created_lt, in no order. */
export function ofRange({ account, conditions, ...scan }: Selected): RawBuilder<unknown> {
  const range = rangeAround(scan, { sort: 'asc' })
  const rows = (bounds: Condition) =>
    sql`select m.* from messages m where ${all([created(account), bounds, ...conditions])}`
  if (account === undefined) return rows(within({}, range))
  return alongActivity({ account, sort: 'asc', limit: sql`all` }, rows(withinActive('m.lt', range)))
}

/**
 * Same for several lists at once without system messages, so that created_lt equals lt. Index: same as
 * `listCrossing`.
 */
async function readCrossed(db: Db, scan: MessageScan, slice: MessageSlice): Promise<MessageRow[]> {
  // Indexes must be chosen for the lists and the bounds on lt only, hence `+ 0`: see `listCrossing`.
  const position = positions(scan.lt, slice)(sql`(m.lt + 0)`, sql`m.hash`)
  const lt = beyondPosition(scan.lt, slice)
  const crossing = { lists: scan.lists, lt, conditions: [sql`m.kind <> 1`, position, ...conditionsOf(scan)] }
  const keys = await listCrossing(db, crossing, slice.sort, heldRows(slice))
  return messagesByKeys(db, keys.slice(slice.offset))
}

/** Selects rows within the range and after the position of the slice, given expressions for lt and hash. */
function positions(range: LtRange, { after, sort }: Pick<MessageSlice, 'after' | 'sort'>) {
  return (createdLt: RawBuilder<unknown>, hash: RawBuilder<unknown>): Condition => {
    const inRange = sql`${createdLt} between ${range.from} and ${range.to}`
    if (after?.created_lt == null) return inRange
    return sql`(${inRange} and (${createdLt} ${beyond(sort)} ${after.created_lt}
      or (${createdLt} = ${after.created_lt} and ${hash} ${beyond(sort)} ${after.hash})))`
  }
}

const MAX_LT = ALL_LT.to

/** Range of the column lt that includes every message whose created_lt is in the range. */
function rangeAround(
  { lt, onlySent }: Pick<MessageScan, 'lt' | 'onlySent'>,
  slice: Pick<MessageSlice, 'after' | 'sort'>,
): LtRange {
  const { from, to } = beyondPosition(lt, slice)
  return { from, to: onlySent ? to : earlier(to, MAX_LT - SYSTEM_LT_SKEW) + SYSTEM_LT_SKEW }
}

/** Raw: the order makes PostgreSQL scan one index instead of the table. Index: same as `readByCreatedLt`. */
const COUNT = statement<{ readonly count: bigint }>('number of messages, up to a limit', { count: 'int8' })

/** Number of messages other than external-in behind the position, in `asc`, counted up to the given limit. */
export async function countCreated(
  db: Db,
  { account, lists, ...scan }: Pick<MessageScan, 'account' | 'conditions' | 'lists' | 'side'>,
  { after }: Pick<MessageSlice, 'after'>,
  atMost: number,
): Promise<number> {
  const slice = { after, sort: 'asc' } as const
  const conditions = conditionsOf({ ...scan, lt: ALL_LT })
  const behind = positions(ALL_LT, slice)
  if (lists.length > 0) {
    const position = behind(sql`(m.lt + 0)`, sql`m.hash`)
    const lt = beyondPosition(ALL_LT, slice)
    const crossing = { lt, lists, conditions: [sql`m.kind <> 1`, position, ...conditions] }
    return (await listCrossing(db, crossing, 'asc', atMost)).length
  }
  const within = after ? [...conditions, behind(CREATED_LT, sql`m.hash`)] : conditions
  const [row] = await COUNT.rows(
    db,
    sql`
    select count(*) as count from (
      ${inOrderOfLt({ account, conditions: within, lt: ALL_LT }, slice, atMost)}
    ) x`,
  )
  return Number(row!.count)
}

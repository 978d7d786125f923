import { type Db, pairKeys } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import {
  all,
  type Condition,
  direction,
  earlier,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  later,
  ltConditions,
  type Sort,
  statement,
  tableColumns,
} from '../idiom/index.ts'
import { type PartWithPairs, partsWithPairs, sharedActivity, withinActive } from '../partitions/index.ts'
import type { MessageRow } from './message-rows.ts'
import type { MessageList } from './message-scan.ts'

/** Messages that are in several lists at once, each list ordered by lt: see `crossedLists`. */
export interface Crossing {
  /** Bounds the column lt. */
  readonly lt: LtRange
  readonly lists: readonly MessageList[]
  /** All conditions on a message, including the lists. */
  readonly conditions: readonly Condition[]
  /** How many messages of the shortest list are examined one by one. Set by tests. */
  readonly firstLook?: number
}

/** Primary key and time of a message. */
export type CrossedMessage = Pick<MessageRow, 'account_id' | 'lt' | 'created_at'>

const FIRST_LOOK = 2000

/**
 * The first messages, ordered by `lt <sort>, hash <sort>`, that are in every list. Two lists of millions may
 * share many messages or none, and no statistics tell which. In the first case it is best to scan one list in
 * its order; in the second that reads the whole list, at 2 µs per message. So the beginnings of the lists are
 * scanned, and the rest is found by intersecting bitmaps, at 60 ns per message, before any row is read. If
 * few finished partitions have messages with such pairs of values, the others are left out.
 */
export async function listCrossing(
  db: Db,
  crossing: Crossing,
  sort: Sort,
  limit: number,
): Promise<CrossedMessage[]> {
  const found: CrossedMessage[] = []
  const { lt: whole, lists } = crossing
  if (isEmpty(whole)) return found
  const keys = pairKeys(Object.fromEntries(lists.map(({ by, value }) => [by, value])))
  for await (const part of partsWithPairs(db, { keys, lt: whole, sort })) {
    found.push(...(await crossWithin(db, { ...crossing, ...part }, sort, limit - found.length)))
    if (found.length === limit) break
  }
  return found
}

async function crossWithin(
  db: Db,
  crossing: Crossing & Pick<PartWithPairs, 'isNarrow'>,
  sort: Sort,
  limit: number,
): Promise<readonly CrossedMessage[]> {
  const { lt, firstLook = FIRST_LOOK } = crossing
  const beginnings = await readBeginnings(db, crossing, sort, firstLook)
  if (beginnings.some(({ count }) => count === 0)) return []
  const whole = beginnings.filter(({ count }) => count < firstLook)
  if (whole.length > 0) return readShared(db, ofBoth(crossing, sharedRange(whole)), sort, limit)
  const near = reached(lt, beginnings, sort)
  const found = await readShared(db, matching(crossing, between(near)), sort, limit)
  const far = sort === 'asc' ? { from: near.to + 1n, to: lt.to } : { from: lt.from, to: near.from - 1n }
  if (found.length === limit || isEmpty(far)) return found
  const beyond = crossing.isNarrow ? sharedLts(crossing.lists, far) : notOfIndexes(far)
  return [...found, ...(await readShared(db, matching(crossing, beyond), sort, limit - found.length))]
}

/**
 * If both indexes could use this condition, PostgreSQL would not combine them, so it is written for neither.
 * It opens all partitions.
 */
const notOfIndexes = ({ from, to }: LtRange): Condition => sql`m.lt + 0 between ${from} and ${to}`

/** Intersects the lists before any row is read, too. It opens the partitions of the range. */
function sharedLts(lists: readonly MessageList[], range: LtRange): Condition {
  const lts = lists.map(
    ({ condition }) => sql`select m.lt from messages m where ${condition} and ${between(range)}`,
  )
  return sql`${between(range)} and m.lt = any(array(${sql.join(lts, sql` intersect `)}))`
}

/**
 * Raw: materialised, because a planner that may stop early is too optimistic. Index: a bitmap of each list's.
 */
const SHARED = statement<CrossedMessage>(
  'messages that several lists share',
  tableColumns('messages', 'account_id', 'lt', 'created_at'),
)

async function readShared(
  db: Db,
  matches: RawBuilder<unknown>,
  sort: Sort,
  limit: number,
): Promise<CrossedMessage[]> {
  const dir = direction(sort)
  return SHARED.rows(
    db,
    sql`
    with matches as materialized (${matches})
    select account_id, lt, created_at from matches order by lt ${dir}, hash ${dir} limit ${limit}`,
  )
}

const between = ({ from, to }: LtRange): Condition => sql`m.lt between ${from} and ${to}`

const matching = ({ conditions }: Crossing, within: Condition): RawBuilder<unknown> => sql`
  select m.account_id, m.lt, m.created_at, m.hash from messages m where ${within} and ${all(conditions)}`

/** Only where the accounts of all lists have rows; `offset 0` makes each range lead to its partitions. */
function ofBoth(crossing: Crossing, range: LtRange): RawBuilder<unknown> {
  const accounts = accountsOf(crossing.lists)
  if (accounts.length === 0) return matching(crossing, between(range))
  return sql`select m.* from ${sharedActivity(accounts, 'asc')} cross join lateral (
    ${matching(crossing, withinActive('m.lt', range))} offset 0) m`
}

const isOfAccount = ({ by }: MessageList): boolean => by !== 'opcode'

const accountsOf = (lists: readonly MessageList[]): readonly bigint[] =>
  lists.filter(isOfAccount).map(({ value }) => value)

/** Where messages of all these lists may be, each of which was read to its end. */
const sharedRange = (lists: readonly Beginning[]): LtRange => ({
  from: lists.map(({ oldest }) => oldest).reduce(later),
  to: lists.map(({ newest }) => newest).reduce(earlier),
})

interface Beginning {
  readonly newest: bigint
  readonly oldest: bigint
  readonly count: number
}

/** The range covered by the beginnings: that of the shortest list reaches farthest. */
function reached({ from, to }: LtRange, beginnings: readonly Beginning[], sort: Sort): LtRange {
  return sort === 'asc'
    ? { from, to: beginnings.map(({ newest }) => newest).reduce(later) }
    : { from: beginnings.map(({ oldest }) => oldest).reduce(earlier), to }
}

/** Raw: one round trip for several lists. Index: that of each list. */
const BEGINNINGS = statement<Beginning>('how far the first messages of lists reach', {
  newest: 'int8',
  oldest: 'int8',
  count: 'int4',
})

/**
 * Only of the lists of accounts if one of them is short: those know their partitions, whereas an opcode may
 * be in few messages of each of many.
 */
async function readBeginnings(
  db: Db,
  { lists, lt }: Crossing,
  sort: Sort,
  most: number,
): Promise<Beginning[]> {
  const accounts = accountsOf(lists)
  const read = (some: readonly MessageList[]): Promise<Beginning[]> => {
    const beginnings = some.map(
      ({ condition }) => sql`
        select max(x.lt) as newest, min(x.lt) as oldest, count(*)::int as count
        from (${firstLts({ accounts, condition, lt }, sort, sql.lit(most))}) x`,
    )
    return BEGINNINGS.rows(db, sql`${KEEP_PLAN} ${sql.join(beginnings, sql` union all `)}`)
  }
  const others = lists.filter((list) => !isOfAccount(list))
  if (accounts.length === 0) return read(others)
  const found = await read(lists.filter(isOfAccount))
  if (others.length === 0 || found.some(({ count }) => count < most)) return found
  return [...found, ...(await read(others))]
}

/** Of one list, in the partitions in which the accounts of all lists have rows. */
function firstLts(
  {
    accounts,
    condition,
    lt,
  }: { readonly accounts: readonly bigint[]; readonly condition: Condition; readonly lt: LtRange },
  sort: Sort,
  limit: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const rows = (within: Condition) => sql`
    select m.lt from messages m where ${condition} and ${within}
    order by m.lt ${direction(sort)} limit ${limit}`
  if (accounts.length === 0) return rows(all(ltConditions(sql`m.lt`, lt)))
  return sql`select x.* from ${sharedActivity(accounts, sort)}
    cross join lateral (${rows(withinActive('m.lt', lt))}) x limit ${limit}`
}

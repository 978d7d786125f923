import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import {
  ALL_LT,
  all,
  direction,
  earlier,
  heldRows,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  later,
  openedWithin,
  statement,
  timeConditions,
} from '../idiom/index.ts'
import { activeRanges, bothWithin, knownPartitions, newestPartitions } from '../partitions/index.ts'
import { transactionsByKeys } from './find-transactions.ts'
import {
  compareKeys,
  KEY_TYPES,
  type TransactionKey,
  type TransactionOrder,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import type { TransactionScan } from './transaction-scan.ts'

const MIN_CHUNK = 16

interface Stream {
  readonly account: bigint
  readonly keys: TransactionKey[]
  exhausted: boolean
  /** Only the keys from here on have been read, all of them. */
  readFrom?: bigint | undefined
}

/**
 * Transactions of several accounts as one list. The lists of the accounts are merged, and only those that the
 * page has exhausted are read further, so the cost depends on the page and the number of accounts, not on
 * their history. The newest partitions come first: if they fill the page, older ones are not searched for
 * accounts that have been quiet. Within an account time never decreases with lt, so the same lists serve both
 * orders. Index: primary key (account_id, lt).
 */
export async function mergeAccounts(
  db: Db,
  input: {
    readonly accounts: readonly bigint[]
    readonly scan: TransactionScan
    readonly order: TransactionOrder
  },
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  if (isEmpty(input.scan.lt)) return []
  const needed = heldRows(slice)
  const compare = compareKeys(input.order, slice.sort)
  let chunk = Math.min(needed, Math.max(MIN_CHUNK, Math.ceil((2 * needed) / input.accounts.length)))
  const streams = input.accounts.map((account): Stream => ({ account, keys: [], exhausted: false }))
  let page: TransactionKey[] = []
  let least = await newestPart(db, input, slice)
  for (let [hungry, next] = [streams, NEXT_ACCOUNTS]; hungry.length > 0; next *= NEXT_ACCOUNTS) {
    const older = await readOn(db, hungry, { ...input, slice, chunk, needed, least })
    least = older && (await nextPart(db, input.scan.lt, latest(older, next)))
    // All that was read is sorted again each time, so there must be few times.
    chunk = Math.min(needed, 2 * chunk)
    page = streams
      .flatMap((stream) => stream.keys)
      .filter((key) => !slice.after || compare(slice.after, key) < 0)
      .sort(compare)
      .slice(0, needed)
    const last = page.length === needed ? page[needed - 1] : undefined
    hungry = streams.filter((stream) => {
      if (stream.exhausted || !last) return !stream.exhausted
      if (stream.readFrom !== undefined) return last.lt < stream.readFrom
      return compare(stream.keys.at(-1)!, last) < 0
    })
  }
  return transactionsByKeys(db, page.slice(slice.offset))
}

/**
 * First lt of the part of the list that is read first; undefined: read all at once. In the order of time,
 * older partitions may have later rows.
 */
async function newestPart(
  db: Db,
  { scan: { lt }, order }: Pick<Reading, 'scan' | 'order'>,
  { sort, after }: TransactionSlice,
): Promise<bigint | undefined> {
  if (order === 'time' || sort === 'asc' || after || lt.to < ALL_LT.to) return undefined
  const start = await newestPartitions(db)
  return start > lt.from ? start : undefined
}

/** The next older transactions of so many accounts fill a page, mostly; if not, of so many times as many. */
const NEXT_ACCOUNTS = 4
/** Fewer partitions are opened together with those before them. */
const FEW = 16

/** The last of the first `count` in descending order. */
const latest = (lts: readonly bigint[], count: number): bigint | undefined =>
  lts
    .toSorted((a, b) => (a < b ? 1 : -1))
    .slice(0, count)
    .at(-1)

/** First lt of the part that is read next, which the lt `last` is in; undefined: read all that is left. */
async function nextPart(db: Db, { from }: LtRange, last: bigint | undefined): Promise<bigint | undefined> {
  if (last === undefined) return undefined
  const { starts } = await knownPartitions(db)
  const at = starts.findLastIndex((start) => start <= last)
  const start = starts[at]
  return at < FEW || start === undefined || start <= from ? undefined : start
}

interface Reading {
  readonly scan: TransactionScan
  readonly order: TransactionOrder
  readonly slice: TransactionSlice
  readonly chunk: number
  /** Rows of the page. */
  readonly needed: number
  /** Only from this lt on. */
  readonly least: bigint | undefined
}

/** `now`: null if it is no transaction, but the last lt of what the account has before the part read. */
type NextKey = Omit<TransactionKey, 'now'> & { readonly now: number | null }

/** Raw: one scan along the primary key per account, with a kept plan. */
const NEXT_KEYS = statement<NextKey>('next transactions of several accounts', KEY_TYPES)

/** The part of an account's list that has not been read. */
function unreadOf({ keys, readFrom }: Stream, { scan, slice, order, least }: Reading): LtRange {
  const last = keys.at(-1)?.lt
  // When ordering by lt, the position bounds the lt of every account; when ordering by time, the caller drops
  // the rows before it.
  const after = order === 'lt' ? slice.after?.lt : undefined
  const { from, to } = scan.lt
  if (slice.sort === 'asc') return { from: last === undefined ? later(after ?? from, from) : last + 1n, to }
  if (readFrom !== undefined) return { from: least ?? from, to: readFrom - 1n }
  return { from: least ?? from, to: last === undefined ? earlier(after ?? to, to) : last - 1n }
}

const WANTED = { from: sql`k.from_lt`, to: sql`k.to_lt` }

/** The last lt of what each account has before `least`, if the page needs it. */
async function readOn(
  db: Db,
  streams: readonly Stream[],
  reading: Reading,
): Promise<readonly bigint[] | undefined> {
  const { chunk, needed, least } = reading
  const keys = nextKeys(streams, reading)
  const rows = await NEXT_KEYS.rows(
    db,
    sql`${KEEP_PLAN} ${least === undefined ? keys : withOlder(keys, { streams, needed, least })}`,
  )
  const found = rows.filter((row): row is TransactionKey => row.now !== null)
  const older = new Map(rows.filter(({ now }) => now === null).map((row) => [row.account_id, row.lt]))
  const hasOlder = least !== undefined && found.length < needed
  const byAccount = new Map(streams.map((stream) => [stream.account, { stream, count: 0 }]))
  for (const row of found) {
    const entry = byAccount.get(row.account_id)!
    entry.stream.keys.push(row)
    entry.count++
  }
  for (const { stream, count } of byAccount.values()) {
    const last = older.get(stream.account)
    stream.exhausted = count < chunk && (hasOlder ? last === undefined : least === undefined)
    stream.readFrom = count < chunk ? (last === undefined ? least : last + 1n) : undefined
  }
  return hasOlder ? [...older.values()] : undefined
}

function nextKeys(streams: readonly Stream[], reading: Reading): RawBuilder<unknown> {
  const { scan, slice, chunk } = reading
  const bounds = streams.map((stream) => unreadOf(stream, reading))
  const opened = {
    from: bounds.map((one) => one.from).reduce(earlier),
    to: bounds.map((one) => one.to).reduce(later),
  }
  const conditions = all([...timeConditions(sql`t.now`, scan.time), ...scan.conditions])
  const dir = direction(slice.sort)
  return sql`
    select x.account_id, x.lt, x.now
    from unnest(${streams.map((stream) => stream.account)}::int8[], ${bounds.map(({ from }) => from)}::int8[],
      ${bounds.map(({ to }) => to)}::int8[]) as k(account_id, from_lt, to_lt)
    cross join lateral (
      select t.* from ${activeRanges(sql`k.account_id`, slice.sort)} cross join lateral (
        select t.account_id, t.lt, t.now from transactions t
        where t.account_id = k.account_id and ${bothWithin('t.lt', WANTED)} and ${conditions}
          and ${openedWithin('t.lt', opened)}
        order by t.lt ${dir} limit ${chunk}
      ) t limit ${chunk}
    ) x
    order by x.lt ${dir}`
}

/** Unless the keys fill the page, also where the accounts have older ones. */
const withOlder = (
  keys: RawBuilder<unknown>,
  { streams, needed, least }: Pick<Reading, 'needed'> & { streams: readonly Stream[]; least: bigint },
): RawBuilder<unknown> => sql`
    with found as materialized (${keys})
    select account_id, lt, now from found
    union all
    select k.account_id, max(least(active.to_lt, ${least}::int8 - 1)), null
    from unnest(${streams.map((stream) => stream.account)}::int8[]) as k(account_id)
    cross join lateral ${activeRanges(sql`k.account_id`, 'desc')}
    where active.from_lt < ${least}::int8 and (select count(*) from found) < ${needed} group by 1`

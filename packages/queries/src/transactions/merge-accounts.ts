import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import {
  all,
  direction,
  earlier,
  isEmpty,
  KEEP_PLAN,
  type LtRange,
  later,
  ltConditions,
  statement,
  timeConditions,
} from '../idiom/index.ts'
import { ltWindows } from '../partitions/index.ts'
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
}

/**
 * Transactions of several accounts as one list. The lists of the accounts are merged, and only those that the
 * page has exhausted are read further, so the cost depends on the page and the number of accounts, not on
 * their history or the partitions beyond the page. Within an account time never decreases with lt, so the
 * same lists serve both orders. Index: primary key (account_id, lt).
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
  const needed = slice.offset + slice.limit
  const compare = compareKeys(input.order, slice.sort)
  const chunk = Math.min(needed, Math.max(MIN_CHUNK, Math.ceil((2 * needed) / input.accounts.length)))
  const streams = input.accounts.map((account): Stream => ({ account, keys: [], exhausted: false }))
  let page: readonly TransactionKey[] = []
  for (const lt of await windowsOf(db, input, slice)) {
    const scan = { ...input.scan, lt }
    for (let hungry = streams; hungry.length > 0; ) {
      await readOn(db, hungry, { scan, order: input.order, slice, chunk })
      page = streams
        .flatMap((stream) => stream.keys)
        .filter((key) => !slice.after || compare(slice.after, key) < 0)
        .sort(compare)
        .slice(0, needed)
      const last = page.length === needed ? page[needed - 1] : undefined
      hungry = streams.filter(
        (stream) => !stream.exhausted && (!last || compare(stream.keys.at(-1)!, last) < 0),
      )
    }
    if (page.length === needed) break
  }
  return transactionsByKeys(db, page.slice(slice.offset))
}

/**
 * Parts of the range, one after the other: a page that is full need not know where the accounts had
 * transactions before. In the order of time a later part may have earlier rows, so there is one part only.
 */
async function windowsOf(
  db: Db,
  { scan: { lt }, order }: Pick<Reading, 'scan' | 'order'>,
  { after, sort }: TransactionSlice,
): Promise<readonly LtRange[]> {
  if (order === 'time') return [lt]
  if (!after) return ltWindows(db, lt, sort)
  const rest =
    sort === 'asc'
      ? { from: later(after.lt, lt.from), to: lt.to }
      : { from: lt.from, to: earlier(after.lt, lt.to) }
  return isEmpty(rest) ? [] : ltWindows(db, rest, sort)
}

interface Reading {
  readonly scan: TransactionScan
  readonly order: TransactionOrder
  readonly slice: TransactionSlice
  readonly chunk: number
}

/** Raw: one scan along the primary key per account, with a kept plan. */
const NEXT_KEYS = statement<TransactionKey>('next transactions of several accounts', KEY_TYPES)

async function readOn(db: Db, streams: readonly Stream[], { scan, slice, chunk }: Reading): Promise<void> {
  const ascending = slice.sort === 'asc'
  const start = ascending ? scan.lt.from : scan.lt.to
  const from = streams.map((stream) => {
    const last = stream.keys.at(-1)?.lt
    if (last !== undefined) return ascending ? last + 1n : last - 1n
    // When ordering by time, the caller drops the rows before the position.
    return start
  })
  const range = [ascending ? sql`t.lt >= k.bound` : sql`t.lt <= k.bound`, ...ltConditions(sql`t.lt`, scan.lt)]
  const conditions = all([...range, ...timeConditions(sql`t.now`, scan.time), ...scan.conditions])
  const rows = await NEXT_KEYS.rows(
    db,
    sql`
    ${KEEP_PLAN} select x.account_id, x.lt, x.now
    from unnest(${streams.map((stream) => stream.account)}::int8[], ${from}::int8[]) as k(account_id, bound)
    cross join lateral (
      select t.account_id, t.lt, t.now from transactions t
      where t.account_id = k.account_id and ${conditions}
      order by t.lt ${direction(slice.sort)} limit ${chunk}
    ) x
    order by x.lt ${direction(slice.sort)}`,
  )
  const byAccount = new Map(streams.map((stream) => [stream.account, { stream, count: 0 }]))
  for (const row of rows) {
    const entry = byAccount.get(row.account_id)!
    entry.stream.keys.push(row)
    entry.count++
  }
  for (const { stream, count } of byAccount.values()) stream.exhausted = count < chunk
}

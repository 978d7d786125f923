import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  ALL_LT,
  intersect,
  KEEP_PLAN,
  type LtRange,
  ltConditions,
  statement,
  timeConditions,
} from '../idiom/index.ts'
import { type MessageFilter, messageKey, type Side } from '../messages/index.ts'
import { fromFirstPartitions } from '../partitions/index.ts'
import { readFirstByLt } from './by-lt.ts'
import { readNewest } from './by-newest-messages.ts'
import { orderOf, selectOfAccount, type TransactionFilter } from './list-transactions.ts'
import { findMessages, resolveMessages } from './look-up-messages.ts'
import {
  type ByMessage,
  type ByMessageFilter,
  criteriaOf,
  FEW_MESSAGES,
  FIRST_LOOK,
  MANY_MESSAGES,
} from './message-criteria.ts'
import { hasMessage } from './scan-by-message.ts'
import { compareKeys, type TransactionRow, type TransactionSlice } from './transaction-rows.ts'
import { notBefore, scanOfAccount, type TransactionScan } from './transaction-scan.ts'

export type Reader = (slice: TransactionSlice) => Promise<readonly TransactionRow[]>

/** The lists of so many accounts are read one by one and merged. */
const FEW_ACCOUNTS = 8

/**
 * Reads transactions of a few accounts that received or sent a message: what an account received is that of
 * which it is the destination, so that lists of messages with it are short where all with the other
 * conditions are not. Undefined: the filter names no accounts, or too many, or what leads to few
 * transactions anyway.
 */
export async function readerOfAccounts(db: Db, filter: ByMessageFilter): Promise<Reader | undefined> {
  const { message, side, among = {}, firstLook = FIRST_LOOK } = filter
  const accounts = [...new Set(among.accounts ?? [])]
  const order = orderOf(among)
  // Times of several accounts are not in the order of lt.
  const most = order === 'time' ? 1 : FEW_ACCOUNTS
  if (accounts.length === 0 || accounts.length > most || message.hashes || isSmall(among)) return undefined
  const sides: readonly Side[] = side ? [side] : ['in', 'out']
  const readers: Reader[] = []
  for (const account of accounts) {
    const scan = await selectOfAccount(db, among, account)
    if (scan)
      for (const end of sides) {
        const by = criteriaOfAccount(message, end, scan)
        if (by) readers.push((slice) => readOfAccount(db, { by, scan, firstLook }, slice))
      }
  }
  return readers.length === 1 ? readers[0] : (slice) => merged(readers, slice)
}

const isSmall = ({ hashes, atLt, mcBlockSeqno, seqno }: TransactionFilter): boolean =>
  [hashes, atLt, mcBlockSeqno, seqno].some((value) => value !== undefined)

type ScanOfAccount = TransactionScan & { readonly account: AccountId }

/** Undefined: it cannot have received or sent such a message. */
function criteriaOfAccount(message: MessageFilter, side: Side, scan: ScanOfAccount): ByMessage | undefined {
  const name = side === 'in' ? 'destination' : 'source'
  const { [name]: named = scan.account } = message
  // A message of the system may be sent by the address that an account has, too.
  if (named !== scan.account) return undefined
  const criteria = criteriaOf({ ...message, [name]: named }, side)
  const bounds = [...ltConditions(sql`t.lt`, scan.lt), ...timeConditions(sql`t.now`, scan.time)]
  // Within an account, time never runs against lt.
  return (
    criteria && {
      ...criteria,
      selected: { conditions: [...bounds, ...scan.conditions], small: false },
      order: 'lt',
    }
  )
}

/** Without duplicates, in order. */
async function merged(
  readers: readonly Reader[],
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const end = slice.offset + slice.limit
  const rows = new Map<string, TransactionRow>()
  for (const read of readers)
    for (const row of await read({ ...slice, offset: 0, limit: end }))
      rows.set(messageKey(row.account_id, row.lt), row)
  return [...rows.values()].sort(compareKeys('lt', slice.sort)).slice(slice.offset, end)
}

interface OfAccount {
  readonly by: ByMessage
  readonly scan: ScanOfAccount
  readonly firstLook: number
}

/**
 * Transactions of an account with such a message: the first ones are looked through, which is enough if there
 * are no others or many match. Otherwise few messages are looked up. If there are many, a longer scan finds
 * them. Index: primary key of transactions; those of messages for the conditions.
 */
async function readOfAccount(
  db: Db,
  { by, scan, firstLook }: OfAccount,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  // Of few messages the whole hash of the body is compared before they are counted.
  const exact = by.bodyHash && (await readFew(db, by, slice, FEW_MESSAGES))
  if (exact) return exact
  const keepPlan = scan.conditions.length === 0
  const matching = { ...scan, keepPlan, conditions: [...scan.conditions, hasMessage(by, ALL_LT)] }
  const first = await firstOf(db, { scan, firstLook }, slice)
  const looked = await readFirstByLt(db, { ...matching, lt: intersect(scan.lt, first.lt) }, slice)
  if (first.isAll || looked.length === slice.limit) return looked
  return (
    (await readNewest(db, by, slice)) ??
    (await readFew(db, by, slice, FEW_MESSAGES)) ??
    (await readFew(db, by, slice, MANY_MESSAGES)) ??
    readFirstByLt(db, matching, slice)
  )
}

/** Undefined: there are more messages. */
async function readFew(
  db: Db,
  by: ByMessage,
  slice: TransactionSlice,
  most: number,
): Promise<readonly TransactionRow[] | undefined> {
  const found = await findMessages(db, by, most + 1)
  return found.length <= most ? resolveMessages(db, found, by, slice) : undefined
}

interface Beginning {
  /** Of the last transaction; null if there is none. */
  readonly lt: bigint | null
  readonly count: number
}

/** Raw: a scan that stops early. Index: primary key of transactions. */
const FIRST = statement<Beginning>('how far the first transactions of an account reach', {
  lt: 'int8',
  count: 'int4',
})

/** Where the first transactions behind the cursor are. */
async function firstOf(
  db: Db,
  { scan, firstLook: wanted }: Omit<OfAccount, 'by'>,
  slice: TransactionSlice,
): Promise<{ readonly lt: LtRange; readonly isAll: boolean }> {
  const { sort, after } = slice
  const whole = after ? notBefore(scan.lt, after, sort) : scan.lt
  const last = sort === 'asc' ? sql`max(t.lt)` : sql`min(t.lt)`
  const { lt, count } = await fromFirstPartitions<Beginning>(
    db,
    { account: scan.account, lt: whole, sort },
    {
      read: async (part, before = { lt: null, count: 0 }) => {
        const rows = scanOfAccount(
          scan.account,
          { ...scan, lt: part },
          { ...slice, offset: 0, limit: wanted - before.count },
        )
        const [row] = await FIRST.rows(
          db,
          sql`${scan.conditions.length === 0 ? KEEP_PLAN : sql``}
          select ${last} as lt, count(*)::int as count from (${rows}) t`,
        )
        return { lt: row!.lt ?? before.lt, count: before.count + row!.count }
      },
      isEnough: (found) => found.count === wanted,
    },
  )
  if (lt === null || count < wanted) return { lt: ALL_LT, isAll: true }
  return { lt: sort === 'asc' ? { from: ALL_LT.from, to: lt } : { from: lt, to: ALL_LT.to }, isAll: false }
}

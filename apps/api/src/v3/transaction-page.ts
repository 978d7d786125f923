import type { TransactionsQuery } from '@shardwalk/api-schema'
import {
  BASECHAIN,
  MASTERCHAIN,
  type RawAddress,
  shardContainsPrefix,
  shardFromSigned,
} from '@shardwalk/model'
import { findBatchExtent, findBlockExtent, WHOLE_WORKCHAIN } from '@shardwalk/queries'
import { sql } from 'kysely'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import { notFound } from '../http/errors.ts'
import type { Page, RequestContext } from '../http/route.ts'
import { mergeAccounts } from './queries/merge-accounts.ts'
import { inShard } from './queries/shard-range.ts'
import { walkShard } from './queries/shard-walk.ts'
import { ALL_LT, type Condition, hasTime, intersect, ltRange, type Sort } from './queries/sql.ts'
import {
  listByLt,
  listByTime,
  listSmallByTime,
  narrowByTime,
  type Slice,
  type TransactionScan,
} from './queries/transaction-list.ts'
import type { TransactionKey, TransactionOrder, TransactionRow } from './queries/transaction-rows.ts'
import { renderTransactions } from './reply-context.ts'

interface PageOptions {
  readonly sort: Sort
  readonly order: TransactionOrder
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

/** Cuts a page out of a list of transactions that `list` reads in its order; one row more tells whether there is a next page. */
export async function transactionPage(
  context: RequestContext,
  { sort, order, limit, offset, cursor }: PageOptions,
  list: (slice: Slice) => Promise<readonly TransactionRow[]>,
): Promise<Page> {
  const name = `tx-${order}-${sort}`
  const after = cursor === undefined ? undefined : toPosition(decodeCursor(cursor, name, 3))
  const rows = await list({ sort, limit: limit + 1, offset, after })
  const page = rows.slice(0, limit)
  const { items, addressBook } = await renderTransactions(context, page)
  const last = page.at(-1)
  const next =
    rows.length > limit && last ? encodeCursor(name, [last.now, last.lt, last.account_id]) : undefined
  return { items, next, fields: { address_book: addressBook } }
}

const toPosition = (values: readonly bigint[]): TransactionKey => ({
  now: Number(BigInt.asIntN(32, values[0]!)),
  lt: BigInt.asIntN(64, values[1]!),
  account_id: BigInt.asIntN(64, values[2]!),
})

/** Filters that are absent select everything. */
export type TransactionsFilter = Partial<TransactionsQuery> &
  Pick<TransactionsQuery, 'sort' | 'limit' | 'offset'>

/** GET /transactions. */
export async function listTransactions(context: RequestContext, query: TransactionsFilter): Promise<Page> {
  const order: TransactionOrder =
    query.start_utime !== undefined || query.end_utime !== undefined ? 'time' : 'lt'
  // Asked for first: an unknown masterchain block is an error whatever else is asked.
  const batch = query.mc_seqno === undefined ? undefined : await requireBatch(context, query.mc_seqno)
  const selection = await select(context, query)
  const scan = selection && withBatch(selection.scan, query.mc_seqno, batch)
  return transactionPage(context, { ...query, order }, (slice) =>
    selection && scan ? readSelection(context, { ...selection, scan }, order, slice) : Promise.resolve([]),
  )
}

export async function requireBatch(context: RequestContext, mcBlockSeqno: number) {
  const batch = await findBatchExtent(context.db, mcBlockSeqno)
  if (!batch) throw notFound(`masterchain block ${mcBlockSeqno} not found`)
  return batch
}

function withBatch(scan: TransactionScan, mcBlockSeqno: number | undefined, lt = ALL_LT): TransactionScan {
  if (mcBlockSeqno === undefined) return scan
  return {
    ...scan,
    lt: intersect(scan.lt, lt),
    conditions: [...scan.conditions, sql`t.mc_block_seqno = ${mcBlockSeqno}`],
  }
}

/** What a query selects, and the way to read it that does not meet much else. */
interface Selection {
  readonly scan: TransactionScan
  /** Only these accounts. */
  readonly accounts?: readonly bigint[]
  /** Only this shard, to be walked block by block. */
  readonly shard?: { readonly workchain: number; readonly shard: bigint }
  /** The conditions or the range of lt keep it small. */
  readonly small: boolean
}

/** Undefined: nothing can match. */
async function select(context: RequestContext, query: TransactionsFilter): Promise<Selection | undefined> {
  const exact = query.lt === undefined ? ALL_LT : ltRange(query.lt, query.lt)
  const lt = intersect(ltRange(query.start_lt, query.end_lt), exact)
  if (query.lt !== undefined && query.lt > ALL_LT.to) return undefined
  const conditions: Condition[] = []
  if (query.hash) conditions.push(sql`t.hash = any(${query.hash}::bytea[])`)
  const scan = { lt, time: { from: query.start_utime, to: query.end_utime }, conditions }
  const named = query.hash !== undefined || query.lt !== undefined || query.mc_seqno !== undefined
  const inBlock = await withBlock(context, scan, query)
  if (!inBlock) return undefined
  const selection: Selection = { ...inBlock, small: named || inBlock.small }
  return withAccounts(context, selection, query)
}

async function withBlock(
  context: RequestContext,
  scan: TransactionScan,
  { workchain, shard, seqno }: TransactionsFilter,
): Promise<Selection | undefined> {
  if (workchain === undefined) return { scan, small: false }
  // Ids are told apart by the sign of the workchain: others than these two do not exist.
  if (workchain !== MASTERCHAIN && workchain !== BASECHAIN) return undefined
  if (shard === undefined) {
    if (workchain === MASTERCHAIN) return inOneShard(scan, { workchain, shard: WHOLE_WORKCHAIN })
    return { scan: { ...scan, conditions: [...scan.conditions, sql`t.account_id >= 0`] }, small: false }
  }
  if (seqno === undefined) return inOneShard(scan, { workchain, shard })
  const extent = await findBlockExtent(context.db, { workchain, shard, seqno })
  if (!extent) return undefined
  const conditions = [...scan.conditions, ...inShard(workchain, shard), sql`t.block_seqno = ${seqno}`]
  return { scan: { ...scan, lt: intersect(scan.lt, extent), conditions }, small: true }
}

const inOneShard = (scan: TransactionScan, shard: { workchain: number; shard: bigint }): Selection => ({
  scan: { ...scan, conditions: [...scan.conditions, ...inShard(shard.workchain, shard.shard)] },
  shard,
  small: false,
})

async function withAccounts(
  context: RequestContext,
  selection: Selection,
  { account, exclude_account: exclude }: TransactionsFilter,
): Promise<Selection | undefined> {
  const excluded = exclude ? await context.accounts.idsOf(context.db, exclude) : []
  if (account) {
    const { shard } = selection
    const candidates = shard ? account.filter((address) => mayBeIn(shard, address)) : account
    const ids = candidates.length > 0 ? await context.accounts.idsOf(context.db, candidates) : []
    const accounts = ids.filter((id) => !excluded.includes(id))
    return accounts.length > 0 ? { ...selection, accounts } : undefined
  }
  if (excluded.length === 0) return selection
  const { scan } = selection
  const conditions = [...scan.conditions, sql`t.account_id <> all(${excluded}::int8[])`]
  return { ...selection, scan: { ...scan, conditions } }
}

const mayBeIn = ({ workchain, shard }: { workchain: number; shard: bigint }, address: RawAddress): boolean =>
  address.workchain < 0 === workchain < 0 &&
  shardContainsPrefix(shardFromSigned(shard), address.hash.readBigUInt64BE(0))

async function readSelection(
  context: RequestContext,
  { scan, accounts, shard, small }: Selection,
  order: TransactionOrder,
  slice: Slice,
): Promise<TransactionRow[]> {
  const { db } = context
  const [account] = accounts ?? []
  const conditions = accounts
    ? [...scan.conditions, sql`t.account_id = any(${accounts}::int8[])`]
    : scan.conditions
  if (small) {
    const all = { ...scan, conditions }
    return order === 'lt' ? listByLt(db, all, slice) : listSmallByTime(db, all, slice)
  }
  const timed = order === 'time' && hasTime(scan.time) ? await narrowByTime(db, scan, {}) : scan
  if (accounts && accounts.length > 1) return mergeAccounts(db, { accounts, scan: timed, order }, slice)
  // Within one account, and within one shard, time never runs against lt: the order by lt is the order by time.
  const keepPlan = timed.conditions.length === 0
  if (account !== undefined)
    return listByLt(
      db,
      { ...timed, keepPlan, conditions: [...timed.conditions, sql`t.account_id = ${account}`] },
      slice,
    )
  if (shard) return walkShard(db, { ...shard, scan: timed, order }, slice)
  return order === 'lt' ? listByLt(db, { ...timed, keepPlan }, slice) : listByTime(db, timed, slice)
}

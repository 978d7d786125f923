import type { Db } from '@shardwalk/db'
import { type AccountId, BASECHAIN, MASTERCHAIN } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  findBlockExtent,
  findBlocksOfSeqno,
  findWorkchains,
  narrowByTime,
  requireBatchExtent,
  WHOLE_WORKCHAIN,
} from '../blocks/index.ts'
import {
  ALL_LT,
  all,
  type Condition,
  hasTime,
  intersect,
  isEmpty,
  type LtRange,
  ltConditions,
  ltRange,
  type Page,
  readPage,
  type SortedPageRequest,
  type TimeRange,
  timeConditions,
  timesAfter,
} from '../idiom/index.ts'
import { readByLt, readByTime, readFirstByLt, readSmallByTime } from './by-lt.ts'
import { transactionsByHash } from './find-transactions.ts'
import { mergeAccounts } from './merge-accounts.ts'
import { accountRange, inRange, inShard, ofWorkchain } from './shard-range.ts'
import { walkShard } from './shard-walk.ts'
import {
  compareKeys,
  TRANSACTION_CURSOR,
  type TransactionOrder,
  type TransactionRow,
  type TransactionSlice,
} from './transaction-rows.ts'
import type { TransactionScan } from './transaction-scan.ts'

/** Joined by AND. */
export interface TransactionFilter {
  /** Of any of these accounts; empty: of none. */
  readonly accounts?: readonly AccountId[] | undefined
  readonly excludedAccounts?: readonly AccountId[] | undefined
  readonly hashes?: readonly Buffer[] | undefined
  /** Exactly this lt. */
  readonly atLt?: bigint | undefined
  readonly lt?: LtRange | undefined
  /** Orders the list by time. */
  readonly time?: TimeRange | undefined
  readonly mcBlockSeqno?: number | undefined
  /** Of the block. */
  readonly workchain?: number | undefined
  /** Of the block, exactly. */
  readonly shard?: bigint | undefined
  /** Of the block; without workchain and shard of any such block. */
  readonly seqno?: number | undefined
}

/**
 * Transactions in order `lt <sort>, account_id`, with a bound on time `now <sort>` before them. Throws
 * `MasterchainBlockNotIndexed` when the filter names such a block. Indexes: see the readers.
 */
export async function listTransactions(
  db: Db,
  filter: TransactionFilter,
  page: SortedPageRequest,
): Promise<Page<TransactionRow>> {
  const order = orderOf(filter)
  const { hashes } = filter
  const read =
    hashes && hasOnlyHashes(filter) ? ofHashes(db, hashes, order) : await ofFilter(db, filter, order)
  return readPage(page, { cursor: TRANSACTION_CURSOR, by: order }, read)
}

type Reader = (slice: TransactionSlice) => Promise<readonly TransactionRow[]>

async function ofFilter(db: Db, filter: TransactionFilter, order: TransactionOrder): Promise<Reader> {
  const selection = await select(db, filter)
  return async (slice) => (selection ? readSelection(db, selection, order, slice) : [])
}

const hasOnlyHashes = ({ hashes, time = {}, ...others }: TransactionFilter): boolean =>
  !hasTime(time) && Object.values(others).every((value) => value === undefined)

/** What leads to these rows has read all of each. */
const ofHashes =
  (db: Db, hashes: readonly Buffer[], order: TransactionOrder): Reader =>
  async ({ sort, limit, offset, after }) => {
    const compare = compareKeys(order, sort)
    return (await transactionsByHash(db, hashes))
      .filter((row) => !after || compare(after, row) < 0)
      .sort(compare)
      .slice(offset, offset + limit)
  }

/** Order of the list: by time if the filter has bounds of time. */
export const orderOf = ({ time = {} }: TransactionFilter): TransactionOrder => (hasTime(time) ? 'time' : 'lt')

/** What a filter selects, as conditions on the table aliased `t`. */
export interface Selected {
  readonly conditions: readonly Condition[]
  /** There are few, which an index has. */
  readonly small: boolean
}

/** Undefined: nothing can match. Throws as `listTransactions` does. */
export async function selectTransactions(db: Db, filter: TransactionFilter): Promise<Selected | undefined> {
  const selection = await select(db, filter)
  if (!selection) return undefined
  const { lt, time, conditions } = await narrowByTime(db, selection.scan, {})
  if (isEmpty(lt)) return undefined
  const { accounts, small } = selection
  const ofAccounts = accounts ? [sql`t.account_id = any(${accounts}::int8[])`] : []
  const bounds = [...ltConditions(sql`t.lt`, lt), ...timeConditions(sql`t.now`, time)]
  return { conditions: [...bounds, ...conditions, ...ofAccounts], small }
}

/** Transactions of one account. Undefined: nothing can match. Throws as `listTransactions` does. */
export async function selectOfAccount(
  db: Db,
  filter: TransactionFilter,
  account: AccountId,
): Promise<(TransactionScan & { readonly account: AccountId }) | undefined> {
  const selection = await select(db, { ...filter, accounts: [account] })
  if (!selection) return undefined
  const scan = await narrowByTime(db, selection.scan, {})
  return isEmpty(scan.lt) ? undefined : { ...scan, account }
}

interface Shard {
  readonly workchain: number
  readonly shard: bigint
}

/** What a filter selects, in the form that decides how it is read. */
interface Selection {
  readonly scan: TransactionScan
  /** Only these accounts. */
  readonly accounts?: readonly AccountId[]
  /** Only this shard, to be walked block by block. */
  readonly shard?: Shard
  /** The conditions or the range of lt keep it small. */
  readonly small: boolean
}

/** Undefined: nothing can match. */
async function select(db: Db, filter: TransactionFilter): Promise<Selection | undefined> {
  const { hashes, atLt, mcBlockSeqno } = filter
  const batch = mcBlockSeqno === undefined ? ALL_LT : await requireBatchExtent(db, mcBlockSeqno)
  const exact = atLt === undefined ? ALL_LT : ltRange(atLt, atLt)
  const conditions: Condition[] = []
  if (hashes) {
    // The lt lead to their partitions.
    const lts = (await transactionsByHash(db, hashes)).map((row) => row.lt)
    conditions.push(sql`t.lt = any(${lts}::int8[])`, sql`t.hash = any(${hashes}::bytea[])`)
  }
  if (mcBlockSeqno !== undefined) conditions.push(sql`t.mc_block_seqno = ${mcBlockSeqno}`)
  const lt = [filter.lt ?? ALL_LT, exact, batch].reduce(intersect)
  const small = hashes !== undefined || atLt !== undefined || mcBlockSeqno !== undefined
  const inBlock = await withBlock(db, { scan: { lt, time: filter.time ?? {}, conditions }, small }, filter)
  return inBlock && withAccounts(inBlock, filter)
}

async function withBlock(
  db: Db,
  selection: Selection,
  { workchain, shard, seqno }: TransactionFilter,
): Promise<Selection | undefined> {
  if (seqno !== undefined && (workchain === undefined || shard === undefined))
    return ofSeqno(selection, await findBlocksOfSeqno(db, { workchain, shard, seqno }), seqno)
  if (workchain === undefined) return shard === undefined ? selection : ofAnyWorkchain(db, selection, shard)
  // In a network without it, conditions would select the transactions of the one with the same sign.
  if (!isUsual(workchain) && !(await findWorkchains(db)).has(workchain)) return undefined
  if (shard === undefined) {
    if (workchain === MASTERCHAIN) return inOneShard(selection, { workchain, shard: WHOLE_WORKCHAIN })
    const sign = workchain < 0 ? sql`t.account_id < 0` : sql`t.account_id >= 0`
    return withConditions(selection, sign, ofWorkchain(workchain))
  }
  if (seqno === undefined) return inOneShard(selection, { workchain, shard })
  const extent = await findBlockExtent(db, { workchain, shard, seqno })
  if (!extent) return undefined
  const { scan } = withConditions(selection, ...inShard(workchain, shard), sql`t.block_seqno = ${seqno}`)
  return { scan: { ...scan, lt: intersect(scan.lt, extent) }, small: true }
}

const isUsual = (workchain: number): boolean => workchain === MASTERCHAIN || workchain === BASECHAIN

type BlockPlaces = Awaited<ReturnType<typeof findBlocksOfSeqno>>

function ofSeqno(selection: Selection, blocks: BlockPlaces, seqno: number): Selection | undefined {
  if (blocks.length === 0) return undefined
  const places = blocks.map(
    (block) =>
      sql`(t.lt between ${block.start_lt} and ${block.end_lt}
        and ${all(inShard(block.workchain, block.shard))})`,
  )
  return {
    ...withConditions(selection, sql`t.block_seqno = ${seqno}`, sql`(${sql.join(places, sql` or `)})`),
    small: true,
  }
}

/** The masterchain is one shard, never split. */
async function ofAnyWorkchain(db: Db, selection: Selection, shard: bigint): Promise<Selection> {
  if (shard !== WHOLE_WORKCHAIN && [...(await findWorkchains(db))].every(isUsual))
    return inOneShard(selection, { workchain: BASECHAIN, shard })
  const [master, base] = [MASTERCHAIN, BASECHAIN].map((workchain) => all(inRange(workchain, shard)))
  return withConditions(selection, sql`((${master}) or (${base}))`)
}

const inOneShard = (selection: Selection, shard: Shard): Selection => ({
  ...withConditions(selection, ...inShard(shard.workchain, shard.shard)),
  shard,
})

function withAccounts(
  selection: Selection,
  { accounts, excludedAccounts: excluded = [] }: TransactionFilter,
): Selection | undefined {
  if (accounts) {
    const { shard } = selection
    const wanted = accounts.filter((id) => !excluded.includes(id) && (!shard || mayHold(shard, id)))
    return wanted.length > 0 ? { ...selection, accounts: wanted } : undefined
  }
  if (excluded.length === 0) return selection
  const { scan, ...others } = withConditions(selection, sql`t.account_id <> all(${excluded}::int8[])`)
  return { ...others, scan: { ...scan, keepPlan: selection.scan.conditions.length === 0 } }
}

function mayHold({ workchain, shard }: Shard, id: AccountId): boolean {
  const { from, to } = accountRange(workchain, shard)
  return from <= id && id <= to
}

const withConditions = (selection: Selection, ...more: readonly Condition[]): Selection => ({
  ...selection,
  scan: { ...selection.scan, conditions: [...selection.scan.conditions, ...more] },
})

async function readSelection(
  db: Db,
  selection: Selection,
  order: TransactionOrder,
  slice: TransactionSlice,
): Promise<readonly TransactionRow[]> {
  const { scan, accounts, shard } = selection
  if (selection.small) {
    const ofAccounts = accounts && sql`t.account_id = any(${accounts}::int8[])`
    const small = ofAccounts ? withConditions(selection, ofAccounts).scan : scan
    return order === 'lt' ? readByLt(db, small, slice) : readSmallByTime(db, small, slice)
  }
  const timed =
    order === 'time' ? await narrowByTime(db, scan, timesAfter(slice.after?.now, slice.sort)) : scan
  if (accounts && accounts.length > 1) return mergeAccounts(db, { accounts, scan: timed, order }, slice)
  // Within one account, and within one shard, time never runs against lt: the order by lt is the order
  // by time.
  const keepPlan = timed.keepPlan ?? timed.conditions.length === 0
  if (accounts) {
    return readFirstByLt(db, { ...timed, keepPlan, account: accounts[0]! }, slice)
  }
  if (shard) return walkShard(db, { ...shard, scan: timed, order }, slice)
  return order === 'lt' ? readFirstByLt(db, { ...timed, keepPlan }, slice) : readByTime(db, timed, slice)
}

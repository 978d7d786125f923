import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { Cursor, int8, type Page, type PageRequest, readKeyset, readPage, statement } from '../idiom/index.ts'
import { JETTONS_AT } from './balance-at.ts'
import { type PastBlock, pointOf } from './past-block.ts'

/** A wallet that held something. */
export interface HolderRow {
  readonly account_id: AccountId
  readonly owner_id: AccountId
  /** Smallest unit. */
  readonly balance: string
}

/** All wallets of a jetton together. */
export interface HolderTotals {
  readonly holders: bigint
  readonly balance: string
  /** Wallets whose balance at the block is not known. */
  readonly unknown: bigint
}

/** Holders of one jetton at a block. */
export interface HolderFilter {
  readonly jettonId: AccountId
  readonly at: PastBlock
  /** Smallest unit; at least 1. */
  readonly minBalance: bigint
}

/** Every wallet that the jetton has or had. Index: jetton_wallets and former_contracts by jetton. */
const walletsOf = (jetton: AccountId): RawBuilder<unknown> => sql`
    select account_id, owner_id, lt, balance, data_hash from jetton_wallets
    where jetton_id = ${jetton} and (lt > 0 or code_hash is not null)
    union all
    select account_id, wallet_owner_id, null, null, null from former_contracts
    where jetton_id = ${jetton} and wallet_owner_id is not null`

const balancesOf = ({ jettonId, at }: HolderFilter): RawBuilder<unknown> => sql`
  select w.account_id, w.owner_id, ${JETTONS_AT.balance} as balance
  from (${walletsOf(jettonId)}) w cross join ${pointOf(at)} ${JETTONS_AT.joins}`

const BY_WALLET = statement<HolderRow>('holders by wallet', {
  account_id: 'int8',
  owner_id: 'int8',
  balance: 'numeric',
})
const BY_BALANCE = statement<HolderRow>('holders by balance', {
  account_id: 'int8',
  owner_id: 'int8',
  balance: 'numeric',
})
const TOTALS = statement<HolderTotals>('totals of holders', {
  holders: 'int8',
  balance: 'numeric',
  unknown: 'int8',
})
const COUNT = statement<{ readonly wallets: bigint }>('wallets of a jetton', { wallets: 'int8' })

/** Number of wallets, counted up to one more than `most`. */
export async function countWallets(db: Db, jettonId: AccountId, most: number): Promise<number> {
  const [row] = await COUNT.rows(
    db,
    sql`select count(*) as wallets from (select from (${walletsOf(jettonId)}) w limit ${most + 1}) w`,
  )
  return Number(row!.wallets)
}

/** Sums over all wallets: their number decides the cost. */
export async function totalHolders(db: Db, filter: HolderFilter): Promise<HolderTotals> {
  const [row] = await TOTALS.rows(
    db,
    sql`select count(*) filter (where balance > 0) as holders, coalesce(sum(balance), 0) as balance,
      count(*) filter (where balance is null) as unknown from (${balancesOf(filter)}) h`,
  )
  return row!
}

/** Order: balance, greatest first, and wallet. Reads all wallets for each page. */
export const listHoldersByBalance = (
  db: Db,
  filter: HolderFilter,
  page: PageRequest,
): Promise<Page<HolderRow>> =>
  readKeyset(
    page,
    {
      name: 'holder-balance',
      sort: 'desc',
      columns: [
        [sql`h.balance`, 'numeric'],
        [sql`h.account_id`, 'int8'],
      ],
      position: (row) => [row.balance, row.account_id],
    },
    ({ after, orderBy, limit, offset }) =>
      BY_BALANCE.rows(
        db,
        sql`select h.account_id, h.owner_id, h.balance from (${balancesOf(filter)}) h
          where h.balance >= ${String(filter.minBalance)}::numeric and ${after}
          order by ${orderBy} limit ${limit} offset ${offset}`,
      ),
  )

const WALLET_CURSOR = new Cursor<Pick<HolderRow, 'account_id'>>('holder-wallet', { account_id: int8 })

/** Order: wallet. Reads only the wallets of the page, and those before them that held less. */
export const listHoldersByWallet = (
  db: Db,
  filter: HolderFilter,
  page: PageRequest,
): Promise<Page<HolderRow>> =>
  readPage({ ...page, sort: 'asc' }, { cursor: WALLET_CURSOR }, ({ limit, offset, after }) =>
    BY_WALLET.rows(
      db,
      sql`select h.account_id, h.owner_id, h.balance from (${balancesOf(filter)}) h
        where h.balance >= ${String(filter.minBalance)}::numeric
          and ${after ? sql`h.account_id > ${after.account_id}::bigint` : sql`true`}
        order by h.account_id limit ${limit} offset ${offset}`,
    ),
  )

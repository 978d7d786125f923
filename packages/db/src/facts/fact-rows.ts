import { NOMINATOR_POOL_CODE_HASH } from '@shardwalk/actions'
import type { AccountId } from '@shardwalk/model'
import type { RoleTable } from '@shardwalk/tables'
import type pg from 'pg'

/**
 * All properties of a contract that classification may read. Anything else may change without changing an
 * action.
 */
export interface FactRow {
  readonly account_id: AccountId
  /** Code hash of items, sales and auctions. */
  readonly code_hash: Buffer | null
  readonly is_nominator_pool: boolean
  readonly wallet_owner_id: AccountId | null
  readonly jetton_id: AccountId | null
  readonly item_index: string | null
  readonly collection_id: AccountId | null
  readonly uri: string | null
  readonly is_domain: boolean
  readonly sale_price: string | null
  readonly sale_marketplace_id: AccountId | null
  readonly sale_nft_id: AccountId | null
  readonly sale_owner_id: AccountId | null
  readonly auction_bid: string | null
  readonly auction_marketplace_id: AccountId | null
  readonly auction_nft_id: AccountId | null
  readonly auction_owner_id: AccountId | null
  readonly multisig_id: AccountId | null
  readonly signers: readonly AccountId[] | null
  readonly is_pool: boolean
  readonly asset_1_id: AccountId | null
  readonly asset_2_id: AccountId | null
}

/** Tables that facts are taken from, besides `contracts`. */
export const FACT_ROLES = [
  'jetton_wallets',
  'nft_items',
  'dns_entries',
  'nft_sales',
  'nft_auctions',
  'multisig_orders',
  'dex_pools',
] as const satisfies readonly RoleTable[]

/** Facts about a contract, in the order of the columns of `former_contracts`. */
export const FACT_COLUMNS = [
  'is_nominator_pool',
  'wallet_owner_id',
  'jetton_id',
  'code_hash',
  'item_index',
  'collection_id',
  'uri',
  'is_domain',
  'sale_price',
  'sale_marketplace_id',
  'sale_nft_id',
  'sale_owner_id',
  'auction_bid',
  'auction_marketplace_id',
  'auction_nft_id',
  'auction_owner_id',
  'multisig_id',
  'signers',
  'is_pool',
  'asset_1_id',
  'asset_2_id',
] as const satisfies readonly (keyof FactRow)[]

/** Facts of accounts ($1) from the tables of roles; $2: code hash of the nominator pool. */
export const SELECT_FACTS = `select c.account_id, c.code_hash is not distinct from $2 as is_nominator_pool,
    w.owner_id as wallet_owner_id, w.jetton_id,
    case when coalesce(i.account_id, s.account_id, a.account_id) is not null then c.code_hash
      end as code_hash,
    i.item_index, i.collection_id, i.content ->> 'uri' as uri, d.account_id is not null as is_domain,
    s.full_price as sale_price, s.marketplace_id as sale_marketplace_id, s.nft_id as sale_nft_id,
      s.nft_owner_id as sale_owner_id,
    a.last_bid as auction_bid, a.marketplace_id as auction_marketplace_id, a.nft_id as auction_nft_id,
      a.nft_owner_id as auction_owner_id,
    o.multisig_id, o.signers, p.account_id is not null as is_pool, p.asset_1_id, p.asset_2_id
  from contracts c
  left join jetton_wallets w using (account_id)
  left join nft_items i using (account_id)
  left join dns_entries d using (account_id)
  left join nft_sales s using (account_id)
  left join nft_auctions a using (account_id)
  left join multisig_orders o using (account_id)
  left join dex_pools p on p.account_id = c.account_id and p.dex = 'dedust'
  where c.account_id = any($1) and (c.roles <> 0 or c.code_hash = $2)`

/** Current facts, and the last ones of accounts that ended. */
const ALL_FACTS = `${SELECT_FACTS}
  union all select account_id, ${FACT_COLUMNS.join(', ')} from former_contracts where account_id = any($1)`

/** Facts of those accounts that have any, including deleted accounts. Index: primary keys. */
export async function readFactRows(client: pg.ClientBase, ids: readonly AccountId[]): Promise<FactRow[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<FactRow>({
    name: 'read-facts',
    text: ALL_FACTS,
    values: [ids, Buffer.from(NOMINATOR_POOL_CODE_HASH, 'base64')],
  })
  return rows
}

/** Newest complete data cells, whatever their origin. */
export async function readData(
  client: pg.ClientBase,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, Buffer>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ account_id: AccountId; boc: Buffer }>(
    `select account_id, boc from (
       select account_id, lt, boc from account_data where account_id = any($1)
       union all select account_id, lt, boc from contract_data where account_id = any($1)) d order by lt`,
    [ids],
  )
  return new Map(rows.map((row) => [row.account_id, row.boc]))
}

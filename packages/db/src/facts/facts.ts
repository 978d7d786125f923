import {
  type AccountFacts,
  type Address,
  type ContractFacts,
  NOMINATOR_POOL_CODE_HASH,
  type OpenTrace,
} from '@shardwalk/actions'
import type { AccountId } from '@shardwalk/model'
import type { RoleTable } from '@shardwalk/tables'
import type pg from 'pg'
import type { AddressBook } from './address-book.ts'
import { readIds } from './addresses.ts'

/** Facts lead to more facts: a stake wallet names its pool, an auction its item. */
const ROUNDS = 3

/** Where facts are read, and how addresses become ids. */
export interface FactsSource {
  readonly client: pg.ClientBase
  readonly book: AddressBook
  /** Ids that are already known: those of the accounts in the traces. */
  readonly idOf: ReadonlyMap<Address, AccountId>
}

/** Reads facts about accounts: of those that have any. `withData`: whose data cells are wanted as well. */
export type ReadFacts = (
  addresses: readonly Address[],
  withData: ReadonlySet<Address>,
) => Promise<ReadonlyMap<Address, AccountFacts>>

/** Facts that need not be read. */
export interface KnownFacts {
  /** Facts from elsewhere, which lead to others. */
  readonly facts: ReadonlyMap<Address, AccountFacts>
  /** Accounts whose facts are complete: the tables are not read for them. */
  readonly settled: ReadonlySet<Address>
}

const NOTHING_KNOWN: KnownFacts = { facts: new Map(), settled: new Set() }

/** What the tables hold about the contracts that classification of the traces will ask for. */
export async function loadFacts(
  read: ReadFacts,
  traces: readonly OpenTrace[],
  known: KnownFacts = NOTHING_KNOWN,
): Promise<ReadonlyMap<Address, AccountFacts>> {
  const facts = new Map<Address, AccountFacts>(known.facts)
  const asked = new Set<Address>(known.settled)
  let open = traces
  for (let round = 0; round < ROUNDS && open.length > 0; round++) {
    const wanted = open.map((trace) => trace.factsWanted(facts))
    const data = new Set(wanted.flatMap((want) => [...want.data]))
    const isFresh = (address: Address) =>
      !asked.has(address) || (data.has(address) && !facts.get(address)?.data)
    const fresh = new Set<Address>()
    for (const want of wanted)
      for (const list of [want.accounts, want.data])
        for (const address of list) if (isFresh(address)) fresh.add(address)
    if (fresh.size === 0) break
    for (const address of fresh) asked.add(address)
    for (const [address, found] of await read([...fresh], data))
      facts.set(address, { ...facts.get(address), ...found })
    // The others have all the facts that they can ask for.
    open = open.filter((_, index) => leadsOn(wanted[index]!, facts))
  }
  return facts
}

const leadsOn = ({ accounts, data }: ReturnType<OpenTrace['factsWanted']>, facts: ContractFacts): boolean =>
  data.size > 0 || [...accounts].some((address) => facts.get(address)?.nftAuction?.nft != null)

/** Reads facts from the tables. */
export const factsReader =
  ({ client, book, idOf }: FactsSource): ReadFacts =>
  async (addresses, withData) => {
    const others = await readIds(
      client,
      addresses.filter((address) => !idOf.has(address)),
    )
    const idsByAddress = new Map(
      addresses.map((address) => [address, idOf.get(address) ?? others.get(address)]),
    )
    const ids = [...idsByAddress.values()].filter((id) => id !== undefined)
    const rows = await readFactRows(client, ids)
    const data = await readData(
      client,
      [...withData].map((address) => idsByAddress.get(address)).filter(isKnown),
    )
    const addressOf = await book.read(client, rows.flatMap(namedBy))
    const byId = new Map(rows.map((row) => [row.account_id, row]))
    const found = new Map<Address, AccountFacts>()
    for (const [address, id] of idsByAddress) {
      const row = id === undefined ? undefined : byId.get(id)
      const boc = id === undefined ? undefined : data.get(id)
      if (row || boc) found.set(address, { ...(row && toFacts(row, addressOf)), ...(boc && { data: boc }) })
    }
    return found
  }

const isKnown = (id: AccountId | undefined): id is AccountId => id !== undefined

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
async function readData(
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

const namedBy = (row: FactRow): (AccountId | null)[] => [
  row.wallet_owner_id,
  row.jetton_id,
  row.collection_id,
  row.sale_marketplace_id,
  row.sale_nft_id,
  row.sale_owner_id,
  row.auction_marketplace_id,
  row.auction_nft_id,
  row.auction_owner_id,
  row.multisig_id,
  ...(row.signers ?? []),
  row.asset_1_id,
  row.asset_2_id,
]

function toFacts(row: FactRow, addressOf: (id: AccountId) => Address): AccountFacts {
  const orNull = (id: AccountId | null) => (id === null ? null : addressOf(id))
  return {
    ...(row.wallet_owner_id !== null &&
      row.jetton_id !== null && {
        jettonWallet: { owner: addressOf(row.wallet_owner_id), jetton: addressOf(row.jetton_id) },
      }),
    ...nftFacts(row, orNull),
    ...(row.multisig_id !== null &&
      row.signers !== null && {
        multisigOrder: { multisig: addressOf(row.multisig_id), signers: row.signers.map(addressOf) },
      }),
    ...(row.is_pool && { dedustPool: { assets: [orNull(row.asset_1_id), orNull(row.asset_2_id)] as const } }),
    ...(row.is_nominator_pool && { nominatorPool: true }),
  }
}

function nftFacts(row: FactRow, orNull: (id: AccountId | null) => Address | null): AccountFacts {
  const codeHash = row.code_hash?.toString('base64') ?? null
  return {
    ...(row.item_index !== null && {
      nftItem: {
        index: BigInt(row.item_index),
        collection: orNull(row.collection_id),
        uri: row.uri,
        codeHash,
        isDomain: row.is_domain,
      },
    }),
    ...(row.sale_price !== null && {
      nftSale: {
        marketplace: orNull(row.sale_marketplace_id),
        nft: orNull(row.sale_nft_id),
        owner: orNull(row.sale_owner_id),
        fullPrice: BigInt(row.sale_price),
        codeHash,
      },
    }),
    ...(row.auction_bid !== null && {
      nftAuction: {
        marketplace: orNull(row.auction_marketplace_id),
        nft: orNull(row.auction_nft_id),
        owner: orNull(row.auction_owner_id),
        lastBid: BigInt(row.auction_bid),
        codeHash,
      },
    }),
  }
}

import {
  type AccountFacts,
  type ContractFacts,
  factsWanted,
  NOMINATOR_POOL_CODE_HASH,
  type Trace,
} from '@shardwalk/actions'
import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'
import type {
  DexPoolRow,
  JettonWalletRow,
  MultisigOrderRow,
  NftAuctionRow,
  NftItemRow,
  NftSaleRow,
} from '../tables/contracts.ts'
import { readAddresses, readIds } from './addresses.ts'

/** Facts lead to more facts: a stake wallet names its pool, an auction its item. */
const ROUNDS = 3

/** What the tables know about the contracts that the traces' classification will ask for. */
export async function loadFacts(client: pg.ClientBase, traces: readonly Trace[]): Promise<ContractFacts> {
  const facts = new Map<string, AccountFacts>()
  const asked = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = traces.map((trace) => factsWanted(trace, facts))
    const data = new Set(wanted.flatMap((want) => [...want.data]))
    const all = [...new Set(wanted.flatMap((want) => [...want.accounts, ...want.data]))]
    const fresh = all.filter((address) => !asked.has(address) || (data.has(address) && !facts.get(address)?.data))
    if (fresh.length === 0) break
    for (const address of fresh) asked.add(address)
    await readFacts(client, fresh, data, facts)
  }
  return facts
}

async function readFacts(
  client: pg.ClientBase,
  addresses: readonly string[],
  withData: ReadonlySet<string>,
  into: Map<string, AccountFacts>,
): Promise<void> {
  const idOf = await readIds(client, addresses)
  const ids = [...idOf.values()]
  if (ids.length === 0) return
  const rows = await readRoles(client, ids)
  const data = await readData(
    client,
    [...withData].map((address) => idOf.get(address)).filter((id) => id !== undefined),
  )
  const addressOf = await readAddresses(client, rows.named)
  for (const [address, id] of idOf) {
    const known = {
      ...into.get(address),
      ...factsOf(rows, id, addressOf),
      ...(data.has(id) && { data: data.get(id)! }),
    }
    if (Object.keys(known).length > 0) into.set(address, known)
  }
}

interface Roles {
  readonly wallets: ReadonlyMap<AccountId, JettonWalletRow>
  readonly items: ReadonlyMap<AccountId, NftItemRow>
  readonly domains: ReadonlyMap<AccountId, unknown>
  readonly sales: ReadonlyMap<AccountId, NftSaleRow>
  readonly auctions: ReadonlyMap<AccountId, NftAuctionRow>
  readonly orders: ReadonlyMap<AccountId, MultisigOrderRow>
  readonly pools: ReadonlyMap<AccountId, DexPoolRow>
  readonly nominators: ReadonlyMap<AccountId, unknown>
  /** Every account that one of the rows names. */
  readonly named: readonly (AccountId | null)[]
}

async function readRoles(client: pg.ClientBase, ids: readonly AccountId[]): Promise<Roles> {
  const read = async <Row extends { account_id: AccountId }>(statement: string, values: readonly unknown[] = []) => {
    const { rows } = await client.query<Row>(statement, [ids, ...values])
    return new Map(rows.map((row) => [row.account_id, row]))
  }
  const of = <Row extends { account_id: AccountId }>(table: string) =>
    read<Row>(`select * from ${table} where account_id = any($1)`)
  const wallets = await of<JettonWalletRow>('jetton_wallets')
  const items = await of<NftItemRow>('nft_items')
  const sales = await of<NftSaleRow>('nft_sales')
  const auctions = await of<NftAuctionRow>('nft_auctions')
  const orders = await of<MultisigOrderRow>('multisig_orders')
  const pools = await read<DexPoolRow>(`select * from dex_pools where account_id = any($1) and dex = 'dedust'`)
  return {
    ...{ wallets, items, sales, auctions, orders, pools },
    domains: await of('dns_entries'),
    nominators: await read(
      'select account_id from latest_account_states where account_id = any($1) and code_hash = $2',
      [Buffer.from(NOMINATOR_POOL_CODE_HASH, 'base64')],
    ),
    named: [
      ...[...wallets.values()].flatMap((row) => [row.owner_id, row.jetton_id]),
      ...[...items.values()].flatMap((row) => [row.collection_id, row.owner_id]),
      ...[...sales.values(), ...auctions.values()].flatMap((row) => [row.marketplace_id, row.nft_id, row.nft_owner_id]),
      ...[...orders.values()].flatMap((row) => [row.multisig_id, ...row.signers]),
      ...[...pools.values()].flatMap((row) => [row.asset_1_id, row.asset_2_id]),
    ],
  }
}

async function readData(client: pg.ClientBase, ids: readonly AccountId[]): Promise<ReadonlyMap<AccountId, Buffer>> {
  if (ids.length === 0) return new Map()
  const { rows } = await client.query<{ account_id: AccountId; boc: Buffer }>(
    'select account_id, boc from account_data where account_id = any($1)',
    [ids],
  )
  return new Map(rows.map((row) => [row.account_id, row.boc]))
}

function factsOf(roles: Roles, id: AccountId, addressOf: (id: AccountId) => string): AccountFacts {
  const orNull = (named: AccountId | null) => (named === null ? null : addressOf(named))
  const [wallet, item, sale] = [roles.wallets.get(id), roles.items.get(id), roles.sales.get(id)]
  const [auction, order, pool] = [roles.auctions.get(id), roles.orders.get(id), roles.pools.get(id)]
  const offer = (row: NftSaleRow | NftAuctionRow) => ({
    marketplace: orNull(row.marketplace_id),
    nft: orNull(row.nft_id),
    owner: orNull(row.nft_owner_id),
    codeHash: codeHash(row),
  })
  return {
    ...(wallet && { jettonWallet: { owner: addressOf(wallet.owner_id), jetton: addressOf(wallet.jetton_id) } }),
    ...(item && {
      nftItem: {
        index: BigInt(item.item_index),
        collection: orNull(item.collection_id),
        owner: orNull(item.owner_id),
        uri: item.content?.['uri'] ?? null,
        codeHash: codeHash(item),
        isDomain: roles.domains.has(id),
      },
    }),
    ...(sale && { nftSale: { ...offer(sale), fullPrice: BigInt(sale.full_price) } }),
    ...(auction && { nftAuction: { ...offer(auction), lastBid: BigInt(auction.last_bid) } }),
    ...(order && {
      multisigOrder: { multisig: addressOf(order.multisig_id), signers: order.signers.map(addressOf) },
    }),
    ...(pool && { dedustPool: { assets: [orNull(pool.asset_1_id), orNull(pool.asset_2_id)] as const } }),
    ...(roles.nominators.has(id) && { nominatorPool: true }),
  }
}

const codeHash = (row: { readonly code_hash: Buffer | null }): string | null =>
  row.code_hash?.toString('base64') ?? null

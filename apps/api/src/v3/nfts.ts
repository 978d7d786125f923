import type {
  NftCollectionsQuery,
  NftItemsQuery,
  NftSalesQuery,
  NftTransfersQuery,
} from '@shardwalk/api-schema'
import type { NftCollectionRow } from '@shardwalk/db'
import { sql } from 'kysely'
import { type Page, pageReply, type RequestContext } from '../http/route.ts'
import { decodedPayload, eventFacts, NOTHING, payloadText, textOrNull } from './accounts-text.ts'
import { Listing } from './address-book-listing.ts'
import { collectionReply, type ItemView, itemReply, loadItems } from './nfts-items.ts'
import { loadSales, saleAddresses, saleReply } from './nfts-sales.ts'
import { type EventRow, eventOrder, idsOf, listEvents, windowConditions } from './queries/accounts-events.ts'
import { type KeysetOrder, keysetPage } from './queries/accounts-keyset.ts'
import { all, type Condition } from './queries/sql.ts'

const METADATA = { metadata: true }

/** GET /nft/collections. */
export async function nftCollections(context: RequestContext, query: NftCollectionsQuery): Promise<Page> {
  const [ids, owners] = [
    await idsOf(context, query.collection_address),
    await idsOf(context, query.owner_address),
  ]
  if (ids?.length === 0 || owners?.length === 0) return NOTHING
  const conditions = [
    ...(ids ? [sql`n.account_id = any (${ids}::int8[])`] : []),
    ...(owners ? [sql`n.owner_id = any (${owners}::int8[])`] : []),
  ]
  const order: KeysetOrder<NftCollectionRow> = {
    name: 'nft-collection',
    sort: 'asc',
    columns: [sql`n.account_id`],
    position: (row) => [row.account_id],
  }
  return keysetPage(query, order, {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<NftCollectionRow>`select * from nft_collections n where ${all([...conditions, after])}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(context.db)
      ).rows,
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, row.owner_id]))
        .load(METADATA)
      return {
        items: rows.map((row) => JSON.stringify(collectionReply(row, listing))),
        fields: listing.fields(METADATA),
      }
    },
  })
}

/** Stands for "no collection" in the order: after all others. */
const LAST = sql`coalesce(i.collection_id, 9223372036854775807)`
const lastOr = (id: bigint | null): bigint => id ?? 9223372036854775807n

/** GET /nft/items. */
export async function nftItems(context: RequestContext, query: NftItemsQuery): Promise<Page> {
  const ids = await idsOf(context, query.address)
  const owners = await idsOf(context, query.owner_address)
  const collections = await idsOf(context, query.collection_address)
  if ([ids, owners, collections].some((list) => list?.length === 0)) return NOTHING
  const owner = query.include_on_sale ? sql`i.real_owner_id` : sql`i.owner_id`
  const conditions: Condition[] = []
  if (ids) conditions.push(sql`i.account_id = any (${ids}::int8[])`)
  if (owners) conditions.push(sql`${owner} = any (${owners}::int8[])`)
  if (collections) conditions.push(sql`i.collection_id = any (${collections}::int8[])`)
  if (query.index) conditions.push(sql`i.item_index = any (${query.index}::numeric[])`)
  return keysetPage(query, itemOrder(query), {
    read: ({ after, orderBy, limit, offset }) =>
      loadItems(
        context.db,
        sql`where ${all([...conditions, after])} order by ${orderBy} limit ${limit} offset ${offset}`,
      ),
    render: async (rows) => {
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, row.collection_id, row.owner_id]))
        .print(...rows.flatMap((row) => [row.real_owner_id, row.collection?.owner_id]))
        .load(METADATA)
      return {
        items: rows.map((row) => JSON.stringify(itemReply(row, listing))),
        fields: listing.fields(METADATA),
      }
    },
  })
}

function itemOrder(query: NftItemsQuery): KeysetOrder<ItemView> {
  if (query.sort_by_last_transaction_lt)
    return {
      name: 'nft-item-lt',
      sort: 'desc',
      columns: [sql`i.lt`, sql`i.account_id`],
      position: (row) => [row.lt, row.account_id],
    }
  if (query.collection_address?.length === 1)
    return {
      name: 'nft-item-index',
      sort: 'asc',
      columns: [sql`i.item_index`, sql`i.account_id`],
      position: (row) => [row.item_index, row.account_id],
    }
  if (!query.owner_address)
    return {
      name: 'nft-item',
      sort: 'asc',
      columns: [sql`i.account_id`],
      position: (row) => [row.account_id],
    }
  const real = query.include_on_sale === true
  return {
    name: `nft-item-${real ? 'real-' : ''}owner`,
    sort: 'asc',
    columns: [real ? sql`i.real_owner_id` : sql`i.owner_id`, LAST, sql`i.item_index`, sql`i.account_id`],
    position: (row) => [
      lastOr(real ? row.real_owner_id : row.owner_id),
      lastOr(row.collection_id),
      row.item_index,
      row.account_id,
    ],
  }
}

interface TransferRow extends EventRow {
  readonly old_owner_id: bigint
  readonly new_owner_id: bigint | null
  readonly collection_id: bigint | null
  readonly forward_amount: string
}

/** GET /nft/transfers: orders to an item to change its owner, those that failed included. */
export async function nftTransfers(context: RequestContext, query: NftTransfersQuery): Promise<Page> {
  const owners = await idsOf(context, query.owner_address ?? query.address)
  const items = await idsOf(context, query.item_address)
  const collections = await idsOf(context, query.collection_address && [query.collection_address])
  if ([owners, items, collections].some((ids) => ids?.length === 0)) return NOTHING
  const conditions = windowConditions(query)
  if (items) conditions.push(sql`e.account_id = any (${items}::int8[])`)
  if (collections) conditions.push(sql`e.collection_id = any (${collections}::int8[])`)
  const sides = {
    in: ['new_owner_id'],
    out: ['old_owner_id'],
    both: ['old_owner_id', 'new_owner_id'],
  } as const
  const by = owners
    ? { columns: sides[query.direction ?? 'both'], ids: owners }
    : items
      ? { columns: ['account_id'], ids: items }
      : collections && { columns: ['collection_id'], ids: collections }
  return keysetPage(query, eventOrder<TransferRow>('nft-transfer', query), {
    read: (slice) => listEvents<TransferRow>(context.db, { table: 'nft_transfers', by, conditions }, slice),
    render: (rows) => renderTransfers(context, rows),
  })
}

async function renderTransfers(context: RequestContext, rows: readonly TransferRow[]): Promise<Page> {
  const listing = await new Listing(context)
    .list(
      ...rows.flatMap((row) => [
        row.account_id,
        row.collection_id,
        row.old_owner_id,
        row.new_owner_id,
        row.response_id,
      ]),
    )
    .load(METADATA)
  const items = rows.map((row) =>
    JSON.stringify({
      query_id: row.query_id,
      nft_address: listing.text(row.account_id),
      nft_collection: listing.maybe(row.collection_id),
      ...eventFacts(row),
      old_owner: listing.text(row.old_owner_id),
      new_owner: listing.maybe(row.new_owner_id),
      response_destination: listing.maybe(row.response_id),
      custom_payload: payloadText(row.custom_payload),
      decoded_custom_payload: decodedPayload(row.custom_payload),
      forward_amount: row.forward_amount,
      forward_payload: payloadText(row.forward_payload),
      decoded_forward_payload: decodedPayload(row.forward_payload),
      trace_id: textOrNull(row.trace_id),
    }),
  )
  return { items, fields: listing.fields(METADATA) }
}

/** GET /nft/sales: sales, then auctions, then Telegram items among the given addresses. */
export async function nftSales(context: RequestContext, query: NftSalesQuery): Promise<string> {
  const ids = (await idsOf(context, query.address)) ?? []
  if (ids.length === 0) return pageReply('nft_sales', NOTHING)
  const sales = await loadSales(context.db, ids)
  const listing = new Listing(context)
  for (const sale of sales) listing.list(...saleAddresses(sale))
  for (const { item } of sales) listing.print(item?.collection?.owner_id, item?.real_owner_id)
  await listing.load(METADATA)
  const items = sales.map((sale) => JSON.stringify(saleReply(sale, listing)))
  return pageReply('nft_sales', { items, fields: listing.fields(METADATA) })
}

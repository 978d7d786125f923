import {
  accountsOfSale,
  contractReplies,
  NftCollectionReply,
  NftCollectionsQuery,
  NftItemReply,
  NftItemsQuery,
  NftSalesQuery,
  NftTransferReply,
  NftTransfersQuery,
  toNftCollectionReply,
  toNftItemReply,
  toNftSaleReply,
  toNftTransferReply,
} from '@shardwalk/api-schema'
import { listNftCollections, listNftItems, listNftTransfers, salesOfAccounts } from '@shardwalk/queries'
import { renderRows } from '@shardwalk/replies'
import { listRoute, objectRoute, pageReply, type Route } from '../../http/route.ts'
import { idsOf, inRowOrder } from '../list-parameters.ts'
import { windowOf } from './bounds.ts'
import { FAILS } from './fails.ts'

const getNftCollections = listRoute({
  path: '/api/v3/nft/collections',
  tag: 'NFTs',
  summary: 'NFT collections',
  description: 'Order: address; profile `toncenter`: insertion.',
  query: NftCollectionsQuery,
  reply: () => contractReplies.NftCollections,
  rows: 'nft_collections',
  row: () => NftCollectionReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.collection_address),
      ownerIds: await idsOf(context, query.owner_address),
    }
    return renderRows(context, await listNftCollections(context.db, filter, inRowOrder(context, query)), {
      listed: (row) => [row.account_id, row.owner_id],
      metadata: true,
      toReply: toNftCollectionReply,
    })
  },
})

const getNftItems = listRoute({
  path: '/api/v3/nft/items',
  tag: 'NFTs',
  summary: 'NFT items',
  description:
    'Order: address (profile `toncenter`: insertion); with `owner_address` owner, collection, index; with ' +
    'one `collection_address` index; with `sort_by_last_transaction_lt` newest first.',
  query: NftItemsQuery,
  reply: () => contractReplies.NftItems,
  rows: 'nft_items',
  row: () => NftItemReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.address),
      ownerIds: await idsOf(context, query.owner_address),
      collectionIds: await idsOf(context, query.collection_address),
      indexes: query.index,
      includesOnSale: query.include_on_sale,
    }
    const page = { ...query, byLt: query.sort_by_last_transaction_lt }
    return renderRows(context, await listNftItems(context.db, filter, inRowOrder(context, page)), {
      listed: (row) => [row.account_id, row.collection_id, row.owner_id],
      printed: (row) => [row.real_owner_id, row.collection?.owner_id],
      metadata: true,
      toReply: toNftItemReply,
    })
  },
})

const getNftTransfers = listRoute({
  path: '/api/v3/nft/transfers',
  tag: 'NFTs',
  summary: 'NFT transfers',
  description:
    'Aborted ones included. Order: `transaction_lt` in the direction of `sort` (with a time bound: ' +
    '`transaction_now`), ties by item.',
  query: NftTransfersQuery,
  reply: () => contractReplies.NftTransfers,
  rows: 'nft_transfers',
  row: () => NftTransferReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ...windowOf(query),
      ownerIds: await idsOf(context, query.owner_address ?? query.address),
      itemIds: await idsOf(context, query.item_address),
      collectionIds: await idsOf(context, query.collection_address && [query.collection_address]),
      direction: query.direction,
    }
    return renderRows(context, await listNftTransfers(context.db, filter, query), {
      listed: (row) => [
        row.account_id,
        row.collection_id,
        row.old_owner_id,
        row.new_owner_id,
        row.response_id,
      ],
      metadata: true,
      toReply: toNftTransferReply,
    })
  },
})

const getNftSales = objectRoute({
  path: '/api/v3/nft/sales',
  tag: 'NFTs',
  summary: 'Sale and auction contracts, Telegram items',
  description:
    'Order: sales, auctions, Telegram items, each by address. Addresses that are none of these are left out.',
  query: NftSalesQuery,
  reply: () => contractReplies.NftSales,
  fails: FAILS,
  async handle(context, query) {
    const ids = (await idsOf(context, query.address)) ?? []
    const sales = { rows: await salesOfAccounts(context.db, ids) }
    const page = await renderRows(context, sales, {
      listed: accountsOfSale,
      printed: ({ item }) => [item?.collection?.owner_id, item?.real_owner_id],
      metadata: true,
      toReply: toNftSaleReply,
    })
    return pageReply('nft_sales', page, context.size)
  },
})

export const NFT_ROUTES: readonly Route[] = [getNftCollections, getNftItems, getNftTransfers, getNftSales]

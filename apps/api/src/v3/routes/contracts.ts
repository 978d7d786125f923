import {
  contractReplies,
  DnsAuctionReply,
  DnsAuctionsQuery,
  DnsRecordReply,
  DnsRecordsQuery,
  MultisigOrderReply,
  MultisigOrdersQuery,
  MultisigReply,
  MultisigWalletsQuery,
  toDnsAuctionReply,
  toDnsRecordReply,
  toMultisigOrderReply,
  toMultisigReply,
  toVestingReply,
  VestingQuery,
  VestingReply,
} from '@shardwalk/api-schema'
import type { MultisigOrderRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  amountsOfOrderPage,
  amountsOfOrders,
  type DnsAuctionRow,
  listDnsAuctions,
  listDnsRecords,
  listMultisigOrders,
  listMultisigs,
  listNftItems,
  listVestingContracts,
  ordersOfMultisigs,
} from '@shardwalk/queries'
import { expectOrders, readActionsOf, renderRows, withoutActions } from '@shardwalk/replies'
import { listRoute, type RequestContext, type Route } from '../../http/route.ts'
import { idsOf, inRowOrder } from '../list-parameters.ts'
import { FAILS } from './fails.ts'

const getDnsRecords = listRoute({
  path: '/api/v3/dns/records',
  tag: 'Dns',
  summary: 'DNS records',
  description: 'Exactly one of `wallet`, `domain`. Order: length of the name, then the name.',
  query: DnsRecordsQuery,
  reply: () => contractReplies.DnsRecords,
  rows: 'records',
  row: () => DnsRecordReply,
  fails: FAILS,
  async page(context, query) {
    const walletIds = await idsOf(context, query.wallet && [query.wallet])
    const records = await listDnsRecords(context.db, { walletIds, domain: query.domain }, query)
    return renderRows(context, records, {
      listed: (row) => [row.account_id, row.owner_id, row.wallet_id],
      printed: (row) => [row.next_resolver_id],
      metadata: false,
      toReply: toDnsRecordReply,
    })
  },
})

const getDnsAuctions = listRoute({
  path: '/api/v3/dns/activeAuctions',
  operationId: 'api_v3_get_dns_active_auctions',
  tag: 'Dns',
  summary: 'Auctions of domains by leading bidder',
  description:
    'An auction is listed until its winner takes the domain. Whether it is over is decided by the time of ' +
    'the newest indexed block. Order: end of the auction, ties in a stable order.',
  query: DnsAuctionsQuery,
  reply: () => contractReplies.DnsAuctions,
  rows: 'auctions',
  row: () => DnsAuctionReply,
  fails: FAILS,
  async page(context, { bidder, state, include_nft_items, after, cursor = after, ...page }) {
    const [bidderId] = (await idsOf(context, bidder && [bidder])) ?? []
    // Of an export, `after` leads to the first page and `cursor` to the others.
    const found =
      bidderId === undefined
        ? { rows: [], next: undefined }
        : await listDnsAuctions(context.db, { bidderId, state }, { ...page, cursor })
    const items = await itemsOf(context, include_nft_items ? found.rows : [])
    const views = found.rows.map((row) => ({ ...row, item: items.get(row.account_id) }))
    const reply = await renderRows(
      context,
      { rows: views, next: found.next },
      {
        listed: ({ account_id, bidder_id, item }) => [account_id, bidder_id, item?.collection_id],
        printed: ({ item }) => [item?.owner_id, item?.real_owner_id, item?.collection?.owner_id],
        metadata: true,
        toReply: toDnsAuctionReply,
      },
    )
    if (reply.next === undefined) return reply
    return { ...reply, fields: { ...reply.fields, next_cursor: JSON.stringify(reply.next) } }
  },
})

async function itemsOf({ db }: RequestContext, auctions: readonly DnsAuctionRow[]) {
  const ids = auctions.map(({ account_id }) => account_id)
  const { rows } =
    ids.length > 0 ? await listNftItems(db, { ids }, { limit: ids.length, offset: 0 }) : { rows: [] }
  return new Map(rows.map((row) => [row.account_id, row]))
}

const getMultisigs = listRoute({
  path: '/api/v3/multisig/wallets',
  tag: 'Multisig',
  summary: 'Multisig contracts',
  description:
    'Order: `last_transaction_lt`, ties by address; profile `toncenter`: insertion. In the direction of ' +
    '`sort`.',
  query: MultisigWalletsQuery,
  reply: () => contractReplies.Multisigs,
  rows: 'multisigs',
  row: () => MultisigReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.address),
      memberIds: await idsOf(context, query.wallet_address),
    }
    const { rows, next } = await listMultisigs(context.db, filter, inRowOrder(context, query))
    const ids = query.include_orders === false ? [] : rows.map((row) => row.account_id)
    const instead = 'lower `limit` or set `include_orders=false`'
    expectOrders(context, await amountsOfOrders(context.db, ids), instead)
    const orders = byMultisig(await ordersOfMultisigs(context.db, ids))
    const views = rows.map((row) => ({ row, orders: orders.get(row.account_id) ?? [] }))
    return renderRows(
      context,
      { rows: views, next },
      {
        listed: ({ row, orders }) => [
          row.account_id,
          ...row.signers,
          ...row.proposers,
          ...orders.flatMap((order) => [order.account_id, ...order.signers]),
        ],
        metadata: false,
        toReply: toMultisigReply,
      },
    )
  },
})

function byMultisig(orders: readonly MultisigOrderRow[]): ReadonlyMap<AccountId, MultisigOrderRow[]> {
  const found = new Map<AccountId, MultisigOrderRow[]>()
  for (const order of orders) {
    const others = found.get(order.multisig_id)
    if (others) others.push(order)
    else found.set(order.multisig_id, [order])
  }
  return found
}

const getMultisigOrders = listRoute({
  path: '/api/v3/multisig/orders',
  tag: 'Multisig',
  summary: 'Orders of multisig contracts',
  description:
    'Order: `last_transaction_lt`, ties by address; profile `toncenter`: insertion. In the direction of ' +
    '`sort`.',
  query: MultisigOrdersQuery,
  reply: () => contractReplies.MultisigOrders,
  rows: 'orders',
  row: () => MultisigOrderReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.address),
      multisigIds: await idsOf(context, query.multisig_address),
    }
    const page = inRowOrder(context, query)
    expectOrders(context, await amountsOfOrderPage(context.db, filter, page), 'lower `limit`')
    const { rows, next } = await listMultisigOrders(context.db, filter, page)
    const { views, named } = query.parse_actions ? await readActionsOf(context, rows) : withoutActions(rows)
    return renderRows(
      context,
      { rows: views, next },
      {
        listed: ({ row }) => [row.account_id, row.multisig_id, ...row.signers],
        named,
        metadata: false,
        toReply: toMultisigOrderReply,
      },
    )
  },
})

const getVestingContracts = listRoute({
  path: '/api/v3/vesting',
  operationId: 'api_v3_get_vesting_contracts',
  tag: 'Vesting',
  summary: 'Vesting contracts',
  description:
    'Exactly one of `contract_address`, `wallet_address`. Order: address; profile `toncenter`: insertion.',
  query: VestingQuery,
  reply: () => contractReplies.Vesting,
  rows: 'vesting_contracts',
  row: () => VestingReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.contract_address),
      partyIds: await idsOf(context, query.wallet_address),
      includesWhitelisted: query.check_whitelist,
    }
    return renderRows(context, await listVestingContracts(context.db, filter, inRowOrder(context, query)), {
      listed: (row) => [row.account_id, row.sender_id, row.owner_id, ...row.whitelist],
      metadata: false,
      toReply: toVestingReply,
    })
  },
})

export const CONTRACT_ROUTES: readonly Route[] = [
  getDnsRecords,
  getDnsAuctions,
  getMultisigs,
  getMultisigOrders,
  getVestingContracts,
]

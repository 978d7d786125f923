import {
  contractReplies,
  JettonBurnReply,
  JettonBurnsQuery,
  JettonMasterReply,
  JettonMastersQuery,
  JettonTransferReply,
  JettonTransfersQuery,
  JettonWalletReply,
  JettonWalletsQuery,
  toJettonBurnReply,
  toJettonMasterReply,
  toJettonTransferReply,
  toJettonWalletReply,
} from '@shardwalk/api-schema'
import {
  listJettonBurns,
  listJettonMasters,
  listJettonTransfers,
  listJettonWallets,
} from '@shardwalk/queries'
import { renderRows } from '@shardwalk/replies'
import { listRoute, type RequestContext, type Route } from '../../http/route.ts'
import { idsOf, inRowOrder } from '../list-parameters.ts'
import { windowOf } from './bounds.ts'
import { FAILS } from './fails.ts'

const getJettonMasters = listRoute({
  path: '/api/v3/jetton/masters',
  tag: 'Jettons',
  summary: 'Jetton masters',
  description: 'Order: address; profile `toncenter`: insertion.',
  query: JettonMastersQuery,
  reply: () => contractReplies.JettonMasters,
  rows: 'jetton_masters',
  row: () => JettonMasterReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.address),
      adminIds: await idsOf(context, query.admin_address),
    }
    return renderRows(context, await listJettonMasters(context.db, filter, inRowOrder(context, query)), {
      listed: (row) => [row.account_id, row.admin_id],
      metadata: true,
      toReply: toJettonMasterReply,
    })
  },
})

const getJettonWallets = listRoute({
  path: '/api/v3/jetton/wallets',
  tag: 'Jettons',
  summary: 'Jetton wallets',
  description:
    'Order: address (profile `toncenter`: insertion), or balance in the direction of `sort`; with ' +
    '`owner_address` and without a single jetton, owner first. Ties by address.',
  query: JettonWalletsQuery,
  reply: () => contractReplies.JettonWallets,
  rows: 'jetton_wallets',
  row: () => JettonWalletReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ids: await idsOf(context, query.address),
      ownerIds: await idsOf(context, query.owner_address),
      jettonIds: await idsOf(context, query.jetton_address),
      isHolding: query.exclude_zero_balance,
    }
    return renderRows(context, await listJettonWallets(context.db, filter, inRowOrder(context, query)), {
      listed: (row) => [row.account_id, row.owner_id, row.jetton_id],
      metadata: true,
      toReply: toJettonWalletReply,
    })
  },
})

const getJettonTransfers = listRoute({
  path: '/api/v3/jetton/transfers',
  tag: 'Jettons',
  summary: 'Jetton transfers',
  description:
    "Transactions of the sender's wallet; aborted ones are left out. Order: `transaction_lt` in the " +
    'direction of `sort` (with a time bound: `transaction_now`), ties by wallet.',
  query: JettonTransfersQuery,
  reply: () => contractReplies.JettonTransfers,
  rows: 'jetton_transfers',
  row: () => JettonTransferReply,
  fails: FAILS,
  async page(context, query) {
    const filter = {
      ...(await eventFilter(context, query)),
      direction: query.direction,
    }
    return renderRows(context, await listJettonTransfers(context.db, filter, query), {
      listed: (row) => [row.source_id, row.destination_id, row.account_id, row.jetton_id, row.response_id],
      metadata: true,
      toReply: toJettonTransferReply,
    })
  },
})

const getJettonBurns = listRoute({
  path: '/api/v3/jetton/burns',
  tag: 'Jettons',
  summary: 'Jetton burns',
  description:
    'Aborted ones included. Order: `transaction_lt` in the direction of `sort` (with a time bound: ' +
    '`transaction_now`), ties by wallet.',
  query: JettonBurnsQuery,
  reply: () => contractReplies.JettonBurns,
  rows: 'jetton_burns',
  row: () => JettonBurnReply,
  fails: FAILS,
  async page(context, query) {
    const burns = await listJettonBurns(context.db, await eventFilter(context, query), query)
    return renderRows(context, burns, {
      listed: (row) => [row.owner_id, row.account_id, row.jetton_id, row.response_id],
      metadata: true,
      toReply: toJettonBurnReply,
    })
  },
})

const eventFilter = async (context: RequestContext, query: JettonTransfersQuery | JettonBurnsQuery) => ({
  ...windowOf(query),
  ownerIds: await idsOf(context, query.owner_address ?? query.address),
  walletIds: await idsOf(context, query.jetton_wallet),
  jettonIds: await idsOf(context, query.jetton_master && [query.jetton_master]),
})

export const JETTON_ROUTES: readonly Route[] = [
  getJettonMasters,
  getJettonWallets,
  getJettonTransfers,
  getJettonBurns,
]

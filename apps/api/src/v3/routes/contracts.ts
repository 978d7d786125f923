import {
  contractReplies,
  DnsRecordReply,
  DnsRecordsQuery,
  MultisigOrderReply,
  MultisigOrdersQuery,
  MultisigReply,
  MultisigWalletsQuery,
  rawAddressesIn,
  readOrderActions,
  toDnsRecordReply,
  toMultisigOrderReply,
  toMultisigReply,
  toVestingReply,
  VestingQuery,
  VestingReply,
} from '@shardwalk/api-schema'
import {
  listDnsRecords,
  listMultisigOrders,
  listMultisigs,
  listVestingContracts,
  ordersOfMultisigs,
} from '@shardwalk/queries'
import { listRoute, type Route } from '../../http/route.ts'
import { idsOf, inRowOrder, renderRows } from '../render-rows.ts'
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
    const orders = await ordersOfMultisigs(context.db, ids)
    const views = rows.map((row) => ({
      row,
      orders: orders.filter((order) => order.multisig_id === row.account_id),
    }))
    return renderRows(
      context,
      { rows: views, next },
      {
        listed: ({ row, orders }) => [
          ...[row.account_id, ...row.signers, ...row.proposers],
          ...orders.flatMap((order) => [order.account_id, ...order.signers]),
        ],
        metadata: false,
        toReply: toMultisigReply,
      },
    )
  },
})

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
    const { rows, next } = await listMultisigOrders(context.db, filter, inRowOrder(context, query))
    const views = rows.map((row) => ({ row, actions: query.parse_actions ? readOrderActions(row) : null }))
    const named = rawAddressesIn(JSON.stringify(views.map(({ actions }) => actions)))
    return renderRows(
      context,
      { rows: views, next },
      {
        listed: ({ row }) => [row.account_id, row.multisig_id, ...row.signers],
        alsoListed: await context.accounts.idsOf(context.db, named),
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
  getMultisigs,
  getMultisigOrders,
  getVestingContracts,
]

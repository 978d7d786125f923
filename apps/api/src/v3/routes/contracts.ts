import {
  contractReplies,
  DnsRecordReply,
  DnsRecordsQuery,
  MultisigOrderReply,
  MultisigOrdersQuery,
  MultisigReply,
  MultisigWalletsQuery,
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
  listDnsRecords,
  listMultisigOrders,
  listMultisigs,
  listVestingContracts,
  ordersOfMultisigs,
} from '@shardwalk/queries'
import { expectOrders, readActionsOf, renderRows, withoutActions } from '@shardwalk/replies'
import { listRoute, type Route } from '../../http/route.ts'
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
          ...[row.account_id, ...row.signers, ...row.proposers],
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
  getMultisigs,
  getMultisigOrders,
  getVestingContracts,
]

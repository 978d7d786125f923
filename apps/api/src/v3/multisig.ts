import {
  bocText,
  type MultisigOrdersQuery,
  type MultisigWalletsQuery,
  parseAddress,
} from '@shardwalk/api-schema'
import { parseBoc } from '@shardwalk/cells'
import { type OrderAction, parseMultisigOrder } from '@shardwalk/contracts'
import type { MultisigOrderRow, MultisigWalletRow } from '@shardwalk/db'
import { sql } from 'kysely'
import type { Page, RequestContext } from '../http/route.ts'
import { NOTHING_WITHOUT_METADATA, textOrNull, withIntegers } from './accounts-text.ts'
import { Listing } from './address-book-listing.ts'
import { idsOf } from './queries/accounts-events.ts'
import { type KeysetOrder, keysetPage } from './queries/accounts-keyset.ts'
import { all, type Sort } from './queries/sql.ts'

const BOOK = { metadata: false }

const byLt = <R extends MultisigWalletRow | MultisigOrderRow>(name: string, sort: Sort): KeysetOrder<R> => ({
  name,
  sort,
  columns: [sql`m.lt`, sql`m.account_id`],
  position: (row) => [row.lt, row.account_id],
})

/** GET /multisig/wallets. */
export async function multisigWallets(context: RequestContext, query: MultisigWalletsQuery): Promise<Page> {
  const [ids, wallets] = [await idsOf(context, query.address), await idsOf(context, query.wallet_address)]
  if (ids?.length === 0 || wallets?.length === 0) return NOTHING_WITHOUT_METADATA
  const conditions = [
    ...(ids ? [sql`m.account_id = any (${ids}::int8[])`] : []),
    ...(wallets ? [sql`(m.signers && ${wallets}::int8[] or m.proposers && ${wallets}::int8[])`] : []),
  ]
  return keysetPage(query, byLt<MultisigWalletRow>('multisig', query.sort), {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<MultisigWalletRow>`select * from multisig_wallets m where ${all([...conditions, after])}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(context.db)
      ).rows,
    render: async (rows) => {
      const orders = query.include_orders === false ? [] : await ordersOf(context, rows)
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, ...row.signers, ...row.proposers]))
        .list(...orders.flatMap((order) => [order.account_id, ...order.signers]))
        .load(BOOK)
      const items = rows.map((row) =>
        JSON.stringify({
          address: listing.text(row.account_id),
          next_order_seqno: row.next_order_seqno,
          threshold: row.threshold,
          signers: row.signers.map((id) => listing.text(id)),
          proposers: row.proposers.map((id) => listing.text(id)),
          last_transaction_lt: String(row.lt),
          code_hash: textOrNull(row.code_hash),
          data_hash: textOrNull(row.data_hash),
          orders: orders
            .filter((order) => order.multisig_id === row.account_id)
            .map((order) => ({ ...orderReply(order, listing), actions: null })),
        }),
      )
      return { items, fields: listing.fields(BOOK) }
    },
  })
}

async function ordersOf(
  { db }: RequestContext,
  rows: readonly MultisigWalletRow[],
): Promise<MultisigOrderRow[]> {
  const ids = rows.map((row) => row.account_id)
  const { rows: orders } = await sql<MultisigOrderRow>`
    select * from multisig_orders where multisig_id = any (${ids}::int8[]) order by order_seqno, account_id`.execute(
    db,
  )
  return orders
}

/** GET /multisig/orders. */
export async function multisigOrders(context: RequestContext, query: MultisigOrdersQuery): Promise<Page> {
  const [ids, multisigs] = [await idsOf(context, query.address), await idsOf(context, query.multisig_address)]
  if (ids?.length === 0 || multisigs?.length === 0) return NOTHING_WITHOUT_METADATA
  const conditions = [
    ...(ids ? [sql`m.account_id = any (${ids}::int8[])`] : []),
    ...(multisigs ? [sql`m.multisig_id = any (${multisigs}::int8[])`] : []),
  ]
  return keysetPage(query, byLt<MultisigOrderRow>('multisig-order', query.sort), {
    read: async ({ after, orderBy, limit, offset }) =>
      (
        await sql<MultisigOrderRow>`select * from multisig_orders m where ${all([...conditions, after])}
          order by ${orderBy} limit ${limit} offset ${offset}`.execute(context.db)
      ).rows,
    render: async (rows) => {
      const actions = rows.map((row) => (query.parse_actions ? readActions(row) : null))
      const named = await context.accounts.idsOf(
        context.db,
        addressesIn(actions.flatMap((list) => list ?? [])),
      )
      const listing = await new Listing(context)
        .list(...rows.flatMap((row) => [row.account_id, row.multisig_id, ...row.signers]), ...named)
        .load(BOOK)
      const items = rows.map((row, index) =>
        withIntegers({ ...orderReply(row, listing), actions: actions[index] }),
      )
      return { items, fields: listing.fields(BOOK) }
    },
  })
}

const orderReply = (row: MultisigOrderRow, listing: Listing) => ({
  address: listing.text(row.account_id),
  multisig_address: listing.text(row.multisig_id),
  order_seqno: row.order_seqno,
  threshold: row.threshold,
  sent_for_execution: row.sent_for_execution,
  approvals_mask: row.approvals_mask,
  approvals_num: row.approvals_num,
  expiration_date: Number(row.expiration_date),
  order_boc: bocText(row.order_boc),
  signers: row.signers.map((id) => listing.text(id)),
  last_transaction_lt: String(row.lt),
  code_hash: textOrNull(row.code_hash),
  data_hash: textOrNull(row.data_hash),
})

/** Null when the order cannot be read at all. */
function readActions(row: MultisigOrderRow) {
  const bag = parseBoc(row.order_boc)
  return parseMultisigOrder(bag.cell(bag.root))?.map(actionReply) ?? null
}

/** Query ids are integers here, and wider than JavaScript's exact ones: they are written as they are. */
const actionReply = (action: OrderAction) => ({
  destination: action.destination,
  value: action.value === null ? null : String(action.value),
  body_raw: action.body,
  parsed: action.error === null,
  error: action.error,
  parsed_body: action.parsedBody,
  parsed_body_type: action.parsedBodyType,
  send_mode: action.sendMode,
})

/** Raw addresses anywhere in the actions. */
function addressesIn(actions: readonly object[]) {
  const texts = withIntegers(actions).match(/-?\d+:[0-9A-F]{64}/g)
  return [...new Set(texts ?? [])].flatMap((text) => parseAddress(text) ?? [])
}

import type { Db, MultisigOrderRow, MultisigWalletRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  isAnyOf,
  type KeysetOrder,
  type Page,
  type RowOrder,
  readContractRows,
  readKeyset,
  type SortedPageRequest,
} from '../idiom/index.ts'

/** Wallets that match all that is given; `undefined` matches any. */
export interface MultisigFilter {
  readonly ids?: readonly AccountId[] | undefined
  /** Signers or proposers. */
  readonly memberIds?: readonly AccountId[] | undefined
}

/** Orders that match all that is given; `undefined` matches any. */
export interface MultisigOrderFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly multisigIds?: readonly AccountId[] | undefined
}

export interface MultisigPage extends SortedPageRequest {
  /** Default: by lt. */
  readonly rowOrder?: RowOrder | undefined
}

const orderOf = <Row extends Pick<MultisigOrderRow, 'lt' | 'account_id' | 'row_no'>>(
  name: string,
  { sort, rowOrder }: MultisigPage,
): KeysetOrder<Row> =>
  rowOrder === 'insertion'
    ? { name: `${name}-insertion`, sort, columns: [[sql`m.row_no`, 'int8']], position: (row) => [row.row_no] }
    : {
        name,
        sort,
        columns: [
          [sql`m.lt`, 'int8'],
          [sql`m.account_id`, 'int8'],
        ],
        position: (row) => [row.lt, row.account_id],
      }

/** Order: lt, account, or row_no. Index: primary key; GIN (signers), (proposers). */
export async function listMultisigs(
  db: Db,
  { ids, memberIds }: MultisigFilter,
  page: MultisigPage,
): Promise<Page<MultisigWalletRow>> {
  const conditions = anyOf({ 'm.account_id': ids })
  if (!conditions || memberIds?.length === 0) return EMPTY_PAGE
  if (memberIds)
    conditions.push(sql<boolean>`(m.signers && ${memberIds}::int8[] or m.proposers && ${memberIds}::int8[])`)
  const order = orderOf<MultisigWalletRow>('multisig', page)
  return readContractRows(db, { table: 'multisig_wallets', conditions, order }, page)
}

/** Order: lt, account, or row_no. Index: primary key; (multisig_id). */
export async function listMultisigOrders(
  db: Db,
  { ids, multisigIds }: MultisigOrderFilter,
  page: MultisigPage,
): Promise<Page<MultisigOrderRow>> {
  const conditions = anyOf({ 'm.account_id': ids, 'm.multisig_id': multisigIds })
  if (!conditions) return EMPTY_PAGE
  const order = orderOf<MultisigOrderRow>('multisig-order', page)
  return readContractRows(db, { table: 'multisig_orders', conditions, order }, page)
}

/** How much orders have of what makes them large. */
export interface OrderAmounts {
  readonly orders: number
  /** Bytes of all bags of cells. */
  readonly bocBytes: number
  readonly signers: number
}

type OrderLengths = Pick<MultisigOrderRow, 'lt' | 'account_id' | 'row_no'> & {
  readonly boc_bytes: number
  readonly signers: number
}

/** What `listMultisigOrders` would load. Reads no bags, only their lengths. Index: same. */
export async function amountsOfOrderPage(
  db: Db,
  { ids, multisigIds }: MultisigOrderFilter,
  page: MultisigPage,
): Promise<OrderAmounts> {
  const conditions = anyOf({ 'm.account_id': ids, 'm.multisig_id': multisigIds })
  if (!conditions) return NO_ORDERS
  const order = orderOf<OrderLengths>('multisig-order', page)
  const { rows } = await readKeyset(page, order, ({ after, orderBy, limit, offset }) =>
    db
      .selectFrom('multisig_orders as m')
      .select(({ fn }) => [
        'm.lt',
        'm.account_id',
        'm.row_no',
        fn<number>('octet_length', ['m.order_boc']).as('boc_bytes'),
        fn<number>('cardinality', ['m.signers']).as('signers'),
      ])
      .where(all([...conditions, after]))
      .orderBy(orderBy)
      .limit(limit)
      .offset(offset)
      .execute(),
  )
  return {
    orders: rows.length,
    bocBytes: rows.reduce((sum, row) => sum + row.boc_bytes, 0),
    signers: rows.reduce((sum, row) => sum + row.signers, 0),
  }
}

/** All orders of the multisigs, per multisig by seqno. Index: (multisig_id). */
export const ordersOfMultisigs = (db: Db, ids: readonly AccountId[]): Promise<MultisigOrderRow[]> =>
  db
    .selectFrom('multisig_orders')
    .selectAll()
    .where(isAnyOf('multisig_id', ids))
    .orderBy('order_seqno')
    .orderBy('account_id')
    .execute()

/** What `ordersOfMultisigs` would load. Reads no bags, only their lengths. Index: (multisig_id). */
export async function amountsOfOrders(db: Db, ids: readonly AccountId[]): Promise<OrderAmounts> {
  if (ids.length === 0) return NO_ORDERS
  const { orders, bytes, signers } = await db
    .selectFrom('multisig_orders')
    .select(({ fn }) => [
      fn.countAll<bigint>().as('orders'),
      fn.sum<bigint | null>(fn<number>('octet_length', ['order_boc'])).as('bytes'),
      fn.sum<bigint | null>(fn<number>('cardinality', ['signers'])).as('signers'),
    ])
    .where(isAnyOf('multisig_id', ids))
    .executeTakeFirstOrThrow()
  return { orders: Number(orders), bocBytes: Number(bytes ?? 0n), signers: Number(signers ?? 0n) }
}

const NO_ORDERS: OrderAmounts = { orders: 0, bocBytes: 0, signers: 0 }

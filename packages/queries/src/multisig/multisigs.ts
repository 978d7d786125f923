import type { Db, MultisigOrderRow, MultisigWalletRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  anyOf,
  EMPTY_PAGE,
  isAnyOf,
  type KeysetOrder,
  type Page,
  type RowOrder,
  readContractRows,
  type SortedPageRequest,
} from '../idiom/index.ts'

export interface MultisigFilter {
  readonly ids?: readonly AccountId[] | undefined
  /** Signers or proposers. */
  readonly memberIds?: readonly AccountId[] | undefined
}

export interface MultisigOrderFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly multisigIds?: readonly AccountId[] | undefined
}

export interface MultisigPage extends SortedPageRequest {
  /** Default: by lt. */
  readonly rowOrder?: RowOrder | undefined
}

const orderOf = <Row extends MultisigWalletRow | MultisigOrderRow>(
  name: string,
  { sort, rowOrder }: MultisigPage,
): KeysetOrder<Row> =>
  rowOrder === 'insertion'
    ? { name: `${name}-insertion`, sort, columns: [sql`m.row_no`], position: (row) => [row.row_no] }
    : {
        name,
        sort,
        columns: [sql`m.lt`, sql`m.account_id`],
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

/** All orders of the multisigs, per multisig by seqno. Index: (multisig_id). */
export const ordersOfMultisigs = (db: Db, ids: readonly AccountId[]): Promise<MultisigOrderRow[]> =>
  db
    .selectFrom('multisig_orders')
    .selectAll()
    .where(isAnyOf('multisig_id', ids))
    .orderBy('order_seqno')
    .orderBy('account_id')
    .execute()

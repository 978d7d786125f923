import type { Db, JettonMasterRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readContractRows,
} from '../idiom/index.ts'

/** Masters that match all that is given; `undefined` matches any. */
export interface JettonMasterFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly adminIds?: readonly AccountId[] | undefined
}

/** Order: account, or row_no. Index: primary key; (row_no); (admin_id). */
export async function listJettonMasters(
  db: Db,
  { ids, adminIds }: JettonMasterFilter,
  page: RowPageRequest,
): Promise<Page<JettonMasterRow>> {
  const conditions = anyOf({ 'm.account_id': ids, 'm.admin_id': adminIds })
  if (!conditions) return EMPTY_PAGE
  const order = orderOfRows<JettonMasterRow>('jetton-master', 'm', page.rowOrder)
  return readContractRows(db, { table: 'jetton_masters', conditions, order }, page)
}

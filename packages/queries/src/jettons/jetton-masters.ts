import type { Db, JettonMasterRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  orderOfRows,
  type Page,
  type RowPageRequest,
  readKeyset,
} from '../idiom/index.ts'

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
  return readKeyset(
    page,
    orderOfRows<JettonMasterRow>('jetton-master', 'm', page.rowOrder),
    ({ after, orderBy, limit, offset }) =>
      db
        .selectFrom('jetton_masters as m')
        .selectAll()
        .where(all([...conditions, after]))
        .orderBy(orderBy)
        .limit(limit)
        .offset(offset)
        .execute(),
  )
}

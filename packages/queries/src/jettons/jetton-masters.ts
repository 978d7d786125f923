import type { Db, JettonMasterRow } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  type KeysetOrder,
  type Page,
  type PageRequest,
  readKeyset,
} from '../idiom/index.ts'

export interface JettonMasterFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly adminIds?: readonly AccountId[] | undefined
}

const ORDER: KeysetOrder<JettonMasterRow> = {
  name: 'jetton-master',
  sort: 'asc',
  columns: [sql`m.account_id`],
  position: (row) => [row.account_id],
}

/** Order: account. Index: primary key; (admin_id). */
export async function listJettonMasters(
  db: Db,
  { ids, adminIds }: JettonMasterFilter,
  page: PageRequest,
): Promise<Page<JettonMasterRow>> {
  const conditions = anyOf({ 'm.account_id': ids, 'm.admin_id': adminIds })
  if (!conditions) return EMPTY_PAGE
  return readKeyset(page, ORDER, ({ after, orderBy, limit, offset }) =>
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

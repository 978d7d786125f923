import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import {
  all,
  anyOf,
  EMPTY_PAGE,
  type KeysetOrder,
  type Page,
  type RowOrder,
  type RowPageRequest,
  readKeyset,
  type Sort,
} from '../idiom/index.ts'

type Airdrop = Pick<Row<'mintless_claims'>, 'amount' | 'start_from' | 'expire_at'> &
  Pick<Row<'mintless_jettons'>, 'custom_payload_api_uri'>

/** A wallet and, of a mintless jetton, what its owner has in the airdrop. */
export type JettonWalletRow = Row<'jetton_wallets'> & {
  readonly [Name in keyof Airdrop]: Airdrop[Name] | null
}

/** Wallets that match all that is given. */
export interface JettonWalletFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly ownerIds?: readonly AccountId[] | undefined
  readonly jettonIds?: readonly AccountId[] | undefined
  /** Without wallets that hold nothing and have nothing to claim. */
  readonly isHolding?: boolean | undefined
}

/** By balance when a direction is given. */
export interface JettonWalletPage extends RowPageRequest {
  readonly sort?: Sort | undefined
}

/**
 * Order: account or row_no, or balance; with owners and not just one jetton each owner's wallets together.
 * Index: primary key, (row_no), (balance); account_id, row_no and balance behind jetton_id; account_id and
 * balance behind owner_id.
 */
export async function listJettonWallets(
  db: Db,
  filter: JettonWalletFilter,
  page: JettonWalletPage,
): Promise<Page<JettonWalletRow>> {
  const conditions = anyOf({
    'w.account_id': filter.ids,
    'w.owner_id': filter.ownerIds,
    'w.jetton_id': filter.jettonIds,
  })
  if (!conditions) return EMPTY_PAGE
  if (filter.isHolding)
    conditions.push(sql<boolean>`(w.balance > 0 or (c.amount > 0 and w.is_claimed is distinct from true))`)
  return readKeyset(page, orderOf(filter, page), ({ after, orderBy, limit, offset }) =>
    db
      .selectFrom('jetton_wallets as w')
      .leftJoin('mintless_claims as c', 'c.wallet_id', 'w.account_id')
      .leftJoin('mintless_jettons as j', 'j.jetton_id', 'w.jetton_id')
      .selectAll('w')
      .select(['c.amount', 'c.start_from', 'c.expire_at', 'j.custom_payload_api_uri'])
      .where(all([...conditions, after]))
      .orderBy(orderBy)
      .limit(limit)
      .offset(offset)
      .execute(),
  )
}

const KEYS = { account: 'account_id', insertion: 'row_no' } as const satisfies Record<RowOrder, string>

function orderOf(
  { ids, ownerIds, jettonIds }: JettonWalletFilter,
  { sort, rowOrder = 'account' }: JettonWalletPage,
): KeysetOrder<JettonWalletRow> {
  const byOwner = ownerIds !== undefined && jettonIds?.length !== 1
  const byBalance = sort !== undefined && (byOwner || jettonIds !== undefined || ids === undefined)
  const key = byBalance ? 'account_id' : KEYS[rowOrder]
  const name = byBalance ? '-balance' : rowOrder === 'insertion' ? '-insertion' : ''
  return {
    name: `jetton-wallet${byOwner ? '-owner' : ''}${name}`,
    sort: byBalance ? sort : 'asc',
    columns: [
      ...(byOwner ? [[sql`w.owner_id`, 'int8'] as const] : []),
      ...(byBalance ? [[sql`w.balance`, 'numeric'] as const] : []),
      [sql.ref(`w.${key}`), 'int8'],
    ],
    position: (row) => [...(byOwner ? [row.owner_id] : []), ...(byBalance ? [row.balance] : []), row[key]],
  }
}

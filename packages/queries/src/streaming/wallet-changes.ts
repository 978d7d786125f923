import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { KEEP_PLAN, selected, statement, tableColumns } from '../idiom/index.ts'

const WALLET_TYPES = tableColumns(
  'jetton_wallets',
  'account_id',
  'lt',
  'code_hash',
  'data_hash',
  'owner_id',
  'jetton_id',
  'balance',
)
const WALLET_COLUMNS = selected('w', WALLET_TYPES)

/** A jetton wallet as of its newest examined state. */
export type JettonWalletState = Readonly<Pick<Row<'jetton_wallets'>, keyof typeof WALLET_TYPES>>

/** Raw: a kept plan. Index: primary key. */
const WALLETS = statement<JettonWalletState>('jetton wallets among accounts', WALLET_TYPES)

/** Those of the accounts that are jetton wallets. */
export async function jettonWalletsAmong(
  db: Db,
  ids: readonly AccountId[],
): Promise<readonly JettonWalletState[]> {
  if (ids.length === 0) return []
  return WALLETS.rows(
    db,
    sql`${KEEP_PLAN} select ${WALLET_COLUMNS} from jetton_wallets w where w.account_id = any(${ids}::int8[])`,
  )
}

/** Raw: a kept plan. Index: primary keys of former_contracts and transactions. */
const FORMER = statement<JettonWalletState>('former jetton wallets among accounts', WALLET_TYPES)

const FORMER_COLUMNS = selected('f', WALLET_TYPES, {
  code_hash: 'null::bytea',
  data_hash: 'null::bytea',
  owner_id: 'f.wallet_owner_id',
  balance: '0::numeric',
})

/**
 * Those of the accounts that ceased to be jetton wallets in a masterchain block; their balance is 0 since.
 */
export async function formerWalletsAmong(
  db: Db,
  { ids, seqnos }: { readonly ids: readonly AccountId[]; readonly seqnos: readonly number[] },
): Promise<readonly JettonWalletState[]> {
  if (ids.length === 0) return []
  return FORMER.rows(
    db,
    sql`${KEEP_PLAN} select ${FORMER_COLUMNS}
      from unnest(${ids}::int8[], ${seqnos}::int4[]) as i(id, seqno)
      join former_contracts f on f.account_id = i.id
      cross join lateral (
        select t.mc_block_seqno from transactions t
        where t.account_id = f.account_id and t.lt > f.lt order by t.lt limit 1
      ) t where f.jetton_id is not null and t.mc_block_seqno = i.seqno`,
  )
}

/** Raw: a kept plan. Index: jetton_wallets (owner_id, account_id). */
const OWNED = statement<JettonWalletState>('jetton wallets of owners since', WALLET_TYPES)

/** Wallets of owners that changed after an lt, at most `limit`. */
export async function walletsOfOwnersSince(
  db: Db,
  {
    owners,
    lt,
    limit,
  }: { readonly owners: readonly AccountId[]; readonly lt: bigint; readonly limit: number },
): Promise<readonly JettonWalletState[]> {
  if (owners.length === 0) return []
  return OWNED.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${WALLET_COLUMNS} from jetton_wallets w
    where w.owner_id = any(${owners}::int8[]) and w.lt > ${lt} order by w.lt limit ${limit}`,
  )
}

/** Raw: lookups per account, with a kept plan. Index: primary keys. */
const UNEXAMINED = statement<{ readonly account_id: AccountId }>('accounts that wait to be examined', {
  account_id: 'int8',
})

/** Those of the accounts that have not been examined in a state as recent as `lts`. Index: primary keys. */
export async function unexaminedAmong(
  db: Db,
  { ids, lts }: { readonly ids: readonly AccountId[]; readonly lts: readonly bigint[] },
): Promise<readonly AccountId[]> {
  if (ids.length === 0) return []
  const rows = await UNEXAMINED.rows(
    db,
    sql`
    ${KEEP_PLAN} select k.account_id from unnest(${ids}::int8[], ${lts}::int8[]) as k(account_id, lt)
    join refresh_queue q on q.account_id = k.account_id
    where not exists (select from contracts c where c.account_id = k.account_id and c.lt >= k.lt)`,
  )
  return rows.map((row) => row.account_id)
}

/** An account that waits to be examined. */
export interface UnexaminedAccount {
  readonly account_id: AccountId
  /** Of the state to be examined. */
  readonly lt: bigint
}

/** Raw: a kept plan. Indexes: refresh_queue_fresh; refresh_queue_leased, of whose entries there are few. */
const UNEXAMINED_SINCE = statement<UnexaminedAccount>('accounts since that wait to be examined', {
  account_id: 'int8',
  lt: 'int8',
})

/** Accounts that changed after an lt and have not been examined since, the latest first, at most `limit`. */
export const unexaminedSince = (
  db: Db,
  { lt, limit }: { readonly lt: bigint; readonly limit: number },
): Promise<readonly UnexaminedAccount[]> =>
  UNEXAMINED_SINCE.rows(
    db,
    sql`
    ${KEEP_PLAN} select q.account_id, q.lt from (
      (select account_id, lt from refresh_queue where leased_until is null and lt > ${lt}
        order by lt desc limit ${limit})
      union all
      (select account_id, lt from refresh_queue where leased_until >= '-infinity' and lt > ${lt})
    ) q where not exists (select from contracts c where c.account_id = q.account_id and c.lt >= q.lt)
    order by q.lt desc limit ${limit}`,
  )

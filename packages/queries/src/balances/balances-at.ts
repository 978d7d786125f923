import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { statement } from '../idiom/index.ts'
import { type BalanceGap, JETTONS_AT, TON_AT } from './balance-at.ts'
import { type PastBlock, pointOf } from './past-block.ts'

/** What an account held as of a block. */
export interface BalanceAtRow {
  readonly owner_id: AccountId
  /** Null: TON. */
  readonly jetton_id: AccountId | null
  /** The account itself, or its jetton wallet. */
  readonly account_id: AccountId
  /** Of the transaction that left the balance; null: none is indexed. */
  readonly lt: bigint | null
  /** Nanotons, or the smallest unit of the jetton; null: not known. */
  readonly balance: string | null
  readonly gap: BalanceGap | null
}

const TYPES = {
  owner_id: 'int8',
  jetton_id: 'int8',
  account_id: 'int8',
  lt: 'int8',
  balance: 'numeric',
  gap: 'text',
} as const
const TON = statement<BalanceAtRow>('TON at a block', TYPES)
const JETTONS = statement<BalanceAtRow>('jettons at a block', TYPES)

/** Index: primary keys of transactions and of latest_account_states. */
export const readTonAt = (
  db: Db,
  ownerIds: readonly AccountId[],
  at: PastBlock,
): Promise<readonly BalanceAtRow[]> =>
  TON.rows(
    db,
    readAt(
      TON_AT,
      sql`select id as account_id, id as owner_id, null::bigint as jetton_id
        from unnest(${ownerIds}::bigint[]) id`,
      at,
    ),
  )

/**
 * Of those jettons for which the owners have, or had, a wallet. Index: as `readTonAt`; jetton_wallets
 * (owner_id, account_id), former_contracts (jetton_id, wallet_owner_id).
 */
export const readJettonsAt = (
  db: Db,
  {
    ownerIds,
    jettonIds,
  }: { readonly ownerIds: readonly AccountId[]; readonly jettonIds: readonly AccountId[] },
  at: PastBlock,
): Promise<readonly BalanceAtRow[]> =>
  JETTONS.rows(
    db,
    readAt(
      JETTONS_AT,
      sql`select account_id, owner_id, jetton_id, lt, balance, data_hash from jetton_wallets
        where owner_id = any (${ownerIds}::bigint[]) and jetton_id = any (${jettonIds}::bigint[])
        union all
        select account_id, wallet_owner_id, jetton_id, null, null, null from former_contracts
        where jetton_id = any (${jettonIds}::bigint[]) and wallet_owner_id = any (${ownerIds}::bigint[])`,
      at,
    ),
  )

const readAt = (
  { joins, lt, balance, gap }: typeof TON_AT,
  wallets: RawBuilder<unknown>,
  at: PastBlock,
): RawBuilder<unknown> => sql`
  select owner_id, jetton_id, account_id, lt, balance, case when balance is null then gap end as gap
  from (
    select w.owner_id, w.jetton_id, w.account_id, ${lt} as lt, ${balance} as balance, ${gap} as gap
    from (${wallets}) w cross join ${pointOf(at)} ${joins}
  ) b order by owner_id, jetton_id, account_id`

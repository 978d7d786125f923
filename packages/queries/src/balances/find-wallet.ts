import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { KEEP_PLAN, statement } from '../idiom/index.ts'

const WALLET = statement<{ readonly account_id: AccountId }>('wallet of an owner', { account_id: 'int8' })

/**
 * The wallet in which an owner has, or had, a jetton; undefined if none is indexed. Index: jetton_wallets
 * (owner_id, account_id); former_contracts (jetton_id, wallet_owner_id).
 */
export async function findJettonWallet(
  db: Db,
  { ownerId, jettonId }: { readonly ownerId: AccountId; readonly jettonId: AccountId },
): Promise<AccountId | undefined> {
  const [row] = await WALLET.rows(
    db,
    sql`
    ${KEEP_PLAN} select account_id from (
      select account_id, lt from jetton_wallets where owner_id = ${ownerId} and jetton_id = ${jettonId}
      union all
      select account_id, lt from former_contracts
      where jetton_id = ${jettonId} and wallet_owner_id = ${ownerId}
    ) w order by lt desc limit 1`,
  )
  return row?.account_id
}

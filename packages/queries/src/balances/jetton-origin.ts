import type { Db } from '@shardwalk/db'
import { ACCOUNT_STATUS, type AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { KEEP_PLAN, statement } from '../idiom/index.ts'
import type { PastBlock } from './past-block.ts'

/** What tells whether all wallets of a jetton can be known as of a block. */
export interface JettonOrigin {
  /** The jetton was deployed in the indexed range, so no wallet is older than it. */
  readonly began: boolean
  /** Contracts that were touched up to the block wait to be examined: some may be wallets. */
  readonly waiting: boolean
  /** As of the block; null unless the master has not changed since. */
  readonly total_supply: string | null
}

const ORIGIN = statement<JettonOrigin>('origin of a jetton', {
  began: 'bool',
  waiting: 'bool',
  total_supply: 'numeric',
})

const NOT_THERE = sql.join(
  (['nonexist', 'uninit'] as const).map((name) => sql.lit(ACCOUNT_STATUS.indexOf(name))),
)

/** Index: primary keys of transactions and of contracts; refresh_queue (lt), (leased_until). */
export async function findJettonOrigin(
  db: Db,
  jettonId: AccountId,
  { seqno, end_lt, from_seqno }: PastBlock,
): Promise<JettonOrigin> {
  const [row] = await ORIGIN.rows(
    db,
    sql`
    ${KEEP_PLAN} select
      ${from_seqno}::int <= 1 or coalesce((
        select t.orig_status in (${NOT_THERE}) and t.mc_block_seqno between ${from_seqno} and ${seqno}
        from transactions t where t.account_id = ${jettonId} order by t.lt limit 1
      ), false) as began,
      coalesce((select min(lt) from refresh_queue where leased_until is null) <= ${end_lt}
        or (select min(lt) from refresh_queue where leased_until >= '-infinity') <= ${end_lt},
        false) as waiting,
      (select m.total_supply from jetton_masters m join latest_account_states s using (account_id)
        where m.account_id = ${jettonId} and s.lt = m.lt and s.mc_seqno <= ${seqno}
          and (s.mc_seqno > 0 or s.lt <= ${end_lt})) as total_supply`,
  )
  return row!
}

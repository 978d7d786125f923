import { PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import type pg from 'pg'
import { stageOf } from '../sink/transaction.ts'

/**
 * What a batch leaves to be examined, inside the transaction that writes it: accounts whose newest state it brought, and the batch itself
 * for its token events. Nothing is queued for older states, nor for plain wallets whose data is stored: no rule holds for them.
 */
export async function enqueueRefresh(client: pg.ClientBase, mcSeqnos: readonly number[]): Promise<void> {
  await client.query(
    `insert into refresh_queue as q (account_id, lt)
     select s.account_id, s.lt from ${stageOf('latest_account_states')} s
     join latest_account_states l on l.account_id = s.account_id and l.lt = s.lt
     where s.code_hash <> all ($1::bytea[])
        or (s.code_hash is not null and not exists (
             select from account_data d where d.account_id = s.account_id and d.data_hash = s.data_hash))
        or exists (select from contracts c where c.account_id = s.account_id and c.roles <> 0)
     order by s.account_id
     on conflict (account_id) do update set lt = excluded.lt, leased_until = null, attempts = 0 where q.lt < excluded.lt`,
    [PLAIN_WALLET_CODE_HASHES],
  )
  await client.query(
    `insert into event_queue (mc_seqno) select unnest($1::int[]) order by 1
     on conflict (mc_seqno) do update set leased_until = null`,
    [mcSeqnos],
  )
}

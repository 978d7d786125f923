import { PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import { ACCOUNT_STATUS, type McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { stageOf } from '../writing/transaction.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')

/**
 * What a batch leaves to be examined, inside the transaction that writes it: accounts whose newest state it brought, and the batch itself
 * for its token events. Nothing is queued for older states, but for the active ones of accounts that ended since: their events belong to what they
 * were; nor for plain wallets whose data is stored: no rule holds for them. Whatever a batch tells of an account whose state is missing may help.
 */
export async function enqueueRefresh(
  client: pg.ClientBase,
  mcBlockSeqnos: readonly McBlockSeqno[],
): Promise<void> {
  await client.query(
    `with missing as (
       delete from missing_states m using ${stageOf('latest_account_states')} s where m.account_id = s.account_id returning m.account_id)
     insert into refresh_queue as q (account_id, lt)
     select distinct l.account_id, l.lt from ${stageOf('latest_account_states')} s
     join latest_account_states l on l.account_id = s.account_id
     where (l.lt = s.lt or (l.status <> s.status and s.status = ${ACTIVE} and s.lt < l.lt))
       and (s.code_hash <> all ($1::bytea[])
         or (s.code_hash is not null and not exists (
              select from account_data d where d.account_id = s.account_id and d.data_hash = s.data_hash))
         or exists (select from contracts c where c.account_id = s.account_id and c.code_hash is distinct from s.code_hash))
       or l.account_id in (select account_id from missing)
     order by l.account_id
     on conflict (account_id) do update set lt = excluded.lt, requeues = q.requeues + 1, leased_until = null, attempts = 0`,
    [PLAIN_WALLET_CODE_HASHES],
  )
  await client.query(
    `insert into event_queue (mc_seqno) select unnest($1::int[]) order by 1
     on conflict (mc_seqno) do update set leased_until = null`,
    [mcBlockSeqnos],
  )
}

import { PLAIN_WALLET_CODE_HASHES } from '@shardwalk/contracts'
import { ACCOUNT_STATUS, type McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { runScript } from '../writing/copy.ts'
import { queryKept } from '../writing/kept-plans.ts'
import { stageOf } from '../writing/transaction.ts'
import { DROP_PARTS_OF_EXAMINED } from './state-parts.ts'

const ACTIVE = ACCOUNT_STATUS.indexOf('active')
const WALLET_CODES = PLAIN_WALLET_CODE_HASHES.map((hash) => `'\\x${hash.toString('hex')}'`)
/** A constant, in which the server searches by hash. */
const PLAIN_WALLETS = `array[${WALLET_CODES.join()}]::bytea[]`

/**
 * Queues the accounts of staged states. Older states are queued only if they were active and the account has
 * ended since, because its events belong to that role. Plain wallets whose data is stored are left out,
 * because they have no role, unless an older state of theirs is being examined or an examination left
 * something that their end removes. Contracts with missing states are queued whenever a batch shows one of
 * their states. If a batch stored parts of a state, which a running examination does not see, queued
 * contracts are queued again. Ended accounts with a row in `contracts` are queued for every state, so that
 * its lt does not depend on when they were examined. `offset 0` and arrays: otherwise the planner multiplies
 * the cost of a look-up by that of the sub-selects beside it, or joins with all rows of a table that is small
 * when it makes the plan, and would read all states instead.
 */
const ENQUEUE_ACCOUNTS = `with missing as (
     delete from missing_states
       where account_id = any (array(select account_id from ${stageOf('latest_account_states')}))
       returning account_id)
   insert into refresh_queue as q (account_id, lt)
   select distinct l.account_id, l.lt from (
     select l.account_id, l.lt, l.status, s.lt as lt_here, s.status as status_here, s.code_hash,
       s.data_hash
     from ${stageOf('latest_account_states')} s
     cross join lateral (
       select * from latest_account_states x where x.account_id = s.account_id offset 0) l offset 0) l
   where (l.lt = l.lt_here
       or (l.status <> l.status_here and l.status_here = ${ACTIVE} and l.lt_here < l.lt))
     and (l.code_hash <> all (${PLAIN_WALLETS})
       or (l.code_hash is not null and not exists (
            select from account_data d where d.account_id = l.account_id and d.data_hash = l.data_hash
            offset 0))
       or exists (select from contracts c where c.account_id = l.account_id
         and (l.code_hash is null or c.code_hash is distinct from l.code_hash) offset 0)
       or exists (select from refresh_queue w where w.account_id = l.account_id offset 0)
       or (l.status <> ${ACTIVE} and exists (
            select from contract_data r where r.account_id = l.account_id offset 0)
         and not exists (select from contracts c where c.account_id = l.account_id offset 0)))
     or l.account_id in (select account_id from missing)
     or l.account_id in (
       select s.account_id from ${stageOf('state_parts')} s
       where exists (
           select from state_parts p where p.account_id = s.account_id and p.lt = s.lt offset 0)
         and exists (select from refresh_queue w where w.account_id = s.account_id offset 0))
   order by l.account_id
   on conflict (account_id) do update set lt = excluded.lt, requeues = q.requeues + 1, leased_until = null,
     attempts = 0`

const ENQUEUE_BATCHES = `insert into event_queue (mc_seqno) select unnest($1::int[]) order by 1
   on conflict (mc_seqno) do update set leased_until = null`

/**
 * Queues the examinations that a batch requires, in the transaction that writes it: accounts whose newest
 * state it brought (`ENQUEUE_ACCOUNTS`), and the batch itself for its token events.
 */
export async function enqueueRefresh(
  client: pg.ClientBase,
  mcBlockSeqnos: readonly McBlockSeqno[],
): Promise<void> {
  await runScript(client, [DROP_PARTS_OF_EXAMINED, ENQUEUE_ACCOUNTS])
  await queryKept(client, ENQUEUE_BATCHES, [mcBlockSeqnos])
}

import { ROLE_TABLES, TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import type pg from 'pg'
import { KEEP_STATE_PARTS } from '../contracts/state-parts.ts'
import { statusOfState } from '../rows/status-of-state.ts'

/**
 * Call after a range has been written again because a server had supplied false blocks. Removes what was
 * derived from their transactions: those of the temporary table `gone` that the range no longer contains. The
 * newest state of an account concerned becomes that of its last remaining transaction, even if its lt is
 * lower, and its contract is examined again. The configuration of the network is read again, even if that of
 * an earlier key block replaces it.
 */
export async function undoFalseBlocks(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ from: bigint | null; to: bigint | null }>(
    'select min(lt) as from, max(lt) as to from gone',
  )
  const { from, to } = rows[0]!
  if (from === null || to === null) return
  const undone = await client.query(
    `create temporary table undone on commit drop as
     select account_id, lt from gone g where not exists (
       select from transactions t where t.account_id = g.account_id and t.lt = g.lt and t.hash = g.hash
         and t.lt between ${from} and ${to})`,
  )
  if (undone.rowCount === 0) return
  for (const table of TOKEN_EVENT_TABLES)
    await client.query(
      `delete from ${table} e using undone u where e.account_id = u.account_id and e.lt = u.lt`,
    )
  await client.query(RESTORE_STATES)
  await client.query(outdateData(from, to))
  await client.query(MOVE_PARTS)
  // Again: the data of the false states kept the parts of the true ones from being stored.
  await client.query(KEEP_STATE_PARTS)
  // Otherwise the result of the new examination would count as older than the false one.
  for (const table of ['contracts', ...ROLE_TABLES])
    await client.query(
      `update ${table} r set lt = s.lt from (${STATES}) s where r.account_id = s.account_id and r.lt > s.lt`,
    )
  await client.query(
    `insert into refresh_queue as q (account_id, lt) select account_id, lt from (${STATES}) s order by 1
     on conflict (account_id) do update set lt = excluded.lt, requeues = q.requeues + 1, leased_until = null,
       attempts = 0`,
  )
  await client.query('update network_config set key_block_seqno = 0')
}

/**
 * Data of a false state is kept because parts of true states may refer to its cells, but it counts as older
 * than any of those parts, unless the true state has the same data.
 */
const outdateData = (from: bigint, to: bigint): string => `update contract_data r
  set lt = coalesce((select d.lt + 1 from account_data d where d.account_id = r.account_id), 0)
  from undone u where r.account_id = u.account_id and r.lt = u.lt and not exists (
    select from transactions t where t.account_id = u.account_id and t.lt = u.lt
      and t.data_hash_after = r.data_hash and t.lt between ${from} and ${to})`

/**
 * Parts of false states may have been merged with cells of true ones, so they are kept, as the oldest, until
 * the newest state is complete. They do no harm: cells are identified by their hashes.
 */
const MOVE_PARTS = `with moved as (
    delete from state_parts p using undone u where p.account_id = u.account_id and p.lt = u.lt
      returning p.account_id, p.lt, p.boc)
  insert into state_parts (account_id, lt, mc_seqno, boc)
  select account_id, least(l.lt, o.lt) - row_number() over (partition by account_id order by m.lt),
    l.mc_seqno, m.boc
  from moved m join latest_account_states l using (account_id) cross join lateral (
    select min(lt) as lt from state_parts p where p.account_id = m.account_id) o
  order by 1, 2 on conflict (account_id, lt) do nothing`

const ACCOUNTS = 'select distinct account_id from undone'

/** Accounts that are in no other block have no state: lt 0. */
const STATES = `select account_id, coalesce(l.lt, 0) as lt
  from (${ACCOUNTS}) u left join latest_account_states l using (account_id)`

/** Column of `latest_account_states`, and where the transaction `t` has it. */
const STATE_OF_TRANSACTION = {
  account_id: 't.account_id',
  lt: 't.lt',
  balance: 't.balance_after',
  mc_seqno: 't.mc_block_seqno',
  timestamp: 't.now',
  status: statusOfState('t'),
  state_hash: 't.state_hash_after',
  last_trans_hash: 't.hash',
  code_hash: 't.code_hash_after',
  data_hash: 't.data_hash_after',
  frozen_hash: 't.frozen_hash_after',
  extra_currencies: 't.extra_currencies_after',
} as const

const COLUMNS = Object.keys(STATE_OF_TRANSACTION)

/** Index: primary key of transactions. The last one of an account is the last of its block. */
const RESTORE_STATES = `insert into latest_account_states as l (${COLUMNS.join(', ')})
  select ${Object.values(STATE_OF_TRANSACTION).join(', ')}
  from (${ACCOUNTS}) u cross join lateral (
    select * from transactions o where o.account_id = u.account_id order by o.lt desc limit 1) t
  where t.balance_after is not null order by t.account_id
  on conflict (account_id) do update set ${COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')} where l.lt < excluded.lt`

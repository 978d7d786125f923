import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'

/**
 * Seconds until a contract is examined again when its answer became outdated during the examination; doubles
 * with each attempt of the entry `q`.
 */
export const AGAIN = 'least(60, 0.1 * power(2, least(q.attempts, 12)))'

/**
 * Statement that queues the selected accounts (`account_id`, without duplicates) for examination. `requeues`
 * tells a running examination to keep the entry in the queue. `delay`: seconds; absent: none.
 */
export const requeueText = (selected: string, delay?: string): string => `
  insert into refresh_queue as q (account_id, lt)
  select s.account_id, s.lt from (${selected}) r join latest_account_states s using (account_id)
    order by s.account_id
  on conflict (account_id) do update set requeues = q.requeues + 1,
    leased_until = ${delay ? `now() + make_interval(secs => ${delay})` : 'null'}`

/** Queues contracts whose answers became outdated while they were examined. */
export const requeueOutdated = (client: pg.ClientBase, ids: readonly AccountId[]) =>
  client.query(requeueText('select unnest($1::int8[]) as account_id', AGAIN), [ids])

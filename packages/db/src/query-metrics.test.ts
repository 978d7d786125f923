import { expect, test } from 'vitest'
import { statementNames } from './query-metrics.ts'

const nameOf = (text: string) => statementNames()(text).query

test.each([
  ['select * from messages m where m.lt = $1', 'select messages'],
  [
    '\n  /* keep plan */ select x.lt from unnest($1::int8[]) as k(lt) cross join lateral (select 1 from ' +
      'transactions t) x',
    'select transactions',
  ],
  [
    'with page as materialized (select m.lt from messages m) select * from (select * from page) x',
    'select messages',
  ],
  [
    `with listed as (select unnest($1::int8[]) as id), w as materialized (select w.* from listed l
      join jetton_wallets w on true) select 1`,
    'select jetton_wallets',
  ],
  [
    'insert into "metadata_queue" as q (account_id) select id from accounts on conflict do nothing',
    'insert metadata_queue',
  ],
  [
    'with gone as (delete from refresh_queue q where lt = $1 returning 1) select count(*) from gone',
    'delete refresh_queue',
  ],
  [
    'update latest_account_states s set lt = n.lt from unnest($1::int8[]) as n(lt)',
    'update latest_account_states',
  ],
  ['select 1 from transactions_lt_46000000000000 where lt = $1', 'select transactions'],
  [
    `insert into contracts (account_id) select s.account_id from unnest($1::int8[]) as s(account_id)
      on conflict (account_id) do update set lt = 1`,
    'insert contracts',
  ],
  ['select pg_advisory_lock_shared($1, 0)', 'select'],
  ['commit', 'commit'],
  ['SET statement_timeout = 5', 'set'],
])('%s', (text, name) => expect(nameOf(text)).toBe(name))

test('there are few names, whatever the texts are', () => {
  const name = statementNames()
  const found = new Set(Array.from({ length: 5000 }, (_, i) => name(`select 1 from t${i}`).query))
  expect(found.size).toBe(201)
  expect(found).toContain('other')
})

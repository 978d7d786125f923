import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { up } from '../src/migrations/20261129000000_action_lists.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

const BEFORE = `
  drop index action_accounts_order_lt, action_accounts_time;
  alter table action_accounts add column end_lt bigint not null, add column end_utime integer not null;
  create index action_accounts_order_lt
    on action_accounts (account_id, trace_end_lt, trace_bytes, end_lt, action_bytes);
  create index action_accounts_time on action_accounts (end_utime)`

/** Of an account in a trace: `count` actions, the latest first; two each end with the same lt. */
const rows = (account: number, trace: string, count: number): string => `
  insert into action_accounts (account_id, trace_end_lt, trace_end_utime, trace_bytes, end_lt, end_utime,
    action_bytes)
  select ${account}, 1000, 7, convert_to('${trace}', 'utf8'), 500 + n / 2, 5,
    substr(sha256(int4send(n)), 1, 7) from generate_series(${count}, 1, -1) n`

test('rows of actions become rows of traces, with all of them in the order of lists', async () => {
  await scratch.pool.query(BEFORE)
  for (const [account, trace, count] of [
    [1, 'trace-a', 3],
    [2, 'trace-a', 1],
    [1, 'trace-b', 130],
  ] as const)
    await scratch.pool.query(rows(account, trace, count))
  const { rows: expected } = await scratch.pool.query(
    `select account_id, convert_from(trace_bytes, 'utf8') as trace, string_agg(encode(action_bytes, 'hex'), ''
       order by end_lt, action_bytes) as actions
     from action_accounts group by 1, 2 order by 1, 2`,
  )
  await scratch.db.transaction().execute((db) => up(db as unknown as Kysely<unknown>))
  const { rows: found } = await scratch.pool.query(
    `select account_id, trace_end_lt, trace_end_utime, convert_from(trace_bytes, 'utf8') as trace,
       length(action_bytes) / 7 as count, encode(action_bytes, 'hex') as actions
     from action_accounts order by account_id, trace, ctid`,
  )
  expect(found.map(({ trace, count }) => [trace, count])).toEqual([
    ['trace-a', 3],
    ...[64, 64, 2].map((count) => ['trace-b', count]),
    ['trace-a', 1],
  ])
  const joined = expected.map(({ account_id, trace }) =>
    found
      .filter((row) => row.account_id === account_id && row.trace === trace)
      .map(({ actions }) => actions)
      .join(''),
  )
  expect(joined).toEqual(expected.map(({ actions }) => actions))
  expect(found.every((row) => row.trace_end_lt === 1000n && row.trace_end_utime === 7)).toBe(true)
})

import type { AccountId } from '@shardwalk/model'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { expect, test } from 'vitest'
import { listActions } from '../src/index.ts'
import { TouchedPages, vacuum } from './touched-pages.ts'

const { watched, of: pagesOf } = new TouchedPages()

test('a page of actions looks up its own traces, and none of those that it skips', async () => {
  const chain = await classifiedChain()
  try {
    const supported = new Set(['ton_transfer', 'call_contract'])
    for (const time of [undefined, { from: 1 }]) {
      const pages = (offset: number) => {
        const read = () =>
          listActions(watched(chain.pool), { time, supported }, { limit: 5, offset, sort: 'desc' })
        return pagesOf(read, 'from actions a', chain.pool)
      }
      // A page of the table has some twenty actions; two pages lead to a trace.
      expect((await pages(1000)) - (await pages(0))).toBeLessThan(150)
    }
  } finally {
    await chain.close()
  }
})

test('actions of a masterchain block are read by its range of lt, each of their traces once', async () => {
  const chain = await classifiedChain()
  try {
    const { rows } = await chain.pool.query<{ seqno: number; traces: number; types: string[] }>(
      `select trace_mc_seqno_end as seqno, count(distinct trace_id)::int as traces,
         array_agg(distinct type) as types
       from actions where ancestor_type is null group by 1 having count(*) < 50 order by 2 desc, 1 limit 1`,
    )
    const { seqno, traces, types } = rows[0]!
    expect(traces).toBeGreaterThan(5)
    for (const time of [undefined, { from: 1 }]) {
      const filter = { mcBlockSeqno: seqno, time, supported: new Set(types) }
      const read = () => listActions(watched(chain.pool), filter, { limit: 50, offset: 0, sort: 'desc' })
      // Two pages lead to a trace, and a page of the table has some twenty actions.
      expect(await pagesOf(read, 'from page a', chain.pool)).toBeLessThan(2 * traces + 20)
    }
  } finally {
    await chain.close()
  }
})

test('rare actions of an account that has many are not sought among all of those', async () => {
  const chain = await classifiedChain()
  try {
    const { rows } = await chain.pool.query<{
      account: AccountId
      type: string
      all: number
      of_type: number
    }>(
      `with busy as (select account_id as account, count(*)::int as all from action_accounts
         group by 1 order by 2 desc limit 1)
       select account, a.type, busy.all, count(*)::int as of_type from busy, actions a
       group by 1, 2, 3 having not bool_or(account = any(account_ids_in(a.account_ids))) order by 4 limit 1`,
    )
    const { account, type, all, of_type } = rows[0]!
    const types = [type]
    const read = (few: number) => () =>
      listActions(
        watched(chain.pool),
        { account, types, supported: new Set(types), few },
        { limit: 5, offset: 0, sort: 'desc' },
      )
    expect(all).toBeGreaterThan(4 * of_type)
    const pages = (few: number) => pagesOf(read(few), 'with page', chain.pool)
    expect(await pages(of_type + 1)).toBeLessThan(40)
    expect(await pages(of_type)).toBeGreaterThan(all)
  } finally {
    await chain.close()
  }
})

test('what an account initiated is not sought among all that others did with it', async () => {
  const chain = await classifiedChain()
  try {
    await chain.pool.query('analyze traces, actions, action_accounts')
    const { rows } = await chain.pool.query<{ account: AccountId; all: number; began: number }>(
      `select account_id as account, count(*)::int as all, max(began) as began
       from action_accounts join (
         select external_account_id as account_id, count(*)::int as began from traces group by 1
       ) r using (account_id)
       group by 1 order by count(*) / max(began) desc limit 1`,
    )
    const { account, all, began } = rows[0]!
    expect(all).toBeGreaterThan(4 * began)
    const { rows: types } = await chain.pool.query<{ type: string }>('select distinct type from actions')
    const supported = new Set(types.map(({ type }) => type))
    const page = { limit: 1_000, offset: 0, sort: 'desc' } as const
    const read = (few: number) => () =>
      listActions(watched(chain.pool), { account, isInitiator: true, supported, few }, page)
    const idsOf = async (few: number) => (await read(few)()).rows.map(({ action_id: id }) => id)
    expect(await idsOf(began)).toEqual(await idsOf(began - 1))
    expect((await idsOf(began)).length).toBeGreaterThan(0)
    const pages = (few: number) => pagesOf(read(few), 'with page', chain.pool)
    expect(await pages(began)).toBeLessThan(2 * all)
    expect(await pages(began - 1)).toBeGreaterThan(4 * all)
  } finally {
    await chain.close()
  }
})

test('a page of what a wallet initiated is read from its newest actions, not all traces', async () => {
  const chain = await classifiedChain()
  try {
    await chain.pool.query('analyze traces, actions, action_accounts')
    const { rows } = await chain.pool.query<{ account: AccountId; began: number }>(
      `select external_account_id as account, count(*)::int as began from traces
       where external_account_id is not null group by 1 order by 2 desc limit 1`,
    )
    const { account, began } = rows[0]!
    const { rows: types } = await chain.pool.query<{ type: string }>('select distinct type from actions')
    const filter = { account, isInitiator: true, supported: new Set(types.map(({ type }) => type)) }
    const read = () => listActions(watched(chain.pool), filter, { limit: 2, offset: 0, sort: 'desc' })
    expect((await read()).rows).toHaveLength(2)
    expect(began).toBeGreaterThan(200)
    expect(await pagesOf(read, '', chain.pool)).toBeLessThan(began / 2)
  } finally {
    await chain.close()
  }
})

test('which actions an account initiated is read from their traces, not from all that it began', async () => {
  const chain = await classifiedChain()
  const begin = (account: string, traces: number) =>
    chain.pool.query(
      `insert into traces (piece, trace_id, external_account_id, external_hash, mc_seqno_start, mc_seqno_end,
         start_lt, end_lt, start_utime, end_utime, nodes, edges, pending_edges, state)
       select -i, id, ${account}, id, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0
       from generate_series(1, ${traces}) i
       cross join lateral sha256(convert_to(${account} || ' ' || i, 'UTF8')) id`,
    )
  try {
    const { rows } = await chain.pool.query<{ account: AccountId; all: number }>(
      `select account_id as account, count(*)::int as all from action_accounts
       group by 1 order by 2 desc limit 1`,
    )
    const { account, all } = rows[0]!
    await begin('i / 2', 60_000)
    await chain.pool.query('analyze traces, actions, action_accounts')
    // As most accounts do, to statistics it has as few as any other.
    await begin(`${account}`, 5_000)
    const filter = { account, isInitiator: true, supported: new Set(['ton_transfer', 'call_contract']) }
    const read = () => listActions(watched(chain.pool), filter, { limit: 5, offset: 0, sort: 'desc' })
    expect((await read()).rows).toEqual([])
    expect(await pagesOf(read, 'with page', chain.pool)).toBeLessThan(6 * all)
  } finally {
    await chain.close()
  }
})

test('a page of types that ended long ago, or occur here and there, reads about as many rows', async () => {
  const chain = await classifiedChain()
  try {
    const { pool } = chain
    await pool.query(
      `with newest as (select max(trace_end_lt) as lt, max(trace_end_utime) as time from actions)
       insert into actions (trace_id, action_id, type, success, start_lt, end_lt, start_utime, end_utime,
         trace_end_lt, trace_end_utime, trace_mc_seqno_end, tx_hashes, account_ids, details,
         classifier_version)
       select sha256(n::text::bytea), sha256(n::text::bytea),
         case when n <= 200 then 'dns_renew' when n % 10000 = 0 then 'dns_purchase' else 'ton_transfer' end,
         true, lt + n, lt + n, time + n / 100, time + n / 100, lt + n / 25, time + n / 100, 1, '', '', '[]', 1
       from newest, generate_series(1, 60000) n`,
    )
    // What the planner expects of a type that it does not know.
    await pool.query('alter table actions alter type set (n_distinct = 2)')
    await vacuum('actions', pool)
    const supported = new Set(['dns_renew', 'dns_purchase', 'ton_transfer', 'dns_release'])
    const [page, db] = [{ limit: 5, offset: 0 }, watched(pool)]
    for (const types of [['dns_renew'], ['dns_renew', 'dns_release'], ['dns_purchase', 'dns_release']])
      for (const filter of [
        { types },
        { withoutTypes: [...supported].filter((one) => !types.includes(one)) },
      ])
        for (const sort of ['asc', 'desc'] as const)
          for (const time of [undefined, { from: 1 }]) {
            const read = () => listActions(db, { ...filter, supported, time }, { ...page, sort })
            const asked = JSON.stringify({ filter, sort, time })
            expect(await pagesOf(read, 'actions', pool), asked).toBeLessThan(200)
          }
  } finally {
    await chain.close()
  }
})

test('the first rows of an account end with a whole trace, however its rows are stored', async () => {
  const chain = await classifiedChain()
  try {
    const { rows } = await chain.pool.query<{ account: AccountId; types: string[] }>(
      `with of_account as (
         select account_id, trace_end_lt, trace_bytes from action_accounts group by 1, 2, 3
         order by count(*) desc limit 1)
       select o.account_id as account, array_agg(distinct a.type) as types from of_account o, actions a
       where a.trace_end_lt = o.trace_end_lt and o.account_id = any(account_ids_in(a.account_ids))
       group by 1`,
    )
    const { account, types } = rows[0]!
    const page = { limit: 20, offset: 0 }
    const read = async (sort: 'asc' | 'desc', few: number) =>
      (await listActions(chain.db, { account, types, supported: new Set(types), few }, { ...page, sort }))
        .rows
    const columns = 'account_id, trace_end_lt, trace_end_utime, trace_bytes, action_bytes'
    for (const order of ['asc', 'desc']) {
      await chain.pool.query(`
        with gone as (delete from action_accounts where account_id = ${account} returning ctid as place, *)
        insert into action_accounts (${columns}) select ${columns} from gone order by place ${order}`)
      for (const sort of ['asc', 'desc'] as const) {
        const expected = await read(sort, 100_000)
        expect(expected).toHaveLength(20)
        expect(await read(sort, 1)).toEqual(expected)
      }
    }
  } finally {
    await chain.close()
  }
})

import type { Database } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type ScratchDatabase, sampleChainDatabase, scratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_LT } from '../src/idiom/index.ts'
import {
  findAccountStates,
  type JettonWalletFilter,
  type JettonWalletPage,
  listActions,
  listBlocks,
  listJettonTransfers,
  listJettonWallets,
  listNftItems,
  listTopAccounts,
  listTransactionsByMessage,
  type NftItemFilter,
  type NftItemPage,
} from '../src/index.ts'

// A jetton has millions of wallets, a collection or an owner hundreds of thousands of items: a page of the
// list must not read or sort all of it.

const ROWS = 20_000
/** Has nine of ten rows. */
const BUSY = 1n as AccountId
/** Has one of twenty, with the least balances. */
const LOW = 2n as AccountId

let scratch: ScratchDatabase
let db: Kysely<Database>
let asked: CompiledQuery[] = []

beforeAll(async () => {
  scratch = await scratchDatabase()
  const { pool } = scratch
  db = watched(pool)
  const owner = `case when i % 20 = 0 then ${LOW} when i % 20 = 1 then 1000 + i % 1000 else ${BUSY} end`
  // In no order, each once.
  const number = (of: string) => `(i::numeric * ${of} % 1000003)`
  await pool.query(
    `insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance)
     select ${number('7919')}, i, ${owner}, ${owner},
       ${number('104729')} + case when i % 20 = 0 then 0 else 2000000 end
     from generate_series(1, ${ROWS}) i`,
  )
  // A third is of no collection.
  await pool.query(
    `insert into nft_items (account_id, lt, init, item_index, collection_id, owner_id, real_owner_id)
     select ${number('7919')}, i, true, ${number('104729')}, case when i % 3 > 0 then ${owner} end, ${owner},
       ${owner}
     from generate_series(1, ${ROWS}) i`,
  )
  await pool.query('vacuum analyze jetton_wallets, nft_items')
})
afterAll(() => scratch?.close())

const watched = (pool: ScratchDatabase['pool']) =>
  new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      asked.push(query)
    },
  })

/** Pages of tables and indexes that the statements of `work` about a table touch. */
async function pagesOf(
  work: () => Promise<unknown>,
  table = '',
  pool: Pick<ScratchDatabase['pool'], 'query'> = scratch.pool,
): Promise<number> {
  asked = []
  await work()
  let pages = 0
  for (const { sql, parameters } of asked.filter((one) => one.sql.includes(table))) {
    const { rows } = await pool.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters])
    const { Plan: plan } = rows[0]['QUERY PLAN'][0]
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
  }
  return pages
}

/** Pages that a snapshot of autovacuum holds back are not visible to all yet, which changes plans. */
const vacuum = (table: string, pool: ScratchDatabase['pool']) =>
  expect
    .poll(async () => {
      await pool.query(`vacuum analyze ${table}`)
      const { rows } = await pool.query(
        'select relpages, relallvisible from pg_class where oid = $1::regclass',
        [table],
      )
      return rows[0].relallvisible - rows[0].relpages
    })
    .toBe(0)

const PAGE = { limit: 10, offset: 0 }

const wallets = (filter: JettonWalletFilter, page: Partial<JettonWalletPage>) => (cursor?: string) =>
  listJettonWallets(db, filter, { ...PAGE, ...page, cursor })
const items = (filter: NftItemFilter, page: Partial<NftItemPage>) => (cursor?: string) =>
  listNftItems(db, filter, { ...PAGE, ...page, cursor })

test.each([
  ['wallets of a jetton', wallets({ jettonIds: [BUSY] }, {})],
  ['wallets of a jetton, as inserted', wallets({ jettonIds: [BUSY] }, { rowOrder: 'insertion' })],
  ['holders of a jetton, largest first', wallets({ jettonIds: [BUSY], isHolding: true }, { sort: 'desc' })],
  ['wallets of a jetton with low balances, largest first', wallets({ jettonIds: [LOW] }, { sort: 'desc' })],
  ['wallets of a jetton, smallest first', wallets({ jettonIds: [BUSY] }, { sort: 'asc' })],
  ['wallets of an owner', wallets({ ownerIds: [BUSY] }, {})],
  ['wallets of an owner, largest first', wallets({ ownerIds: [LOW] }, { sort: 'desc' })],
  ['items of a collection', items({ collectionIds: [BUSY] }, {})],
  ['items of a collection, newest first', items({ collectionIds: [BUSY] }, { byLt: true })],
  ['items of an owner', items({ ownerIds: [BUSY] }, {})],
  ['items of an owner, those on sale included', items({ ownerIds: [BUSY], includesOnSale: true }, {})],
  ['items of an owner in a collection', items({ ownerIds: [BUSY], collectionIds: [BUSY] }, {})],
])('the first pages of a long list read no more than they show: %s', async (_, read) => {
  const { rows, next } = await read()
  expect(rows).toHaveLength(PAGE.limit)
  expect(await pagesOf(() => read())).toBeLessThan(150)
  expect(await pagesOf(() => read(next))).toBeLessThan(150)
})

test('items of an owner that are in no collection are the last ones, and pages join up', async () => {
  const read = items({ ownerIds: [LOW] }, { limit: 300 })
  const all = []
  for (let page = await read(); ; page = await read(page.next)) {
    all.push(...page.rows)
    if (page.next === undefined) break
  }
  expect(new Set(all.map((row) => row.account_id)).size).toBe(ROWS / 20)
  const keys = all.map((row) => [row.collection_id ?? 1n << 62n, BigInt(row.item_index)] as const)
  const sorted = keys.toSorted(([a, x], [b, y]) => (a !== b ? (a < b ? -1 : 1) : x < y ? -1 : 1))
  expect(keys).toEqual(sorted)
  expect(all.at(-1)?.collection_id).toBeNull()
})

test('a page of the events of an owner, of any jetton or time, reads a part of them', async () => {
  const chain = await sampleChainDatabase()
  try {
    const { rows } = await chain.pool.query<{ events: number; last: number }>(
      `with added as (
         insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id, amount,
           forward_amount, jetton_id)
         select account_id, lt, now, false, true, 0,
           case abs(hashint8(lt)) % 2 when 0 then ${BUSY} else 1000 + abs(hashint8(lt)) % 3000 end, 1, 1,
           case when abs(hashint8(lt)) % 100 = 1 then ${LOW} else ${BUSY} end
         from transactions
         on conflict do nothing returning now)
       select count(*)::int as events, max(now) as last from added`,
    )
    const { events, last } = rows[0]!
    expect(events).toBeGreaterThan(5_000)
    await vacuum('jetton_transfers', chain.pool)
    for (const time of [{}, { to: last - 60 }]) {
      const list = { lt: ALL_LT, time, ownerIds: [BUSY], direction: 'out' } as const
      const read = () => listJettonTransfers(watched(chain.pool), list, { limit: 5, offset: 0, sort: 'desc' })
      expect((await read()).rows).toHaveLength(5)
      expect(await pagesOf(read, 'jetton_transfers', chain.pool)).toBeLessThan(30)
    }
    // A jetton with few transfers, none of them the owner's.
    const list = { lt: ALL_LT, time: {}, ownerIds: [BUSY], jettonIds: [LOW] }
    const read = () => listJettonTransfers(watched(chain.pool), list, { limit: 5, offset: 0, sort: 'desc' })
    expect((await read()).rows).toEqual([])
    // Besides, 2,000 events of the owner are counted.
    expect(await pagesOf(read, 'rows with ties', chain.pool)).toBeLessThan(60)
    // A wallet with many events that its jetton did not confirm is not counted to its end.
    await chain.pool.query(
      `insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id, amount,
         forward_amount)
       select ${LOW}, lt, 1, false, false, 0, ${LOW}, 1, 1 from generate_series(1, 20000) lt`,
    )
    await vacuum('jetton_transfers', chain.pool)
    const ofWallet = () =>
      listJettonTransfers(
        watched(chain.pool),
        { ...list, walletIds: [LOW] },
        { limit: 5, offset: 0, sort: 'desc' },
      )
    expect(await pagesOf(ofWallet, 'as position', chain.pool)).toBeLessThan(150)
  } finally {
    await chain.close()
  }
})

test('of long lists of events that share none, the one with the fewest near the page is read', async () => {
  const { pool } = scratch
  // Whichever list the filter names first; the owner has most of the events, which are stored in no order.
  const [jetton, wallet] = [3n as AccountId, 4n as AccountId]
  await pool.query(
    `insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id,
       destination_id, jetton_id, amount, forward_amount)
     select case when i % 10 = 1 then ${wallet} else i end, lt, lt, false, true, 0,
       case when i % 10 = 0 then i else ${BUSY} end, i, case when i % 10 = 0 then ${jetton} else 5 end, 1, 1
     from generate_series(1, 30000) i cross join lateral (select i::int8 * 7919 % 1000003 as lt) x`,
  )
  await vacuum('jetton_transfers', pool)
  const lists = [
    { ownerIds: [BUSY], jettonIds: [jetton] },
    { walletIds: [wallet], ownerIds: [30_001n as AccountId, BUSY], jettonIds: [jetton] },
  ]
  for (const list of lists)
    for (const time of [{}, { from: 1 }])
      for (const sort of ['asc', 'desc'] as const) {
        const filter = { lt: ALL_LT, time, ...list }
        const read = () => listJettonTransfers(db, filter, { limit: 5, offset: 0, sort })
        expect((await read()).rows).toEqual([])
        const asked = Object.keys(list).join(' ') + JSON.stringify({ time, sort })
        expect(await pagesOf(read, 'jetton_transfers'), asked).toBeLessThan(8000)
      }
})

test('blocks until an old lt are read by it, and none of the later ones', async () => {
  const chain = await sampleChainDatabase()
  const { pool } = chain
  const client = await pool.connect()
  try {
    // As a planner that prefers the order of an index, which it expects to end soon.
    await client.query('set enable_sort = off')
    const { rows: columns } = await pool.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = 'blocks' and table_schema = current_schema() and is_generated = 'NEVER'`,
    )
    const later = ['seqno', 'start_lt', 'end_lt', 'gen_utime']
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => `x.${name}${later.includes(name) ? ' + n' : ''}`)
    await pool.query(
      `insert into blocks (${names}) select ${values}
       from (select * from blocks where workchain = -1 order by seqno desc limit 1) x,
         generate_series(1, ${ROWS}) n`,
    )
    await vacuum('blocks', pool)
    const { rows } = await pool.query<{ lt: bigint }>(
      'select start_lt as lt from blocks order by start_lt offset 500 limit 1',
    )
    for (const sort of ['asc', 'desc'] as const) {
      const at = BigInt(rows[0]!.lt)
      const lt = sort === 'asc' ? { ...ALL_LT, from: at } : { ...ALL_LT, to: at }
      const read = () => listBlocks(watched(pool), { lt }, { ...PAGE, sort })
      expect((await read()).rows).toHaveLength(PAGE.limit)
      expect(await pagesOf(read, 'blocks', client), sort).toBeLessThan(200)
    }
  } finally {
    client.release()
    await chain.close()
  }
})

test('a page of transactions by frequent messages, in order of time, reads a part of them', async () => {
  const chain = await sampleChainDatabase()
  try {
    await chain.pool.query('vacuum analyze transactions, messages, blocks')
    for (const sort of ['asc', 'desc'] as const) {
      const read = (cursor?: string) => {
        const filter = { message: {}, among: { time: { from: 1 } } }
        return listTransactionsByMessage(watched(chain.pool), filter, { limit: 5, offset: 0, sort, cursor })
      }
      const { rows, next } = await read()
      expect(rows).toHaveLength(5)
      for (const cursor of [undefined, next]) {
        const pages = await pagesOf(() => read(cursor), 'from transactions t', chain.pool)
        expect(pages).toBeLessThan(300)
      }
    }
  } finally {
    await chain.close()
  }
})

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

test('accounts with a code, whichever it is, are read in their order', async () => {
  const codes = [0, 1, 2].map((n) => Buffer.alloc(32, n))
  // One has nine of ten, one a twentieth, one four.
  await scratch.pool.query(
    `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
       last_trans_hash, code_hash)
     select i::numeric * 7919 % 1000003, i, i, 0, 0, 2, '', '', ($1::bytea[])[
       case when i % 5000 = 1 then 3 when i % 20 = 0 then 2 else 1 end]
     from generate_series(1, ${ROWS}) i`,
    [codes],
  )
  await vacuum('latest_account_states', scratch.pool)
  for (const codeHashes of [...codes.map((code) => [code]), codes]) {
    const read = () => findAccountStates(db, { codeHashes, bocs: false, limit: 10 })
    const { rows } = await scratch.pool.query(
      `select account_id from latest_account_states where code_hash = any ($1) order by 1 limit 10`,
      [codeHashes],
    )
    expect((await read()).map(({ account_id }) => account_id)).toEqual(rows.map((row) => row.account_id))
    expect(await pagesOf(read)).toBeLessThan(60)
  }
})

test('accounts by balance that a page skips are counted in the index', async () => {
  const own = await scratchDatabase()
  const { pool } = own
  try {
    const balance = '(i::int8 * 104729 % 1000003 / 7)'
    await pool.query(
      `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
         last_trans_hash)
       select i::int8 * 7919 % 1000003, i, ${balance}, 0, 0, 2, '', '' from generate_series(1, ${ROWS}) i`,
    )
    await vacuum('latest_account_states', pool)
    const { rows: all } = await pool.query<{ account_id: bigint; balance: bigint }>(
      'select account_id, balance from latest_account_states order by balance desc, account_id',
    )
    for (const offset of [1, 500, ROWS - 700, ROWS - 3, ROWS, ROWS + 5]) {
      const read = () => listTopAccounts(watched(pool), { ...PAGE, offset })
      expect((await read()).rows).toEqual(all.slice(offset, offset + PAGE.limit))
      expect(await pagesOf(read, '', pool)).toBeLessThan(3500)
    }
  } finally {
    await own.close()
  }
})

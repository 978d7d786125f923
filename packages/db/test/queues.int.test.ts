import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { noteChangedFacts, type seeFacts } from '../src/facts/changed-facts.ts'
import {
  claimContracts,
  countMissingStates,
  countRefreshQueue,
  DatabaseClock,
  type Examined,
  makeDueAfterSetBack,
  missingLibrary,
  moveDueTimes,
  prolongContracts,
  QueueClassifier,
  queueTracesOfChangedFacts,
  readAwaitedLibraries,
  readClassifierQueue,
  requeueMissing,
  requeueNextNaming,
  requeueWithLibraries,
  setAsideContracts,
  writeContracts,
} from '../src/index.ts'
import { addRanges, isLaterIndexed, readProgress } from '../src/writing/ranges.ts'
import { statementsOf } from './statements-of.ts'

// Queues may hold tens of millions of rows: what a worker reads must not depend on their length.

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

const TABLES = `refresh_queue, naming_queue, missing_states, unclassified_traces, changed_facts, asked_facts,
  traces, accounts, latest_account_states, jetton_wallets, contracts, codes, indexed_ranges`

beforeEach(async () => {
  await scratch.pool.query(`
    truncate ${TABLES}`)
})

const query = async (text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query(text, [...values])).rows
const numberOf = async (table: string) => Number((await query(`select count(*) as n from ${table}`))[0].n)

/** Accounts 1 to `count`, with states. */
async function makeAccounts(count: number): Promise<void> {
  await query(
    `insert into accounts select i, 0, sha256(i::text::bytea), '' from generate_series(1, $1::int) i`,
    [count],
  )
  await query(
    `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
       last_trans_hash)
     select i, i, 0, 1, 1, 1, '', '' from generate_series(1, $1::int) i`,
    [count],
  )
}

/** Pages that the statements of `work` touch, except those of COPY. */
async function pagesOf(work: () => Promise<unknown>): Promise<number> {
  const statements = (await statementsOf(scratch.pool, work)).filter(({ text }) =>
    /^\s*(with|select|update|insert|delete)/i.test(text),
  )
  expect(statements).not.toEqual([])
  const client = await scratch.pool.connect()
  try {
    let pages = 0
    for (const { text, values } of statements) {
      await client.query('begin')
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values])
      await client.query('rollback')
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    return pages
  } finally {
    client.release()
  }
}

const LONG = 40_000

/** Fills a queue with 1,000 and then `LONG` rows and returns what `work` reads in both cases. */
async function readsOf(fill: (from: number, to: number) => Promise<unknown>, work: () => Promise<unknown>) {
  await fill(1, 1_000)
  await query(`analyze ${TABLES}`)
  const short = await pagesOf(work)
  await fill(1_001, LONG)
  await query(`analyze ${TABLES}`)
  return { short, long: await pagesOf(work) }
}

const queueAccounts = (leasedUntil: string) => (from: number, to: number) =>
  query(
    `insert into refresh_queue (account_id, lt, leased_until)
     select ('x' || left(md5(i::text), 16))::bit(64)::bigint, hashint8(i), ${leasedUntil}
     from generate_series($1::int, $2::int) i`,
    [from, to],
  )
const claim = () => claimContracts(scratch.db, { limit: 64, leaseSeconds: 0.001 })

test.each([
  ['fresh accounts', 'null'],
  ['accounts that others examine', "now() + interval '1 hour'"],
  ['accounts whose leases ended', "now() - interval '1 hour' * random()"],
])('a claim reads no more from a long queue: %s', async (_, leasedUntil) => {
  const { short, long } = await readsOf(queueAccounts(leasedUntil), claim)
  expect(long).toBeLessThan(short * 1.5 + 100)
})

test('status and metrics read no more from long queues', async () => {
  const fill = async (from: number, to: number) => {
    await queueAccounts('null')(from, to)
    await query(
      `insert into unclassified_traces (trace_id, end_lt)
       select sha256(i::text::bytea), i from generate_series($1::int, $2::int) i`,
      [from, to],
    )
    await query(
      `insert into missing_states (account_id, lt, what) select i, i, 'x' from generate_series($1::int,
         $2::int) i`,
      [from, to],
    )
  }
  const counts = async () => ({
    ...(await countRefreshQueue(scratch.db)),
    ...(await readClassifierQueue(scratch.pool)),
    missing: await countMissingStates(scratch.db),
  })
  // Which rows a vacuum marks as visible to all depends on what else runs; without one, none are.
  for (const table of ['refresh_queue', 'unclassified_traces', 'missing_states'])
    await query(`alter table ${table} set (autovacuum_enabled = false)`)
  await fill(1, 10_000)
  await query(`analyze ${TABLES}`)
  expect(await counts()).toMatchObject({ accounts: 10_000, waiting: 10_000, missing: 10_000 })
  const atTenThousand = await pagesOf(counts)
  await fill(10_001, LONG)
  await query(`analyze ${TABLES}`)
  expect(await pagesOf(counts)).toBeLessThan(atTenThousand * 1.5 + 100)
  const now = await counts()
  for (const estimate of [now.accounts, now.waiting, now.missing])
    expect(Math.abs(estimate / LONG - 1)).toBeLessThan(0.1)
})

test('failed examinations are tried again beside a long queue of new ones, newest states first', async () => {
  await makeAccounts(100)
  await query('insert into refresh_queue (account_id, lt) select i, i from generate_series(1, 100) i')
  await query(
    `update refresh_queue set leased_until = now() - interval '1 second', attempts = 1
     where account_id <= 20`,
  )
  const claimed = await claimContracts(scratch.db, { limit: 16, leaseSeconds: 60 })
  const ids = claimed.map(({ accountId }) => Number(accountId)).sort((a, b) => a - b)
  expect(ids.filter((id) => id <= 20)).toHaveLength(4)
  expect(ids.filter((id) => id > 20)).toEqual([89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100])
  expect(await claimContracts(scratch.db, { limit: 200, leaseSeconds: 60 })).toHaveLength(84)
})

test('leases of contracts are prolonged unless they ended, were taken over or are written', async () => {
  await makeAccounts(5)
  await query('insert into refresh_queue (account_id, lt) select i, i from generate_series(1, 5) i')
  const claimed = await claimContracts(scratch.db, { limit: 4, leaseSeconds: 60 })
  expect(claimed.map(({ accountId }) => Number(accountId)).sort()).toEqual([2, 3, 4, 5])
  await query(`update refresh_queue set attempts = attempts + 1 where account_id = 2`)
  await query(`update refresh_queue set leased_until = null where account_id = 3`)
  const writer = await scratch.pool.connect()
  try {
    await writer.query('begin')
    await writer.query('select from refresh_queue where account_id = 4 for update')
    await prolongContracts(scratch.db, claimed, 600)
  } finally {
    await writer.query('rollback')
    writer.release()
  }
  const prolonged = await query(
    `select account_id from refresh_queue where leased_until > now() + interval '5 minutes'`,
  )
  expect(prolonged).toEqual([{ account_id: 5n }])
})

const MASTER = 1n

/** The result of examining a master whose code changed. */
const changedMaster = (version: number): Examined =>
  ({
    ...{ accountId: MASTER, queuedLt: 1n, lt: BigInt(version), requeues: 0, dataHash: null, asked: [] },
    address: { workchain: 0, hash: Buffer.alloc(32, 1) },
    codeHash: Buffer.alloc(32, version),
    found: [],
  }) as unknown as Examined

async function makeWallets(count: number): Promise<void> {
  await makeAccounts(count)
  await query(
    `insert into jetton_wallets (account_id, lt, balance, owner_id, jetton_id, code_hash, data_hash)
     select i, i, 0, i, $1, '', '' from generate_series(2, $2::int) i`,
    [MASTER, count],
  )
}

test('wallets of a master that changed are queued page by page, each once', async () => {
  await makeWallets(3_000)
  await writeContracts(scratch.pool, [changedMaster(1)])
  expect(await numberOf('refresh_queue')).toBe(250)
  expect(await countRefreshQueue(scratch.db)).toEqual({ accounts: 251, batches: 0 })
  const sizes = []
  while (await requeueNextNaming(scratch.pool)) sizes.push(await numberOf('refresh_queue'))
  expect(sizes).toEqual([1_250, 2_250, 2_999])
  expect(await numberOf('refresh_queue where requeues = 0')).toBe(2_999)
  expect(await numberOf('naming_queue')).toBe(0)
})

test('a master that changes again meanwhile reaches all its wallets after the second change', async () => {
  await makeWallets(1_500)
  await writeContracts(scratch.pool, [changedMaster(1)])
  await requeueNextNaming(scratch.pool)
  await query('delete from refresh_queue')
  await writeContracts(scratch.pool, [changedMaster(2)])
  await Promise.all([1, 2, 3].map(() => requeueNextNaming(scratch.pool)))
  while (await requeueNextNaming(scratch.pool));
  expect(await numberOf('refresh_queue')).toBe(1_499)
})

test('contracts that wait for a library are found by its hash, any reason by its text', async () => {
  await makeAccounts(60)
  const libraryOf = (id: number) => missingLibrary(Buffer.alloc(32, id % 3).toString('hex'))
  await setAsideContracts(
    scratch.pool,
    Array.from({ length: 60 }, (_, index) => ({
      ...{ accountId: BigInt(index + 1), queuedLt: 1n, requeues: 0, attempts: 1 },
      what: index < 45 ? libraryOf(index) : `${'long '.repeat(5_000)}${index % 2}`,
    })),
  )
  await query("insert into codes (code_hash, boc) values ($1, ''), ($2, '')", [
    Buffer.alloc(32, 2),
    Buffer.alloc(32, 7),
  ])
  const { stored: hashes, last } = await readAwaitedLibraries(scratch.db)
  expect([hashes, last]).toEqual([[Buffer.alloc(32, 2)], undefined])
  await requeueWithLibraries(scratch.db, { hashes, limit: 10 })
  expect(await numberOf('refresh_queue')).toBe(10)
  await requeueWithLibraries(scratch.db, { hashes, limit: 10 })
  expect(
    await query('select count(*)::int as n, min(account_id % 3)::int as library from refresh_queue'),
  ).toEqual([{ n: 15, library: 0 }])
  await requeueMissing(scratch.db, { afterSeconds: 0, limit: 100, what: libraryOf(1) })
  expect(await numberOf('missing_states')).toBe(30)
  await requeueMissing(scratch.db, { afterSeconds: 0, limit: 100, what: `${'long '.repeat(5_000)}1` })
  expect(await numberOf('missing_states')).toBe(22)
  await requeueMissing(scratch.db, { afterSeconds: 0, limit: 100 })
  expect(await numberOf('missing_states')).toBe(0)
})

const insertTraces = (count: number) =>
  query(
    `insert into traces (piece, trace_id, mc_seqno_start, mc_seqno_end, start_lt, end_lt, start_utime,
       end_utime, nodes, edges, pending_edges, state)
     select i, sha256(i::text::bytea), 1, 1, i, i, 1, 1, 1, 1, 0, 0 from generate_series(1, $1::int) i`,
    [count],
  )

test('traces that refer to a changed contract are queued page by page', async () => {
  await insertTraces(12_000)
  await query(
    'insert into asked_facts (account_id, trace_id) select 7 - i % 2, sha256(i::text::bytea) from ' +
      'generate_series(1, 12000) i',
  )
  await query('insert into changed_facts (account_id) values (7)')
  const sizes = []
  while (await queueTracesOfChangedFacts(scratch.pool)) sizes.push(await numberOf('unclassified_traces'))
  expect(sizes).toEqual([5_000, 10_000, 12_000])
})

test('a contract that changes again while its traces are queued begins anew', async () => {
  await insertTraces(6_000)
  await query(
    'insert into asked_facts (account_id, trace_id) select 7, sha256(i::text::bytea) from ' +
      'generate_series(1, 6000) i',
  )
  await query('insert into changed_facts (account_id) values (7)')
  await queueTracesOfChangedFacts(scratch.pool)
  await query('truncate unclassified_traces')
  const client = await scratch.pool.connect()
  const before = new Map([[7n, 'something else']])
  await noteChangedFacts(client, before as Awaited<ReturnType<typeof seeFacts>>)
  client.release()
  while (await queueTracesOfChangedFacts(scratch.pool));
  expect(await numberOf('unclassified_traces')).toBe(6_000)
})

test('a round of classification examines a bounded number of traces, and each gets its turn', async () => {
  // Traces that are never ready, because they are not stored, and an older one that is.
  await query(
    `insert into unclassified_traces (trace_id, end_lt)
     select sha256(i::text::bytea), 100 + i from generate_series(1, 30000) i`,
  )
  await insertTraces(1)
  await query("delete from unclassified_traces where trace_id = sha256('1')")
  await query("insert into unclassified_traces (trace_id, end_lt) values (sha256('1'), 1)")
  const classifier = new QueueClassifier(scratch.pool, { waitForFacts: false })
  let rounds = 0
  while ((await classifier.round()).traces === 0 && rounds < 20) rounds++
  expect(rounds).toBeGreaterThan(1)
  expect(rounds).toBeLessThan(5)
})

test('a commit reads no more when blocks are indexed here and there', async () => {
  const { short, long } = await readsOf(
    (from, to) =>
      query('insert into indexed_ranges select 10 * i, 10 * i + 5 from generate_series($1::int, $2::int) i', [
        from,
        to,
      ]),
    async () => {
      const client = await scratch.pool.connect()
      try {
        await readProgress(client, [5_005, 9_997])
        await isLaterIndexed(client, 5_005)
        await addRanges(client, [{ from: 5_007, to: 5_008 }])
        await client.query('delete from indexed_ranges where from_seqno = 5007')
      } finally {
        client.release()
      }
    },
  )
  expect(long).toBeLessThan(2 * short + 10)
})

test('after the clock of the database was set back, what was queued is due, nothing else', async () => {
  await makeAccounts(4)
  const inSeconds = (seconds: number) => `now() + interval '${seconds} s'`
  await query(`truncate event_queue, undecided_traces;
    insert into refresh_queue (account_id, lt, leased_until) values (1, 1, ${inSeconds(3_600)}),
      (2, 1, ${inSeconds(300)}), (3, 1, ${inSeconds(-5)}), (4, 1, null);
    insert into event_queue values (1, ${inSeconds(3_600)}), (2, ${inSeconds(15)}), (3, null);
    insert into undecided_traces values (1, ${inSeconds(3_600)}), (2, ${inSeconds(600)});
    insert into unclassified_traces
      values (1, '\\x01', ${inSeconds(3_600)}), (2, '\\x02', ${inSeconds(60)});
    insert into missing_states (account_id, lt, what, since)
      values (1, 1, 'x', ${inSeconds(3_600)}), (2, 1, 'x', ${inSeconds(30)});
    insert into hidden_currencies (account_id, lt, mc_seqno, hash, not_before)
      values (1, 1, 1, '', ${inSeconds(259_200)}), (2, 1, 1, '', ${inSeconds(86_400)});
    insert into metadata_queue (account_id, type, priority, source_hash, due_at)
      values (1, 0, 3, '', ${inSeconds(10_000)}), (2, 0, 3, '', ${inSeconds(3_600)});
    insert into mintless_jettons (jetton_id, due_at)
      values (1, ${inSeconds(259_200)}), (2, ${inSeconds(86_400)}), (3, null)`)
  expect(await makeDueAfterSetBack(scratch.pool)).toBe(8)
  for (const [table, key, column] of [
    ['refresh_queue', 'account_id', 'leased_until'],
    ['event_queue', 'mc_seqno', 'leased_until'],
    ['undecided_traces', 'piece', 'due_at'],
    ['unclassified_traces', 'end_lt', 'queued_at'],
    ['missing_states', 'account_id', 'since'],
    ['hidden_currencies', 'account_id', 'not_before'],
    ['metadata_queue', 'account_id', 'due_at'],
    ['mintless_jettons', 'jetton_id', 'due_at'],
  ])
    expect(
      await query(`select ${key}::int as key from ${table} where ${column} <= now() order by 1`),
    ).toEqual(table === 'refresh_queue' ? [{ key: 1 }, { key: 3 }] : [{ key: 1 }])
  expect(await makeDueAfterSetBack(scratch.pool)).toBe(0)
  await query('truncate event_queue, undecided_traces, hidden_currencies, metadata_queue, mintless_jettons')
})

test('what was put off for long waits no longer for a clock of the database that was set back', async () => {
  await makeAccounts(3)
  const at = (seconds: number) => `now() + interval '${seconds} s'`
  await query(`truncate hidden_currencies, metadata_queue, mintless_jettons;
    insert into hidden_currencies (account_id, lt, mc_seqno, hash, not_before)
      values (1, 1, 1, '', ${at(3_660)}), (2, 1, 1, '', ${at(-60)}), (3, 1, 1, '', null);
    insert into metadata_queue (account_id, type, priority, source_hash, due_at)
      values (1, 0, 3, '', ${at(3_660)}), (2, 0, 3, '', ${at(30)});
    insert into mintless_jettons (jetton_id, due_at) values (1, ${at(3_660)}), (2, null)`)
  expect(await moveDueTimes(scratch.pool, 3_600)).toBe(4)
  for (const [table, key, column, expected] of [
    ['hidden_currencies', 'account_id', 'not_before', [-60, 60]],
    ['metadata_queue', 'account_id', 'due_at', [0, 60]],
    ['mintless_jettons', 'jetton_id', 'due_at', [60]],
  ] as const) {
    const rows = await query(
      `select extract(epoch from ${column} - now())::float8 as s from ${table} where ${column} is not null
       order by 1, ${key}`,
    )
    expect(rows.map(({ s }) => Math.round(s / 30) * 30 + 0)).toEqual(expected)
  }
  await query('truncate hidden_currencies, metadata_queue, mintless_jettons')
})

test('a clock that was set back is noticed, one that was put forward, or asked late, is not', async () => {
  let [ms, database] = [0, 1e12]
  let waits = 0
  const answer = async () => {
    ms += waits
    database += waits
    const rows = [{ ms: database }]
    ms += waits
    database += waits
    return { rows }
  }
  const clock = new DatabaseClock({ query: answer } as never, () => ms)
  const after = (seconds: number, ofDatabase: number, wait = 0) => {
    ms += seconds * 1000
    database += ofDatabase * 1000
    waits = wait * 1000
    return clock.setBackSeconds()
  }
  expect(await after(0, -86_400)).toBe(0)
  expect(await after(60, 60, 30)).toBe(0)
  expect(await after(60, 60)).toBe(0)
  expect(await after(60, 60 - 3_600)).toBe(3_600)
  expect(await after(60, 60 + 86_400)).toBe(0)
  expect(await after(60, 60 - 86_400)).toBe(86_400)
  expect(await after(60, 58)).toBe(0)
})

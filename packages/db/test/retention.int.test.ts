import { TOKEN_EVENT_TABLES } from '@shardwalk/tables'
import {
  fixtureChain,
  MIGRATED,
  type ScratchDatabase,
  scratchDatabase,
  syntheticChain,
  type Template,
} from '@shardwalk/testkit'
import { classifyWithoutFacts } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BatchSink,
  CHECKED_TABLES,
  type DatabaseHandle,
  type EncodedBatch,
  encodeBatch,
  enforceRetention,
  forgetRetention,
  listIndexedRanges,
  listPartialRanges,
  NotRetained,
  readIngestStatus,
  tableChecksums,
  writeIngestStatus,
} from '../src/index.ts'
import { assertRetained } from '../src/retention/state.ts'
import { LOCK_KEYS, lock } from '../src/writing/locks.ts'
import { cutRanges } from '../src/writing/ranges.ts'
import { inTransaction } from '../src/writing/transaction.ts'

const PARTITIONS = 12n
const FIRST = isLong ? 1 : 150
const LAST = 240
/** The cut is where the basechain has several shards, whose blocks lie across it. */
const KEPT = 30
/** Here blocks across the cut have transactions that are later than the first of the blocks that remain. */
const KEPT_ACROSS = 60
/** What describes the present stays as it is. */
const PRESENT = ['accounts', 'latest_account_states', 'codes', 'account_data'] as const
/** What depends on the range only. */
const HISTORY = ['blocks', 'transactions', 'messages', 'traces', 'indexed_ranges'] as const
const ACTIONS = ['actions', 'action_accounts', 'unclassified_traces'] as const
const DROPPED = [...HISTORY, ...ACTIONS, ...TOKEN_EVENT_TABLES]

let scratch: ScratchDatabase
let width: bigint
let sink: BatchSink
let batches: EncodedBatch[]
const databases: ScratchDatabase[] = []
const never = new AbortController().signal

beforeAll(async () => {
  batches = []
  for await (const { batch, globalVersion } of fixtureChain({ from: FIRST, to: LAST }))
    batches.push(encodeBatch(batch, { globalVersion }))
  const ends = batches.flatMap(({ ltRange }) => (ltRange ? [ltRange] : []))
  width = (ends.at(-1)!.to - ends[0]!.from) / PARTITIONS
  scratch = await indexed(FIRST)
  sink = new BatchSink(scratch.pool, { partitionWidth: width })
})
afterAll(async () => {
  for (const database of databases) await database.close()
})

/** Indexes the blocks from `from` on, with their actions. */
async function index(database: DatabaseHandle, from: number): Promise<void> {
  await commit(new BatchSink(database.pool, { partitionWidth: width }), from, LAST)
  await writeIngestStatus(database.db, { head: LAST, first: FIRST })
  await classifyWithoutFacts(database)
  await addEvents(database)
}

/** As if a token message had started every transaction: these blocks have none. */
async function addEvents({ pool }: DatabaseHandle): Promise<void> {
  const extra: Record<(typeof TOKEN_EVENT_TABLES)[number], string> = {
    jetton_transfers: 'source_id, amount, forward_amount',
    jetton_burns: 'owner_id, amount',
    nft_transfers: 'old_owner_id, forward_amount',
  }
  for (const table of TOKEN_EVENT_TABLES)
    await pool.query(
      `insert into ${table} (account_id, lt, now, aborted, confirmed, query_id, ${extra[table]})
       select account_id, lt, now, false, true, 1, 1, 1${table === 'jetton_transfers' ? ', 1' : ''}
       from transactions on conflict do nothing`,
    )
}

const WHOLE: Template = { name: 'retention', base: MIGRATED, build: (database) => index(database, FIRST) }

/** A database of the blocks from `from` on, with their actions. */
async function indexed(from: number): Promise<ScratchDatabase> {
  const database = await scratchDatabase(from === FIRST ? { template: WHOLE } : {})
  databases.push(database)
  if (from > FIRST) await index(database, from)
  return database
}

const begun = new Map<number, Promise<ScratchDatabase>>()
/** A database of the blocks from `from` on that no test changes. */
function begunAt(from: number): Promise<ScratchDatabase> {
  const found = begun.get(from) ?? indexed(from)
  begun.set(from, found)
  return found
}
/** The same of all blocks. */
const untouched = (): Promise<ScratchDatabase> => begunAt(FIRST)

async function commit(to: BatchSink, from: number, last: number): Promise<void> {
  const wanted = batches.filter(({ mcBlockSeqno: seqno }) => seqno >= from && seqno <= last)
  for (let at = 0; at < wanted.length; at += 50) await to.commitBatches(wanted.slice(at, at + 50))
}

async function partitionsOf(table: string): Promise<readonly (readonly [bigint, bigint])[]> {
  const { rows } = await scratch.pool.query<{ bound: string }>(
    `select pg_get_expr(relpartbound, oid) as bound from pg_class
     where oid in (select inhrelid from pg_inherits where inhparent = $1::regclass)`,
    [table],
  )
  return rows.map(({ bound }) => {
    const [from, to] = [...bound.matchAll(/'(\d+)'/g)].map((match) => BigInt(match[1]!))
    return [from!, to!] as const
  })
}

const checksums = async (database: ScratchDatabase, tables: readonly string[]) =>
  Object.fromEntries(await tableChecksums(database.db, tables))

test('what is left is what a database has that began there, and account states stay', async () => {
  const present = await checksums(scratch, PRESENT)
  const before = (await partitionsOf('transactions')).length
  // As if WATCH had been widened: what is dropped is not to be filled either.
  await scratch.pool.query(`insert into partial_ranges values ('code:ab', ${FIRST}, ${LAST})`)
  const { cutAt, retainedFrom, deleted } = await enforceRetention(scratch, { blocks: KEPT }, never)
  expect(retainedFrom).toBe(LAST - KEPT + 1)
  expect(cutAt).toBeGreaterThan(FIRST)
  expect(cutAt).toBeLessThanOrEqual(retainedFrom!)
  expect(deleted).toBeGreaterThan(300)
  const after = await partitionsOf('transactions')
  expect(after.length).toBeLessThan(before)
  expect(await listIndexedRanges(scratch.db)).toEqual([{ from: cutAt, to: LAST }])
  expect(await listPartialRanges(scratch.db)).toEqual([{ from: cutAt, to: LAST }])
  await scratch.pool.query('delete from partial_ranges')
  expect(await checksums(scratch, PRESENT)).toEqual(present)

  await classifyWithoutFacts(scratch)
  expect(await checksums(scratch, DROPPED)).toEqual(await checksums(await begunAt(cutAt!), DROPPED))
  // Status and gaps know it, and so do commands about a range.
  expect(await readIngestStatus(scratch.db)).toMatchObject({ first: retainedFrom })
  await expect(assertRetained(scratch.db, { from: cutAt! - 1, to: cutAt! })).rejects.toThrow(NotRetained)
  await assertRetained(scratch.db, { from: cutAt!, to: cutAt! })
  // Nothing more is to be done.
  expect(await enforceRetention(scratch, { blocks: KEPT }, never)).toEqual({
    retainedFrom,
    cutAt: undefined,
    deleted: 0,
  })
})

test('what is wanted again is filled again, by a process that knew the partitions before', async () => {
  const [left] = await listIndexedRanges(scratch.db)
  await forgetRetention(scratch, never)
  expect(await readIngestStatus(scratch.db)).toMatchObject({ first: FIRST })
  // It knows all partitions from the first time on.
  await sink.commitBatches(batches.slice(-1))
  await commit(sink, FIRST, left!.from - 1)
  await classifyWithoutFacts(scratch)
  const tables = [...CHECKED_TABLES, ...ACTIONS]
  expect(await checksums(scratch, tables)).toEqual(await checksums(await untouched(), tables))
})

test('interrupted after any statement, the next pass goes on where it was', async () => {
  const database = await indexed(FIRST)
  let result: { readonly cutAt: number | undefined } | undefined
  let interruptions = 0
  for (let statements = 1; !result; statements++)
    try {
      const pool = failingAfter(database.pool, statements)
      result = await enforceRetention({ db: database.db, pool }, { blocks: KEPT }, never)
    } catch (error) {
      expect((error as Error).message).toBe('interrupted')
      interruptions++
    }
  expect(interruptions).toBeGreaterThan(8)
  await classifyWithoutFacts(database)
  const [range] = await listIndexedRanges(database.db)
  expect(await checksums(database, DROPPED)).toEqual(await checksums(await begunAt(range!.from), DROPPED))
})

test('where the cut lies across many shards, nothing is left of the transactions that are gone', async () => {
  const database = await indexed(FIRST)
  const { cutAt } = await enforceRetention(database, { blocks: KEPT_ACROSS }, never)
  await classifyWithoutFacts(database)
  expect(await checksums(database, DROPPED)).toEqual(await checksums(await begunAt(cutAt!), DROPPED))
})

test('what an interrupted pass left is gone before it is wanted again', async () => {
  for (const wanted of [undefined, LAST - FIRST]) {
    const database = await indexed(FIRST)
    const pool = failingAt(database.pool, /^delete from blocks/)
    await expect(enforceRetention({ db: database.db, pool }, { blocks: KEPT }, never)).rejects.toThrow(
      'killed',
    )
    const [left] = await listIndexedRanges(database.db)
    const again = new BatchSink(database.pool, { partitionWidth: width })
    // Not yet: rows of these blocks are still there.
    await expect(commit(again, FIRST, left!.from - 1)).rejects.toMatchObject({ code: 'being_dropped' })
    if (wanted === undefined) expect(await forgetRetention(database, never)).toBe(true)
    else await enforceRetention(database, { blocks: wanted }, never)
    await commit(again, FIRST, left!.from - 1)
    expect(await listIndexedRanges(database.db)).toEqual([{ from: FIRST, to: LAST }])
    expect(await checksums(database, HISTORY)).toEqual(await checksums(await untouched(), HISTORY))
  }
})

test.each(['commit', 'repair'] as const)(
  'a %s of blocks that are cut away meanwhile is undone',
  async (kind) => {
    const database = await indexed(FIRST)
    const { pool } = database
    const to = new BatchSink(pool, { partitionWidth: width })
    const some = batches.slice(2, 5)
    const range = { from: some[0]!.mcBlockSeqno, to: some.at(-1)!.mcBlockSeqno }
    if (kind === 'commit') {
      await enforceRetention(database, { blocks: KEPT }, never)
      await forgetRetention(database, never)
    }
    const writing = await inTransaction(pool, async (client) => {
      await lock(client, 'ranges')
      const begun = (kind === 'commit' ? to.commitBatches(some) : to.repairRange(range, some)).then(
        () => 'written',
        ({ code }: { readonly code: string }) => code,
      )
      await expect
        .poll(async () => {
          const { rowCount } = await pool.query(
            `select from pg_locks where locktype = 'advisory' and not granted and classid = $1
             and database = (select oid from pg_database where datname = current_database())`,
            [LOCK_KEYS.ranges],
          )
          return rowCount
        })
        .toBe(1)
      await cutRanges(client, range.to + 10)
      await client.query('update ingest_status set kept_from = $1', [range.to + 10])
      return { begun }
    })
    expect(await writing.begun).toBe('being_dropped')
    expect((await listIndexedRanges(database.db))[0]!.from).toBeGreaterThanOrEqual(range.to + 10)
  },
)

test('before blocks without transactions, nothing is left either', async () => {
  const database = await indexed(FIRST)
  const { pool } = database
  await enforceRetention(database, { blocks: KEPT }, never)
  const [left] = await listIndexedRanges(database.db)
  await pool.query('update blocks set tx_count = 0')
  await pool.query(
    `insert into blocks select (jsonb_populate_record(b, '{"seqno": 1, "mc_block_seqno": 1}')).* from blocks b
     where workchain = -1 and seqno = $1`,
    [LAST],
  )
  await pool.query('update ingest_status set kept_from = $1', [left!.from])
  expect(await forgetRetention(database, never)).toBe(true)
  const { rows } = await pool.query('select min(mc_block_seqno) as first from blocks')
  expect(rows).toEqual([{ first: left!.from }])
})

test('a time that is enlarged makes what was dropped wanted again, one that is not leaves it', async () => {
  const database = await indexed(FIRST)
  const { rows } = await database.pool.query<{ age: number }>(
    `select max(gen_utime) - (array_agg(gen_utime order by seqno desc))[$1] as age from blocks
     where workchain = -1`,
    [KEPT],
  )
  const { age } = rows[0]!
  const { cutAt, retainedFrom } = await enforceRetention(database, { seconds: age }, never)
  expect(cutAt).toBeGreaterThan(FIRST)
  expect((await enforceRetention(database, { seconds: age }, never)).retainedFrom).toBe(retainedFrom)
  // As if the cut had left nothing that is older.
  await database.pool.query('update ingest_status set retained_from = $1', [cutAt])
  await database.pool.query('delete from blocks where mc_block_seqno < $1', [cutAt])
  const left = await database.pool.query<{ age: number }>(
    'select max(gen_utime) - min(gen_utime) as age from blocks where workchain = -1',
  )
  const again = await enforceRetention(database, { seconds: left.rows[0]!.age }, never)
  expect(again.retainedFrom).toBe(cutAt)
  // A hole in what is kept, as after an outage, makes nothing before it wanted.
  await database.pool.query('update indexed_ranges set to_seqno = $1', [LAST - 3])
  await database.pool.query('insert into indexed_ranges values ($1, $1)', [LAST])
  expect((await enforceRetention(database, { seconds: age }, never)).retainedFrom).toBe(retainedFrom)

  const wider = await enforceRetention(database, { seconds: 10 * left.rows[0]!.age + 600 }, never)
  expect(wider.retainedFrom).toBeUndefined()
  expect(await readIngestStatus(database.db)).toMatchObject({ first: FIRST })
  await commit(new BatchSink(database.pool, { partitionWidth: width }), FIRST, cutAt! - 1)
  expect(await listIndexedRanges(database.db)).toMatchObject([{ from: FIRST }, { to: LAST }])
})

test('the first block to index is the one that ingest said last', async () => {
  const database = await indexed(FIRST)
  await writeIngestStatus(database.db, { head: 9, first: FIRST + 50 })
  expect(await readIngestStatus(database.db)).toMatchObject({ head: LAST, first: FIRST + 50 })
})

test('currencies of transactions that are gone are looked for no longer', async () => {
  const database = await indexed(FIRST)
  await database.pool.query(
    `insert into hidden_currencies (account_id, lt, mc_seqno, hash)
     select account_id, lt, mc_block_seqno, hash from transactions where mc_block_seqno in ($2, $2 + 1, $1)
     union all select account_id, lt, $2, state_hash from latest_account_states on conflict do nothing`,
    [LAST, FIRST],
  )
  await enforceRetention(database, { blocks: KEPT }, never)
  const { rows } = await database.pool.query(
    `select count(*) filter (where mc_seqno = $1)::int > 0 as kept,
       count(*) filter (where mc_seqno <= $2 + 1 and not exists (
         select from latest_account_states s where s.account_id = h.account_id and s.lt = h.lt))::int as gone,
       count(*) filter (where exists (
         select from latest_account_states s where s.account_id = h.account_id and s.lt = h.lt))::int
         = (select count(*)::int from latest_account_states) as "newestRemain"
     from hidden_currencies h`,
    [LAST, FIRST],
  )
  expect(rows).toEqual([{ kept: true, gone: 0, newestRemain: true }])
})

const LT_OF_BLOCK = 1_000_000n
/** Masterchain blocks of a partition. */
const PER_PARTITION = 20

/** A chain with a block each second, longer than a shard is expected to lag. */
async function longChain(): Promise<ScratchDatabase> {
  const database = await scratchDatabase()
  databases.push(database)
  const encoded = syntheticChain({ seed: 4, batches: 650, transactionsPerBatch: 1, ltStep: LT_OF_BLOCK }).map(
    ({ batch, globalVersion }) => encodeBatch(batch, { globalVersion }),
  )
  const to = new BatchSink(database.pool, { partitionWidth: BigInt(PER_PARTITION) * LT_OF_BLOCK })
  for (let at = 0; at < encoded.length; at += 130) await to.commitBatches(encoded.slice(at, at + 130))
  return database
}

/** As if the masterchain had committed a block of a shard late. Returns the lt of a transaction of it. */
async function commitLate(pool: pg.Pool): Promise<bigint> {
  const lag = 590n * LT_OF_BLOCK + 5n
  const { rows } = await pool.query<{ lt: bigint }>(
    `update transactions set lt = lt - $1 where (account_id, lt) = (
       select t.account_id, t.lt from transactions t join accounts a on a.id = t.account_id
       where t.mc_block_seqno >= 640 and a.workchain = 0 limit 1)
     returning lt`,
    [lag],
  )
  const { lt } = rows[0]!
  await pool.query(
    `update blocks set start_lt = start_lt - $1 where workchain = 0
       and mc_block_seqno = (select mc_block_seqno from transactions where lt = $2)`,
    [lag, lt],
  )
  await pool.query(
    `update blocks m set batch_start_lt = b.start_lt from blocks b
     where m.workchain = -1 and b.workchain = 0 and b.start_lt <= $1
       and b.mc_block_seqno = m.seqno and m.seqno >= 640`,
    [lt],
  )
  return lt
}

test('by age nothing younger goes, if a shard lags or is ahead either; a partition older does', async () => {
  const database = await longChain()
  const { pool } = database
  /** Block 101 is exactly as old as what is kept. */
  const rule = { seconds: 650 - 101 }
  const utime = (seqno: number) => 1_700_000_000 + seqno
  // A shard block whose clock was ahead of the masterchain's.
  await pool.query('update blocks set batch_max_utime = $1 where seqno = 99 and workchain = -1', [utime(101)])
  const lt = await commitLate(pool)
  await pool.query(
    `insert into jetton_transfers (account_id, lt, now, aborted, source_id, query_id, amount, forward_amount)
     select account_id, lt, now, false, account_id, 0, 0, 0 from transactions`,
  )
  const left = async (condition: string) =>
    (
      await pool.query(
        `select count(*)::int as transactions, count(e.lt)::int as events from transactions t
         left join jetton_transfers e using (account_id, lt) where ${condition}`,
      )
    ).rows[0]
  const younger = await left('mc_block_seqno >= 99')
  const { cutAt, retainedFrom } = await enforceRetention(database, rule, never)
  expect(retainedFrom).toBe(99)
  expect(cutAt).toBeLessThanOrEqual(Number(lt / LT_OF_BLOCK))
  expect(await left('mc_block_seqno >= 99')).toEqual(younger)
  expect(await left(`lt = ${lt}`)).toEqual({ transactions: 1, events: 1 })

  // Without it the cut is at the last end of a partition.
  await pool.query('delete from blocks where start_lt <= $1 and mc_block_seqno >= 640', [lt])
  expect((await enforceRetention(database, rule, never)).cutAt).toBe(99 - (99 % PER_PARTITION))
  expect(await left(`mc_block_seqno < ${99 - PER_PARTITION}`)).toEqual({ transactions: 0, events: 0 })
})

/** Fails at a statement. */
function failingAt(pool: pg.Pool, statement: RegExp): pg.Pool {
  return new Proxy(pool, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'query') return value
      return async (...parameters: unknown[]) => {
        if (statement.test(String(parameters[0]))) throw new Error('killed')
        return (value as (...all: unknown[]) => unknown).apply(target, parameters)
      }
    },
  })
}

/** Fails once so many statements and transactions have begun. */
function failingAfter(pool: pg.Pool, most: number): pg.Pool {
  let left = most
  const count = () => {
    if (left-- <= 0) throw new Error('interrupted')
  }
  return new Proxy(pool, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'query' && name !== 'connect') return value
      return async (...parameters: unknown[]) => {
        count()
        return (value as (...all: unknown[]) => unknown).apply(target, parameters)
      }
    },
  })
}

/** A chain with a block each second, of which those between the 20th and the 4,990th were missed. */
async function afterOutage(partitionWidth?: bigint) {
  const database = await scratchDatabase()
  databases.push(database)
  const chain = syntheticChain({ seed: 5, batches: 5_000, transactionsPerBatch: 1, ltStep: LT_OF_BLOCK })
  const to = new BatchSink(database.pool, { ...(partitionWidth && { partitionWidth }) })
  const index = async (from: number, last: number) => {
    const wanted = chain.slice(from - 1, last)
    await to.commitBatches(wanted.map(({ batch, globalVersion }) => encodeBatch(batch, { globalVersion })))
  }
  await index(1, 20)
  await index(4_990, 5_000)
  await writeIngestStatus(database.db, { head: 5_000, first: 1 })
  const first = async (seconds: number) => (await enforceRetention(database, { seconds }, never)).retainedFrom
  return { database, index, first }
}

test('after an outage longer than what is kept, what was missed before that is not wanted', async () => {
  const { database, first } = await afterOutage()
  // The times of missing blocks are not known.
  expect(await first(1_500)).toBeLessThanOrEqual(3_500)
  expect(await first(1_500)).toBeGreaterThan(2_000)
  expect(await first(4_979)).toBe(21)
  // If most of them were made in a short time, more is found to be wanted with each that is indexed.
  await database.pool.query('update blocks set gen_utime = gen_utime - 1000000 where mc_block_seqno <= 20')
  const before = (await first(1_500))!
  expect(before).toBeLessThan(4_990)
  await database.pool.query(
    `update blocks set seqno = seqno - $1, mc_block_seqno = mc_block_seqno - $1 where mc_block_seqno = 4990`,
    [4_990 - before],
  )
  expect(await first(1_500)).toBeLessThan(before - 500)
})

test('what is wanted after an outage is so until its time is known, with nothing older left', async () => {
  const { database, index, first } = await afterOutage(BigInt(PER_PARTITION) * LT_OF_BLOCK)
  const wanted = (await first(1_500))!
  const oldest = 'select min(lt) as lt from transactions'
  // Blocks of the gap may come while older ones are dropped: their partitions are not.
  await index(21, 22)
  await enforceRetention(database, { seconds: 1_500 }, never)
  const { rows } = await database.pool.query<{ lt: bigint }>(oldest)
  expect(rows[0]!.lt).toBeLessThan(23n * LT_OF_BLOCK)
  await database.pool.query('delete from blocks where mc_block_seqno <= 22')
  expect(await first(1_500)).toBe(wanted)
  await index(wanted, wanted)
  const next = (await first(1_500))!
  expect(next).toBeGreaterThan(wanted)
  expect(next).toBeLessThanOrEqual(3_500)
  await index(next, next)
  expect(await first(10_000)).toBeUndefined()
})

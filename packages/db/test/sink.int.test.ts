import { type Batch, deriveAccountId, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase, syntheticAddress, syntheticChain } from '@shardwalk/testkit'
import { isLong, randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  AccountIdTaken,
  addressKey,
  BatchSink,
  CHECKED_TABLES,
  claimNetwork,
  type EncodedBatch,
  encodeBatch,
  findAccountIds,
  findGaps,
  findGlobalId,
  INDEXED_CHANNEL,
  listIndexedRanges,
  readStatus,
  SchemaTooNew,
  SchemaTooOld,
  tableChecksums,
  WrongNetwork,
} from '../src/index.ts'
import { findAddresses } from '../src/queries/accounts.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ max: 8 })
})
afterAll(() => scratch.close())
beforeEach(emptyTables)

async function emptyTables(): Promise<void> {
  // Of so few rows, less work than to make the files of all partitions and indexes anew.
  await scratch.pool.query([...CHECKED_TABLES, 'quarantine'].map((table) => `delete from ${table}`).join(';'))
}

const WIDTH = 10_000_000n
const BATCHES = isLong ? 24 : 8
const newSink = () => new BatchSink(scratch.pool, { partitionWidth: WIDTH })
const encodeAll = (chain: ReturnType<typeof syntheticChain>): EncodedBatch[] =>
  chain.map(({ batch, globalVersion }) => encodeBatch(batch, { globalVersion }))

async function checksumsAfter(work: () => Promise<unknown>): Promise<Record<string, string>> {
  await emptyTables()
  await work()
  const sums = await tableChecksums(scratch.db)
  return Object.fromEntries(
    [...sums].map(([table, { rows, checksum }]) => [table, `${rows} rows ${checksum}`]),
  )
}

const oneByOne = async (batches: readonly EncodedBatch[], sink = newSink()) => {
  for (const batch of batches) await sink.commitBatches([batch])
}

test('the tables do not depend on order, grouping, repetitions and number of writers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 0, max: 30 }),
      fc.infiniteStream(fc.nat()),
      async (seed, version12From, numbers) => {
        const batches = encodeAll(syntheticChain({ seed, batches: BATCHES, version12From }))
        const expected = await checksumsAfter(() => oneByOne(batches))
        const order = (list: EncodedBatch[]) =>
          list
            .map((item) => ({ item, key: numbers.next().value! }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item)
        const shuffled = order([...batches, ...batches.slice(5, 15)])
        const sink = newSink()

        expect(await checksumsAfter(() => oneByOne([...batches].reverse()))).toEqual(expected)
        expect(await checksumsAfter(() => oneByOne(shuffled))).toEqual(expected)
        expect(await checksumsAfter(() => newSink().commitBatches(batches))).toEqual(expected)
        expect(await checksumsAfter(() => inGroups(shuffled, 5, sink))).toEqual(expected)
        expect(
          await checksumsAfter(() =>
            Promise.all([
              oneByOne([...batches].reverse(), newSink()),
              oneByOne(batches, newSink()),
              inGroups(shuffled, 4, newSink()),
            ]),
          ),
        ).toEqual(expected)
      },
    ),
    { numRuns: randomCases(6) },
  )
})

async function inGroups(batches: readonly EncodedBatch[], size: number, sink: BatchSink): Promise<void> {
  for (let at = 0; at < batches.length; at += size)
    await sink.commitBatches(unique(batches.slice(at, at + size)))
}

const unique = (batches: readonly EncodedBatch[]) => [
  ...new Map(batches.map((batch) => [batch.mcBlockSeqno, batch])).values(),
]

test('every message is present once, and transactions lead to it by the natural key', async () => {
  const chain = syntheticChain({ seed: 7, batches: 30 })
  await newSink().commitBatches(encodeAll(chain))
  const transactions = chain.flatMap(({ batch }) =>
    [batch.masterchain, ...batch.shards].flatMap((b) => b.transactions),
  )
  const hashes = transactions
    .flatMap((tx) => [...(tx.inMsg ? [tx.inMsg] : []), ...tx.outMsgs])
    .map(({ hash }) => hash)
  const { rows } = await scratch.pool.query<{ hash: Buffer }>('select hash from messages')
  const hex = (list: readonly Buffer[]) => list.map((hash) => hash.toString('hex')).sort()
  expect(hex(rows.map((row) => row.hash))).toEqual([...new Set(hex(hashes))].sort())

  const joined = await scratch.pool.query<{ tx: Buffer; in_msg: Buffer | null; out_msgs: Buffer[] | null }>(
    `select t.hash as tx,
       (select m.hash from messages m where m.account_id = coalesce(t.in_msg_account_id, t.account_id)
         and m.lt = t.in_msg_lt) as in_msg,
       (select array_agg(m.hash order by m.lt) from messages m
        where m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + t.out_msg_count) as out_msgs
     from transactions t`,
  )
  const byHash = new Map(joined.rows.map((row) => [row.tx.toString('hex'), row]))
  expect(byHash.size).toBe(transactions.length)
  for (const tx of transactions) {
    const row = byHash.get(tx.hash.toString('hex'))!
    expect(row.in_msg).toEqual(tx.inMsg?.hash ?? null)
    expect(row.out_msgs ?? []).toEqual(tx.outMsgs.map(({ hash }) => hash))
  }
})

test('progress merges neighbours, and gaps are what is missing', async () => {
  const batches = encodeAll(syntheticChain({ seed: 3, batches: 9 }))
  const sink = newSink()
  for (const seqno of [2, 5, 3, 9, 8]) await sink.commitBatches([batches[seqno - 1]!])
  expect(await listIndexedRanges(scratch.db)).toEqual([
    { from: 2, to: 3 },
    { from: 5, to: 5 },
    { from: 8, to: 9 },
  ])
  expect(await findGaps(scratch.db, { from: 1, to: 9 })).toEqual([
    { from: 1, to: 1 },
    { from: 4, to: 4 },
    { from: 6, to: 7 },
  ])
  expect(await sink.commitBatches(batches)).toEqual({ written: [1, 4, 6, 7], skipped: [2, 3, 5, 8, 9] })
  expect(await findGaps(scratch.db, { from: 1, to: 12 })).toEqual([{ from: 10, to: 12 }])
  expect((await readStatus(scratch.db)).headUtime).toBe(1_700_000_009)
})

test('a repair gives the same rows as a fresh run, for any range and any previous rows', async () => {
  const batches = encodeAll(syntheticChain({ seed: 11, batches: 20, version12From: 10 }))
  const expected = await checksumsAfter(() => oneByOne(batches))
  for (const [from, to] of [
    [1, 20],
    [6, 9],
    [1, 3],
    [18, 20],
  ] as const) {
    await scratch.pool.query(
      'update transactions set total_fees = 1 where mc_block_seqno between $1 and $2',
      [from, to],
    )
    await scratch.pool.query(
      `update messages m set value = 1 from transactions t
        where m.account_id = t.account_id and m.lt = t.lt + 1 and t.mc_block_seqno between $1 and $2`,
      [from, to],
    )
    await newSink().repairRange({ from, to }, batches.slice(from - 1, to))
    expect(await checksumsAfterNothing()).toEqual(expected)
  }
  expect(() => newSink().repairRange({ from: 1, to: 3 }, batches.slice(0, 2))).toThrow(RangeError)
})

async function checksumsAfterNothing(): Promise<Record<string, string>> {
  const sums = await tableChecksums(scratch.db)
  return Object.fromEntries(
    [...sums].map(([table, { rows, checksum }]) => [table, `${rows} rows ${checksum}`]),
  )
}

test('a failed call leaves nothing behind but accounts, and the next one works', async () => {
  const nothing = await checksumsAfter(async () => {})
  const batches = encodeAll(syntheticChain({ seed: 5, batches: 4 }))
  const expected = await checksumsAfter(() => oneByOne(batches))
  const sink = newSink()
  const failed = await checksumsAfter(async () => {
    const broken = { ...batches[1]!, latestStates: { rows: 1, bytes: new Uint8Array([0, 99]) } }
    await expect(sink.commitBatches([batches[0]!, broken])).rejects.toThrow()
  })
  expect({ ...failed, accounts: 'some' }).toEqual({ ...nothing, accounts: 'some' })
  await oneByOne(batches, sink)
  expect(await checksumsAfterNothing()).toEqual(expected)
})

test('nothing is written to tables that a newer version has migrated meanwhile', async () => {
  const [first, ...rest] = encodeAll(syntheticChain({ seed: 5, batches: 3 }))
  const sink = newSink()
  await sink.commitBatches([first!])
  const indexed = await listIndexedRanges(scratch.db)
  await scratch.pool.query(
    "insert into schema_migrations (name, timestamp) values ('29991231000000_future', 'now')",
  )
  try {
    await expect(sink.commitBatches(rest)).rejects.toThrow(SchemaTooNew)
    await expect(sink.commitBatches(rest)).rejects.toThrow('29991231000000_future')
  } finally {
    await scratch.pool.query("delete from schema_migrations where name = '29991231000000_future'")
  }
  expect(await listIndexedRanges(scratch.db)).toEqual(indexed)
  await sink.commitBatches(rest)
  expect(await listIndexedRanges(scratch.db)).toHaveLength(1)
})

/** A chain that is written, lost, and written again by the same process has all of its rows. */
async function expectWrittenAgain(lose: () => Promise<void>): Promise<void> {
  const batches = encodeAll(syntheticChain({ seed: 6, batches: 4 }))
  const expected = await checksumsAfter(() => oneByOne(batches))
  const sink = newSink()
  const written = await checksumsAfter(async () => {
    await oneByOne(batches, sink)
    await lose()
    await oneByOne(batches, sink)
  })
  expect(written).toEqual(expected)
}

test('rows lost in a crash of the server are written again, with accounts and code', () =>
  expectWrittenAgain(async () => {
    // Commits do not wait for the disk, so the last ones may be lost along with all connections.
    await emptyTables()
    const others = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
    const killer = new pg.Client({ connectionString: scratch.url })
    await killer.connect()
    await killer.query(others)
    await killer.end()
    await expect.poll(() => scratch.pool.totalCount).toBe(0)
  }))

test('rows that a backup lacks are written again after it was restored under open connections', () =>
  expectWrittenAgain(async () => {
    // As `pg_restore --clean --single-transaction` does, all tables have other files afterwards.
    await scratch.pool.query(`truncate ${CHECKED_TABLES.join(', ')}`)
  }))

test('a transaction that waits while a backup is restored leaves out nothing that it lacks', async () => {
  const batches = encodeAll(syntheticChain({ seed: 7, batches: 4 }))
  const last = batches.at(-1)!
  const expected = await checksumsAfter(() => oneByOne([last]))
  const sink = newSink()
  expect(
    await checksumsAfter(async () => {
      await oneByOne(batches, sink)
      await scratch.pool.query('delete from indexed_ranges')
      // A connection of its own, so that the writer needs no new one.
      const restoring = new pg.Client({ connectionString: scratch.url })
      await restoring.connect()
      try {
        await restoring.query('begin')
        await restoring.query(`lock table blocks in access exclusive mode`)
        const written = sink.commitBatches([last])
        await expect.poll(() => waitingFor(restoring), { timeout: 60_000 }).toBe(1)
        await restoring.query(`truncate ${CHECKED_TABLES.join(', ')}`)
        await restoring.query('commit')
        await written
      } finally {
        await restoring.end()
      }
    }),
  ).toEqual(expected)
})

/** Sessions that wait for a table that this one has locked. */
async function waitingFor(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_locks where relation = 'blocks'::regclass and not granted`,
  )
  return rows[0]!.n
}

test('nothing is written to tables of an earlier version that were restored meanwhile', async () => {
  const [first, ...rest] = encodeAll(syntheticChain({ seed: 5, batches: 3 }))
  const sink = newSink()
  await sink.commitBatches([first!])
  const last = 'name = (select max(name) from schema_migrations)'
  const { rows } = await scratch.pool.query(`delete from schema_migrations where ${last} returning *`)
  const { name, timestamp } = rows[0] as Record<string, string>
  try {
    await expect(sink.commitBatches(rest)).rejects.toThrow(SchemaTooOld)
  } finally {
    await scratch.pool.query('insert into schema_migrations (name, timestamp) values ($1, $2)', [
      name,
      timestamp,
    ])
  }
  await sink.commitBatches(rest)
  expect(await listIndexedRanges(scratch.db)).toHaveLength(1)
})

test('addresses that share 63 bits get ids of their own, known to every reader and writer', async () => {
  const shared = 0x1234567890abcdefn
  const addresses = [0, 1, 2].map((rest) => syntheticAddress(shared, rest))
  const free = deriveAccountId(addresses[0]!) + 1n
  const neighbour = syntheticAddress(free << 1n, 9)
  const chain = syntheticChain({ seed: 21, batches: 3, accounts: 2 })
  const all = [...addresses, neighbour]
  const batches = chain.map(({ batch }, index) =>
    withDestinations(batch, index === 0 ? [addresses[0]!] : all),
  )

  const first = newSink()
  await commitWithOverrides(first, batches[0]!)
  // Two writers detect it at the same time.
  await Promise.all([
    commitWithOverrides(newSink(), batches[1]!),
    commitWithOverrides(newSink(), batches[2]!),
  ])

  const ids = await findAccountIds(scratch.db, all)
  expect(ids.size).toBe(4)
  expect(new Set(ids.values()).size).toBe(4)
  expect(ids.get(addressKey(addresses[0]!))).toBe(deriveAccountId(addresses[0]!))
  const found = await findAddresses(scratch.db, [...ids.values()])
  for (const address of all) expect(found.get(ids.get(addressKey(address))!)).toEqual(address)
  const { rows } = await scratch.pool.query(
    'select count(distinct destination_id) as n from messages where destination_id = any($1::bigint[])',
    [[...ids.values()]],
  )
  expect(rows[0].n).toBe(4n)
  const copies = await scratch.pool.query(
    'select 1 from accounts group by workchain, address having count(*) > 1',
  )
  expect(copies.rowCount).toBe(0)
})

/** Same as the ingest worker: when an id is taken, it encodes again. */
async function commitWithOverrides(sink: BatchSink, batch: Batch): Promise<void> {
  const overrides = new Map<string, bigint>()
  for (;;) {
    try {
      await sink.commitBatches([encodeBatch(batch, { globalVersion: 11, overrides })])
      return
    } catch (error) {
      if (!(error instanceof AccountIdTaken)) throw error
      for (const [key, id] of error.overrides) overrides.set(key, id)
    }
  }
}

/** The first transaction sends one message to each of the addresses. */
function withDestinations(batch: Batch, destinations: readonly RawAddress[]): Batch {
  const shard = batch.shards[0]!
  const [tx, ...others] = shard.transactions
  const template = syntheticChain({ seed: 1, batches: 5 })
    .flatMap(({ batch: { shards } }) =>
      shards.flatMap((block) => block.transactions.flatMap((t) => t.outMsgs)),
    )
    .find((message) => message.kind === 'internal')!
  const outMsgs = destinations.map((destination, index) => ({
    ...template,
    hash: Buffer.alloc(32, index + batch.masterchain.id.seqno * 16),
    source: tx!.account,
    destination,
    createdLt: tx!.lt + 1n + BigInt(index),
  }))
  return { ...batch, shards: [{ ...shard, transactions: [{ ...tx!, outMsgs }, ...others] }] }
}

test('listeners are notified of blocks after they are visible', async () => {
  const batches = encodeAll(syntheticChain({ seed: 2, batches: 2 }))
  const client = await scratch.pool.connect()
  try {
    await client.query(`listen ${INDEXED_CHANNEL}`)
    const notified = new Promise((resolve) => client.once('notification', ({ payload }) => resolve(payload)))
    await newSink().commitBatches(batches)
    expect(await notified).toBe('2')
    await client.query(`unlisten ${INDEXED_CHANNEL}`)
  } finally {
    client.release()
  }
})

test('another network is refused by its zerostate and by the id in its blocks', async () => {
  const [first] = syntheticChain({ seed: 4, batches: 1 })
  const zerostate = { ...first!.batch.masterchain.id, seqno: 0 }
  await claimNetwork(scratch.db, zerostate)
  await claimNetwork(scratch.db, zerostate)
  await expect(claimNetwork(scratch.db, { ...zerostate, rootHash: Buffer.alloc(32) })).rejects.toThrow(
    WrongNetwork,
  )
  const encoded = encodeAll([first!])[0]!
  await newSink().commitBatches([encoded])
  const before = await checksumsAfterNothing()
  const [other] = encodeAll(syntheticChain({ seed: 9, batches: 1 }))
  const stranger = { ...other!, mcBlockSeqno: 2, globalId: -239 }
  await expect(newSink().commitBatches([stranger])).rejects.toThrow(WrongNetwork)
  expect(await checksumsAfterNothing()).toEqual(before)
})

test('the id of the network is stored although the first transaction that claimed it failed', async () => {
  const [made] = syntheticChain({ seed: 4, batches: 1 })
  await claimNetwork(scratch.db, made!.batch.masterchain.id)
  const first = { ...encodeAll([made!])[0]!, globalId: -3 }
  // Of somebody else: the first attempt ends there.
  await scratch.pool.query(
    "insert into accounts (id, workchain, address, activity) values ($1, 0, '\\x00', '')",
    [first.accounts.ids[0]],
  )
  const sink = newSink()
  await expect(sink.commitBatches([first])).rejects.toThrow(AccountIdTaken)
  await scratch.pool.query('delete from accounts')
  await sink.commitBatches([first])
  expect(await findGlobalId(scratch.db)).toBe(-3)
})

test('partitions of another width fit between existing ones', async () => {
  const batches = encodeAll(syntheticChain({ seed: 6, batches: 12, ltStep: 7_000_000n }))
  const sinks = [WIDTH, 4_000_000n, 33_000_000n].map(
    (partitionWidth) => new BatchSink(scratch.pool, { partitionWidth }),
  )
  await Promise.all(batches.map((batch, index) => sinks[index % 3]!.commitBatches([batch])))
  expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 1, to: 12 }])
})

import { createHash } from 'node:crypto'
import { fillHashFilters, type MessageValue, writeIngestStatus } from '@shardwalk/db'
import { repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { isLong, swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  keepPlans,
  listMessages,
  listTransactions,
  placesOfMessages,
  transactionsByHash,
} from '../src/index.ts'
import { crossedLists, listCrossing, messageConditions } from '../src/messages/index.ts'
import { partitionsDuring } from './any-values.ts'

const PARTITIONS = 24
const FIRST = { sort: 'desc', limit: 10, offset: 0 } as const

let scratch: ScratchDatabase
let db: ReturnType<typeof keepPlans>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await repartition(scratch.pool, PARTITIONS)
  await writeIngestStatus(scratch.db, { head: 1_000_000, first: 1 })
  await fill()
})
afterAll(() => scratch?.close())

async function fill(): Promise<void> {
  expect(await fillHashFilters(scratch.pool, { signal: new AbortController().signal })).toBe(true)
  // What was known of the partitions is forgotten.
  db = keepPlans(scratch.pool)
}

const hashesOf = async (text: string): Promise<readonly Buffer[]> =>
  (await scratch.pool.query<{ hash: Buffer }>(text)).rows.map(({ hash }) => hash)

/** Some of every partition. */
const sampleOf = (table: string) =>
  hashesOf(`select hash from (
    select hash, row_number() over (partition by tableoid order by hash) as n from ${table}) t where n <= 5`)

const unknown = (count: number) =>
  Array.from({ length: count }, (_, n) => createHash('sha256').update(`unknown ${n}`).digest())

const opened = async (work: () => Promise<unknown>) =>
  (await partitionsDuring(scratch, work)).reduce((sum, one) => sum + one.opened, 0)

const sorted = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex')).sort()

test('whatever partition a hash is in, alone or among others, it is found', async () => {
  const hashes = await sampleOf('transactions')
  expect(hashes.length).toBeGreaterThan(4 * PARTITIONS)
  const all = await transactionsByHash(db, [...hashes, ...unknown(100)])
  expect(sorted(all.map((row) => row.hash))).toEqual(sorted(hashes))
  for (const hash of swept(hashes, 3)) {
    const rows = await transactionsByHash(db, [hash])
    expect(rows.map((row) => row.hash)).toEqual([hash])
  }
  const page = { sort: 'desc', limit: 10, offset: 0 } as const
  for (const hash of swept(await sampleOf('messages'), 3)) {
    const { rows } = await listMessages(db, { hashes: [hash] }, page)
    expect(rows.map((row) => row.hash)).toContainEqual(hash)
    expect((await placesOfMessages(db, [hash])).length).toBeGreaterThan(0)
  }
})

test('an old hash opens its own partition, an unknown one hardly any', async () => {
  const old = await hashesOf('select hash from transactions order by lt limit 50')
  // The newest two are always searched.
  for (const hash of old) expect(await opened(() => transactionsByHash(db, [hash]))).toBeLessThanOrEqual(4)
  let total = 0
  for (const hash of unknown(50)) total += await opened(() => transactionsByHash(db, [hash]))
  expect(total).toBeGreaterThanOrEqual(50 * 2)
  expect(total).toBeLessThanOrEqual(50 * 2 + 25)
})

/** Some alone, and some beside each other. */
const SOME_MISSING = `delete from hash_filters
  where from_lt / (to_lt - from_lt) % 3 = 0 or from_lt / (to_lt - from_lt) = 7`

test('partitions whose hashes are not known are searched, too', async () => {
  const hashes = await sampleOf('transactions')
  await scratch.pool.query(SOME_MISSING)
  db = keepPlans(scratch.pool)
  const rows = await transactionsByHash(db, hashes)
  expect(sorted(rows.map((row) => row.hash))).toEqual(sorted(hashes))
  for (const hash of swept(hashes, 3)) expect(await transactionsByHash(db, [hash])).toHaveLength(1)
  await scratch.pool.query('delete from hash_filter_bits where block % 2 = 1')
  expect(await transactionsByHash(db, hashes)).toHaveLength(hashes.length)
  await scratch.pool.query('delete from hash_filters')
  expect(await transactionsByHash(db, hashes)).toHaveLength(hashes.length)
  await fill()
  expect(await transactionsByHash(db, hashes)).toHaveLength(hashes.length)
})

test('messages with known hashes are read once, in their partition', async () => {
  const [hash] = await hashesOf(
    `select hash from messages where kind = 0 and flags & 8 = 0 order by lt limit 1`,
  )
  const found = await partitionsDuring(scratch, () =>
    listMessages(db, { hashes: [hash!], externals: 'without' }, FIRST),
  )
  // In the newest partitions and the filters at once, in a partition; then the message.
  expect(found.map(({ opened }) => opened > 0)).toEqual([true, true, true])
  expect(found.at(-1)!.opened).toBeLessThanOrEqual(2)
  const all = await partitionsDuring(scratch, () => listMessages(db, { hashes: [hash!] }, FIRST))
  // Nobody outside sent it.
  expect(all.map(({ opened }) => opened)).toEqual(found.map(({ opened }) => opened))
})

test('a message from outside is not sought among those that accounts sent', async () => {
  const [hash] = await hashesOf('select hash from messages where kind = 1 order by lt limit 1')
  const found = await partitionsDuring(scratch, async () => {
    const { rows } = await listMessages(db, { hashes: [hash!] }, FIRST)
    expect(rows.map((row) => row.hash)).toEqual([hash])
  })
  // In the newest partitions and traces, along traces; then the message.
  expect(found.map(({ opened }) => opened > 0)).toEqual([true, false, true])
})

test('transactions with known hashes are read once, and their list is that of the rows', async () => {
  const [old] = await hashesOf('select hash from transactions order by lt limit 1')
  const found = await partitionsDuring(scratch, () => listTransactions(db, { hashes: [old!] }, FIRST))
  // In the newest partitions and the filters at once, in a partition.
  expect(found.map(({ opened }) => opened > 0)).toEqual([true, true])
  const hashes = await sampleOf('transactions')
  for (const sort of ['asc', 'desc'] as const) {
    const { rows } = await scratch.pool.query<{ lt: bigint; account_id: bigint }>(
      `select lt, account_id from transactions where hash = any($1) order by lt ${sort}, account_id`,
      [hashes],
    )
    const listed: typeof rows = []
    let cursor: string | undefined
    do {
      const page = { sort, limit: 40, offset: listed.length === 0 ? 3 : 0, cursor }
      const part = await listTransactions(db, { hashes }, page)
      listed.push(...part.rows.map(({ lt, account_id }) => ({ lt, account_id })))
      cursor = part.next
    } while (cursor !== undefined)
    expect(listed).toEqual(rows.slice(3))
  }
})

test('a look-up touches each page of the list of filters once', async () => {
  // As of many partitions, written in no order.
  await scratch.pool.query(
    `insert into hash_filters (of_table, from_lt, to_lt, group_no, slot, blocks, is_complete)
     select t.name, -n, 1 - n, -1, 0, 0, false
     from generate_series(1, 600) n, (values ('transactions'), ('messages')) t(name) order by md5(n::text)`,
  )
  await scratch.pool.query('vacuum full analyze hash_filters')
  const { rows } = await scratch.pool.query<{ pages: number; groups: number }>(
    `select (pg_relation_size('hash_filters') / 8192)::int as pages,
       count(distinct group_no) filter (where of_table = 'transactions' and is_complete)::int as groups
     from hash_filters`,
  )
  const { pages, groups } = rows[0]!
  const [first] = await partitionsDuring(scratch, () => transactionsByHash(db, unknown(1)))
  await scratch.pool.query('delete from hash_filters where from_lt < 0')
  expect(pages).toBeGreaterThan(5)
  // Two of the index and one of the table for each group; the first look-up reads where the index begins. The
  // same statement reads a page of the index of each of the newest two partitions.
  expect(first!.pages).toBeLessThanOrEqual(pages + 3 * groups + 1 + 2)
})

type Pair = Partial<Record<MessageValue, bigint>>

/** Values that are in many messages each. */
const pairs = async (which: string, from = 0): Promise<readonly Pair[]> =>
  (
    await scratch.pool.query<Pair>(
      `with sent as materialized (select * from messages where kind <> 1 and flags & 8 = 0
         and lt >= (select max(lt) / ${PARTITIONS} * ${from} from messages)),
       sources as (select account_id as v from sent group by 1 order by count(*) desc, 1 limit 8),
       destinations as (select destination_id as v from sent where destination_id is not null
         group by 1 order by count(*) desc, 1 limit 8),
       opcodes as (select opcode::int8 as v from sent where opcode is not null
         group by 1 order by count(*) desc, 1 limit 8)
       select ${which}`,
    )
  ).rows

const BUSY = [
  's.v as source, d.v as destination from sources s, destinations d',
  's.v as source, o.v as opcode from sources s, opcodes o',
  'd.v as destination, o.v as opcode from destinations d, opcodes o',
  `s.v as source, d.v as destination, o.v as opcode
     from (select * from sources limit 4) s, (select * from destinations limit 4) d,
       (select * from opcodes limit 4) o`,
]

const EVERY_LT = { from: 0n, to: 2n ** 63n - 1n }

/** `firstLook`: 1 makes lists of the sample as long as those of an exchange. */
function crossing({ opcode, ...ends }: Pair, lt = EVERY_LT, firstLook = 1) {
  const filter = { ...ends, ...(opcode !== undefined && { opcode: Number(opcode) }) }
  return { lt, firstLook, lists: crossedLists(filter), conditions: messageConditions(filter)! }
}

interface Sent {
  readonly lt: bigint
  readonly [value: string]: bigint | null
}

/** What the pairs may be of. */
const sentMessages = async (): Promise<readonly Sent[]> =>
  (
    await scratch.pool.query<Sent>(
      `select account_id as source, destination_id as destination, opcode::int8 as opcode, lt from messages
       where kind <> 1 and flags & 8 = 0 order by lt`,
    )
  ).rows

function isOf(pair: Pair) {
  const values = Object.entries(pair)
  return (row: Sent) => values.every(([name, value]) => row[name] === value)
}

async function expectAllCrossed(): Promise<void> {
  const all = await sentMessages()
  const lts = (found: readonly { readonly lt: bigint | null }[]) => found.map(({ lt }) => lt)
  const [half, some] = [all[all.length >> 1]!.lt, all[all.length >> 2]!.lt]
  let nonEmpty = 0
  for (const which of BUSY)
    for (const [n, pair] of (await pairs(which)).entries()) {
      const lt = [EVERY_LT, { from: some, to: half }, { ...EVERY_LT, from: half }][n % 3]!
      const wanted = all.filter(isOf(pair))
      // Most pairs have nothing in common.
      if (wanted.length === 0 && !isLong && n % 7 > 0) continue
      const within = wanted.filter((row) => row.lt >= lt.from && row.lt <= lt.to)
      const look = [1, 2, 7, 2000][n % 4]
      const asc = await listCrossing(db, crossing(pair, lt, look), 'asc', 10_000)
      expect([pair, lts(asc)]).toEqual([pair, lts(within)])
      const desc = await listCrossing(db, crossing(pair, lt, look), 'desc', 7)
      expect([pair, lts(desc)]).toEqual([pair, lts(within).toReversed().slice(0, 7)])
      if (within.length > 0) nonEmpty++
    }
  expect(nonEmpty).toBeGreaterThan(20)
}

test('messages of two busy lists are found, wherever they are', async () => {
  await expectAllCrossed()
  await scratch.pool.query(SOME_MISSING)
  db = keepPlans(scratch.pool)
  await expectAllCrossed()
  await fill()
})

test('two busy lists without a common row open the newest partitions and hardly any other', async () => {
  const all = await sentMessages()
  const openedBy = async (which: string, from?: number) => {
    const numbers: number[] = []
    for (const pair of await pairs(which, from))
      if (!all.some(isOf(pair)))
        numbers.push(await opened(() => listCrossing(db, crossing(pair), 'desc', 10)))
    return numbers
  }
  // Most lists end before the newest partitions.
  for (const which of BUSY) {
    const numbers = await openedBy(which)
    expect(numbers.length).toBeGreaterThan(20)
    expect([which, mean(numbers) < 2.6]).toEqual([which, true])
  }
  // Of those that do not, by three statements; of 24.
  const numbers = await openedBy(BUSY[0]!, PARTITIONS - 2)
  expect(numbers.length).toBeGreaterThan(2)
  expect(Math.max(...numbers)).toBeLessThan(8)
})

test('filters of transactions alone do not make lists of messages be read in parts', async () => {
  const [pair] = await pairs(BUSY[0]!, PARTITIONS - 2)
  const statements = async () => {
    db = keepPlans(scratch.pool)
    return (await partitionsDuring(scratch, () => listCrossing(db, crossing(pair!), 'desc', 10_000))).length
  }
  await scratch.pool.query("delete from hash_filters where of_table = 'messages'")
  const alone = await statements()
  await scratch.pool.query('delete from hash_filters')
  expect(alone).toBe(await statements())
  await fill()
  expect(alone).not.toBe(await statements())
})

test('two busy lists with rows in common everywhere open few partitions, at either end', async () => {
  const { rows } = await scratch.pool.query<Pair>(
    `with chosen as (
       select account_id, lt, row_number() over (partition by tableoid order by lt) as n from messages
       where kind <> 1 and flags & 8 = 0 and destination_id is not null),
     active as (
       select account_id from transactions group by 1 order by count(distinct tableoid) desc limit 1)
     update messages m set destination_id = active.account_id, opcode = 77 from active, chosen c
     where n <= 3 and m.account_id = c.account_id and m.lt = c.lt
     returning m.destination_id as destination, m.opcode::int8 as opcode`,
  )
  await scratch.pool.query('delete from hash_filters')
  await fill()
  const pair = rows[0]!
  const all = (await sentMessages()).filter(isOf(pair)).map(({ lt }) => lt)
  expect(all.length).toBeGreaterThan(2 * PARTITIONS)
  for (const sort of ['asc', 'desc'] as const) {
    const read = (limit: number) => listCrossing(db, crossing(pair), sort, limit)
    const expected = sort === 'asc' ? all : all.toReversed()
    expect((await read(1000)).map(({ lt }) => lt)).toEqual(expected)
    expect((await read(7)).map(({ lt }) => lt)).toEqual(expected.slice(0, 7))
    expect(await opened(() => read(7))).toBeLessThan(PARTITIONS)
  }
})

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

import { createHash } from 'node:crypto'
import { fillHashFilters, writeIngestStatus } from '@shardwalk/db'
import { repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepPlans, listMessages, placesOfMessages, transactionsByHash } from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'

const PARTITIONS = 24

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
  for (const hash of hashes) {
    const rows = await transactionsByHash(db, [hash])
    expect(rows.map((row) => row.hash)).toEqual([hash])
  }
  const page = { sort: 'desc', limit: 10, offset: 0 } as const
  for (const hash of await sampleOf('messages')) {
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

test('partitions whose hashes are not known are searched, too', async () => {
  const hashes = await sampleOf('transactions')
  await scratch.pool.query(
    'delete from hash_filters where from_lt / (to_lt - from_lt) % 3 = 0 or from_lt / (to_lt - from_lt) = 7',
  )
  db = keepPlans(scratch.pool)
  const rows = await transactionsByHash(db, hashes)
  expect(sorted(rows.map((row) => row.hash))).toEqual(sorted(hashes))
  for (const hash of hashes) expect(await transactionsByHash(db, [hash])).toHaveLength(1)
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
    listMessages(db, { hashes: [hash!], externals: 'without' }, { sort: 'desc', limit: 10, offset: 0 }),
  )
  // In the newest partitions, in the filters, in a partition; then the message.
  expect(found.map(({ opened }) => opened > 0)).toEqual([true, false, true, true])
  expect(found.at(-1)!.opened).toBeLessThanOrEqual(2)
})

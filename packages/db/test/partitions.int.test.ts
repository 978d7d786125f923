import { type ScratchDatabase, scratchDatabase, syntheticChain } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BatchSink, encodeBatch, listIndexedRanges, warnOfFewLocks } from '../src/index.ts'
import { locksWanted, readLockRoom } from '../src/lock-room.ts'
import { Partitions } from '../src/writing/partitions.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await scratch.pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
     where inhparent = $1::regclass order by substring(relname from '[0-9]+$')::bigint`,
    [table],
  )
  return rows.map(({ name }) => name.replace(`${table}_lt_`, ''))
}

const drop = (table: string) =>
  scratch.pool.query(`do $$ declare one regclass; begin
    for one in select inhrelid::regclass from pg_inherits where inhparent = '${table}'::regclass loop
      execute format('drop table %s', one);
    end loop; end $$`)

test('the next partition is made while the present one fills, in both directions', async () => {
  const partitions = new Partitions(scratch.pool, 1_600n)
  const ensured = async (lt: bigint) => {
    await partitions.ensure([{ from: lt, to: lt }])
    return partitionsOf('messages')
  }
  expect(await ensured(4_000n)).toEqual(['3200'])
  expect(await ensured(4_600n)).toEqual(['3200'])
  // A hundred from the end.
  await expect.poll(() => ensured(4_750n)).toEqual(['3200', '4800'])
  await expect.poll(() => ensured(3_250n)).toEqual(['1600', '3200', '4800'])
  expect(await partitionsOf('transactions')).toEqual(['1600', '3200', '4800'])
  await drop('transactions')
  await drop('messages')
})

test('vacuum comes to queues, states and small tables soon, and to new partitions too', async () => {
  await new Partitions(scratch.pool, 1_600n).ensure([{ from: 4_000n, to: 4_000n }])
  const { rows } = await scratch.pool.query<{ name: string; settings: string[] | null }>(
    'select relname as name, reloptions as settings from pg_class ' +
      "where relnamespace = 'public'::regnamespace and relname = any($1)",
    [['refresh_queue', 'latest_account_states', 'indexed_ranges', 'blocks', 'messages_lt_3200']],
  )
  const settings = Object.fromEntries(rows.map((row) => [row.name, row.settings]))
  expect(settings).toEqual({
    refresh_queue: expect.arrayContaining(['autovacuum_vacuum_scale_factor=0.01']),
    latest_account_states: expect.arrayContaining(['autovacuum_vacuum_scale_factor=0.02']),
    indexed_ranges: expect.arrayContaining(['autovacuum_vacuum_threshold=200']),
    blocks: expect.arrayContaining(['autovacuum_vacuum_insert_scale_factor=0.02']),
    messages_lt_3200: ['autovacuum_vacuum_insert_scale_factor=0.02', 'autovacuum_analyze_scale_factor=0.05'],
  })
  await drop('transactions')
  await drop('messages')
})

test('a first partition that cannot be made ahead does not fail the batch', async () => {
  const [first] = syntheticChain({ seed: 3, batches: 1 })
  const encoded = encodeBatch(first!.batch, { globalVersion: first!.globalVersion })
  const { from, to } = encoded.ltRange!
  const width = to - from + 20n
  // Another table has the name of the partition after this one.
  for (let start = from - (from % width) - 3n * width; start <= to + 3n * width; start += width)
    if (start >= 0n && (start > to || start + width <= from))
      await scratch.pool.query(`create table transactions_lt_${start} ()`)
  const sink = new BatchSink(scratch.pool, { partitionWidth: width })
  expect(await sink.commitBatches([encoded])).toEqual({ written: [1], skipped: [] })
  expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 1, to: 1 }])
})

test('too few locks for all partitions are noticed, with the value that is needed', async () => {
  const room = await readLockRoom(scratch.db)
  expect(room.relations).toBeGreaterThanOrEqual(36)
  const warnings: string[] = []
  await warnOfFewLocks(scratch.db, (message) => warnings.push(message))
  expect(warnings).toEqual([])
  const many = { relations: 150 * 18, perTransaction: 64, transactions: 100 }
  expect(locksWanted(many)).toBe(2_048)
  expect(locksWanted({ ...many, perTransaction: 2_048 })).toBeUndefined()
  expect(locksWanted({ ...many, relations: 100 })).toBeUndefined()
})

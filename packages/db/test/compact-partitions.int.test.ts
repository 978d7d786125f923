import { createDb, type DatabaseHandle, migrate } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CompactedPartition } from '../src/compact-partitions.ts'
import {
  BatchSink,
  CHECKED_TABLES,
  compactPartitions,
  type EncodedBatch,
  tableChecksums,
  writeIngestStatus,
} from '../src/index.ts'
import { MIGRATIONS } from '../src/migrations/index.ts'
import { dropPartitions } from '../src/retention/drop-partitions.ts'

const BLOCKS = 60
const PARTITIONS = 5n
const QUERY_CANCELED = '57014'

let scratch: ScratchDatabase
let owner: DatabaseHandle
let batches: readonly EncodedBatch[]
const finished = new Set<string>()
beforeAll(async () => {
  batches = await recordedBatches({ to: BLOCKS })
  const ends = batches.flatMap(({ ltRange }) => (ltRange ? [ltRange] : []))
  scratch = await scratchDatabase()
  owner = createDb({ url: scratch.url, max: 3, statementTimeoutMs: 0 })
  const partitionWidth = (ends.at(-1)!.to - ends[0]!.from) / PARTITIONS
  await new BatchSink(scratch.pool, { partitionWidth }).commitBatches(batches.slice(10))
  await scratch.pool.query('analyze')
})
afterAll(async () => {
  await owner?.close()
  await scratch?.close()
})

/** Names of the partitions that it found. */
async function compact(): Promise<readonly string[]> {
  const done: CompactedPartition[] = []
  expect(await compactPartitions(owner.pool, { onDone: (partition) => done.push(partition) })).toBe(true)
  for (const { name, before, after } of done) {
    expect(after).toBeLessThanOrEqual(before)
    finished.add(name)
  }
  return done.map(({ name }) => name)
}

/** Partitions of both tables, by first lt. */
async function partitions(): Promise<readonly string[]> {
  const { rows } = await scratch.pool.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
     where inhparent in ('transactions'::regclass, 'messages'::regclass)
     order by substring(relname from '\\d+$')::int8, relname`,
  )
  return rows.map(({ name }) => name)
}

const built = async () =>
  (
    await scratch.pool.query<{ name: string; options: string[] | null; valid: boolean; file: bigint }>(
      `select c.relname as name, c.reloptions as options, x.indisvalid as valid, c.relfilenode::int8 as file
       from pg_inherits i join pg_index x on x.indrelid = i.inhrelid join pg_class c on c.oid = x.indexrelid
       where i.inhparent in ('transactions'::regclass, 'messages'::regclass) order by 1`,
    )
  ).rows

test('a partition is finished when nothing in it is still to be indexed; the newest never is', async () => {
  const all = await partitions()
  expect(all.length).toBeGreaterThanOrEqual(6)
  // The first ten blocks may still come.
  const first = await compact()
  expect(first.length).toBeGreaterThanOrEqual(2)
  expect(all.slice(2)).toEqual(expect.arrayContaining([...first]))
  expect(first).not.toContain(all.at(-1))
  // Now they will not.
  await writeIngestStatus(scratch.db, { head: BLOCKS, first: 11 })
  expect(await compact()).toEqual(all.slice(0, 2))
})

test('indexes of finished partitions are full and rebuilt once; the others are as they were', async () => {
  const before = await built()
  expect(await compact()).toEqual([])
  expect(await built()).toEqual(before)
  for (const { name, options, valid } of before) {
    expect([name, valid]).toEqual([name, true])
    const isFinished = finished.has(name.replace(/_pkey$/, ''))
    if (name.endsWith('_pkey'))
      expect([name, options]).toEqual([name, isFinished ? ['fillfactor=100'] : null])
  }
  const { rows } = await scratch.pool.query<{ loose: bigint }>(
    `select count(*) as loose from pg_inherits i join pg_index x on x.indrelid = i.inhrelid
     where i.inhparent in ('transactions'::regclass, 'messages'::regclass)
       and not exists (select from pg_inherits a where a.inhrelid = x.indexrelid)`,
  )
  expect(rows[0]!.loose).toBe(0n)
})

test('blocks that come later are written to compact partitions as to any', async () => {
  await new BatchSink(scratch.pool).commitBatches(batches.slice(0, 10))
  const whole = await scratchDatabase()
  try {
    await new BatchSink(whole.pool).commitBatches(batches)
    const tables = CHECKED_TABLES.filter((table) => table !== 'accounts')
    expect(await tableChecksums(scratch.db, tables)).toEqual(await tableChecksums(whole.db, tables))
  } finally {
    await whole.close()
  }
})

/** Runs it until the rebuilding of the first partition's key waits for a reader with an old snapshot. */
async function heldUp() {
  const [partition, , next] = await partitions()
  const reader = await scratch.pool.connect()
  await reader.query('begin isolation level repeatable read')
  await reader.query(`select from ${partition} limit 1`)
  await scratch.pool.query(`comment on index ${partition}_pkey is null`)
  const found: string[] = []
  const { pool, close } = createDb({ url: scratch.url, max: 1, statementTimeoutMs: 0 })
  let kill = () => {}
  pool.on('connect', (client) => {
    kill = () => (client as unknown as { connection: pg.Connection }).connection.stream.destroy()
  })
  const signal = new AbortController()
  const running = compactPartitions(pool, { onDone: ({ name }) => found.push(name), signal: signal.signal })
    .then((isDone) => (isDone ? found : undefined))
    .catch((error: Error) => error)
    .finally(close)
  const backend = () =>
    scratch.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where query like 'reindex index concurrently%'
         and wait_event_type = 'Lock' and datname = current_database()`,
    )
  await expect.poll(async () => (await backend()).rowCount, { timeout: 60_000 }).toBe(1)
  const { pid } = (await backend()).rows[0]!
  const release = async () => {
    await reader.query('rollback')
    reader.release()
  }
  /** Of the partition. */
  const end = BigInt(/\d+$/.exec(next!)![0])
  return { partition: partition!, end, running, pid, kill, abort: () => signal.abort(), release }
}

const invalid = async () => (await built()).filter(({ valid }) => !valid).map(({ name }) => name)
async function isGone(pid: number): Promise<void> {
  const find = () => scratch.pool.query('select from pg_stat_activity where pid = $1', [pid])
  await expect.poll(async () => (await find()).rowCount, { timeout: 60_000 }).toBe(0)
}

test('one process at a time; what a killed one leaves is removed by the next', async () => {
  const { partition, running, pid, kill, release } = await heldUp()
  expect(await compactPartitions(owner.pool)).toBe(false)
  kill()
  expect(await running).toBeInstanceOf(Error)
  await isGone(pid)
  expect(await invalid()).toEqual([`${partition}_pkey_ccnew`])
  await release()
  expect(await compact()).toEqual([partition])
  expect(await invalid()).toEqual([])
})

test('what fails leaves the index as it was, and nothing beside it', async () => {
  const { partition, running, pid, release } = await heldUp()
  const before = await built()
  await scratch.pool.query('select pg_cancel_backend($1)', [pid])
  await release()
  expect(await running).toMatchObject({ code: QUERY_CANCELED })
  expect(await built()).toEqual(before.filter(({ valid }) => valid))
  expect(await compact()).toEqual([partition])
})

test('a process that is asked to end does so within an index', async () => {
  const { partition, running, abort, release } = await heldUp()
  abort()
  expect(await running).toMatchObject({ code: QUERY_CANCELED })
  await release()
  expect(await compact()).toEqual([partition])
})

test('nobody waits for an index; retention drops its partition afterwards', async () => {
  const { partition, end, running, release } = await heldUp()
  const other = createDb({ url: scratch.url, max: 1 })
  const statements: string[] = []
  other.pool.on('connect', (client) => {
    const { query } = client
    client.query = ((...all: Parameters<typeof query>) => {
      statements.push(all[0])
      return query.apply(client, all)
    }) as typeof query
  })
  await other.pool.query("set lock_timeout = '1ms'")
  await other.pool.query(`update ${partition} set lt = lt`)
  // It never comes to the lock behind which others would wait.
  expect(await dropPartitions(other.pool, end)).toBe(false)
  expect(statements.filter((text) => /lock table/.test(text))).toEqual([])
  await other.close()
  await release()
  await expect.poll(() => dropPartitions(scratch.pool, end), { timeout: 60_000 }).toBe(true)
  expect(await running).toEqual([partition])
  // That of messages is there again, for one that was received later.
  expect(await partitions()).not.toContain(partition.replace('messages', 'transactions'))
})

test('a migration comes between two indexes, and what a killed run left is not in its way', async () => {
  const { partition, end, running, kill, pid, release } = await heldUp()
  const name = '29991231000000_fees'
  const index = { table: 'transactions', name: 'transactions_fees', definition: '(total_fees)' }
  const migrated = migrate(owner.db, { ...MIGRATIONS, [name]: { online: [index] } })
  kill()
  await running
  await isGone(pid)
  await release()
  expect(await migrated).toEqual([name])
  expect(await invalid()).toEqual([expect.stringMatching(`^${partition}_.*_ccnew$`)])
  // Nor in that of retention.
  expect(await dropPartitions(scratch.pool, end)).toBe(true)
  expect(await invalid()).toEqual([])
})

import { createDb, type DatabaseHandle, migrate } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { MIGRATIONS, type Migrations } from '../src/migrations/index.ts'
import { Partitions } from '../src/writing/partitions.ts'

const WIDTH = 1_000n
const NAME = '29991231000000_body_index'
const INDEX = {
  table: 'messages',
  name: 'messages_fwd_fee',
  definition: '(fwd_fee) where fwd_fee is not null',
}
const ONLINE: Migrations = { ...MIGRATIONS, [NAME]: { online: [INDEX] } }
const PLAIN = '29991231000001_plain'
const MORE: Migrations = {
  ...ONLINE,
  [PLAIN]: { up: (db) => db.schema.createTable('made_afterwards').addColumn('id', 'int4').execute() },
}

let scratch: ScratchDatabase
let handles: DatabaseHandle[]
beforeEach(async () => {
  scratch = await scratchDatabase()
  handles = []
  // Not near the end of the third partition, where the fourth would be made in the background.
  await new Partitions(scratch.pool, WIDTH).ensure([{ from: 0n, to: 3n * WIDTH - WIDTH / 2n }])
})
afterEach(async () => {
  for (const handle of handles) await handle.close()
  await scratch.close()
})

function connect(): DatabaseHandle {
  const handle = createDb({ url: scratch.url, max: 2, statementTimeoutMs: 0 })
  handles.push(handle)
  return handle
}

/** Valid and invalid indexes on this table and its partitions, and what is attached. */
async function indexes() {
  const { rows } = await scratch.pool.query<{ table: string; valid: boolean; attached: boolean }>(
    `select t.relname as table, x.indisvalid as valid, c.relispartition as attached
     from pg_index x join pg_class c on c.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where t.relname like 'messages%' and pg_get_indexdef(x.indexrelid) like '%(fwd_fee)%'
     order by t.relname`,
  )
  return rows.map(
    ({ table, valid, attached }) => `${table} ${valid ? 'valid' : 'invalid'}${attached ? ' attached' : ''}`,
  )
}

const applied = async () =>
  (await scratch.pool.query<{ name: string }>('select name from schema_migrations')).rows.map(
    (row) => row.name,
  )

/** Process id of the backend that waits to index the partition that is locked; waits for it. */
async function builder(): Promise<number> {
  const find = () =>
    scratch.pool.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where query like 'create index concurrently%messages_lt_1000%' and wait_event_type = 'Lock'
         and datname = current_database()`,
    )
  await expect.poll(async () => (await find()).rowCount, { timeout: 60_000 }).toBe(1)
  return (await find()).rows[0]!.pid
}

const DONE = [
  'messages valid',
  'messages_lt_0 valid attached',
  'messages_lt_1000 valid attached',
  'messages_lt_2000 valid attached',
]

test('an index killed halfway is finished by the next run; readers and writers do not wait', async () => {
  // An open transaction that has written to the second partition holds the build up there.
  const writer = await scratch.pool.connect()
  await writer.query('begin')
  await writer.query('lock table messages_lt_1000 in row exclusive mode')
  const killed = expect(migrate(connect().db, ONLINE)).rejects.toThrow()
  const pid = await builder()
  const other = connect()
  await other.pool.query("set lock_timeout = '20s'")
  expect((await other.pool.query('select count(*) from messages where fwd_fee = 1')).rowCount).toBe(1)
  await other.pool.query('delete from messages where lt < 3000')
  await scratch.pool.query('select pg_terminate_backend($1)', [pid])
  await killed
  expect(await indexes()).toEqual([
    'messages invalid',
    'messages_lt_0 valid attached',
    'messages_lt_1000 invalid',
  ])
  expect(await applied()).not.toContain(NAME)

  await writer.query('rollback')
  writer.release()
  expect(await migrate(connect().db, ONLINE)).toEqual([NAME])
  expect(await indexes()).toEqual(DONE)
  expect(await applied()).toContain(NAME)
  expect(await migrate(connect().db, ONLINE)).toEqual([])
})

test('a partition that is created while the index is built gets it too', async () => {
  const writer = await scratch.pool.connect()
  await writer.query('begin')
  await writer.query('lock table messages_lt_1000 in row exclusive mode')
  const migrated = migrate(connect().db, ONLINE)
  await builder()
  await new Partitions(scratch.pool, WIDTH).ensure([{ from: 3n * WIDTH, to: 3n * WIDTH }])
  await writer.query('rollback')
  writer.release()
  expect(await migrated).toEqual([NAME])
  expect(await indexes()).toEqual([...DONE, 'messages_lt_3000 valid attached'])
})

test('several processes build one index, and what comes after it runs in a transaction', async () => {
  const ran = await Promise.all([1, 2, 3].map(() => migrate(connect().db, MORE)))
  expect(ran.flat().sort()).toEqual([NAME, PLAIN])
  expect(await indexes()).toEqual(DONE)
  expect(await applied()).toEqual(expect.arrayContaining([NAME, PLAIN]))
})

test('a table without partitions is indexed as well', async () => {
  const index = { table: 'blocks', name: 'blocks_tx_count', definition: '(tx_count)' }
  expect(await migrate(connect().db, { ...MIGRATIONS, [NAME]: { online: [index] } })).toEqual([NAME])
  const { rows } = await scratch.pool.query(
    "select indisvalid from pg_index where indexrelid = 'blocks_tx_count'::regclass",
  )
  expect(rows).toEqual([{ indisvalid: true }])
})

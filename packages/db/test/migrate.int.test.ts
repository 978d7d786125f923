import { checkSchema, createDb, endWhenMigrated, migrate, SchemaTooNew, SchemaTooOld } from '@shardwalk/db'
import { createShutdown, silentLogger } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MIGRATIONS } from '../src/migrations/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
})
afterAll(() => scratch.close())

test('several processes migrate at once: each migration runs once, and all end with the schema', async () => {
  await expect(checkSchema(scratch.db)).rejects.toThrow(SchemaTooOld)
  const handles = [1, 2, 3].map(() => createDb({ url: scratch.url, max: 2 }))
  const ran = await Promise.all(handles.map(({ db }) => migrate(db)))
  await Promise.all(handles.map((handle) => handle.close()))
  // One may run those before an online migration, and another those after it.
  expect(ran.flat().sort()).toEqual(Object.keys(MIGRATIONS).sort())
  await checkSchema(scratch.db)
  expect(await migrate(scratch.db)).toEqual([])
})

test('a newer schema is refused with the name of its migration', async () => {
  await scratch.pool.query(
    "insert into schema_migrations (name, timestamp) values ('29991231000000_future', 'now')",
  )
  await expect(migrate(scratch.db)).rejects.toThrow(SchemaTooNew)
  await expect(checkSchema(scratch.db)).rejects.toThrow(/29991231000000_future/)
  await scratch.pool.query("delete from schema_migrations where name = '29991231000000_future'")
})

test('a process ends, to be started again, when an earlier version of its tables is restored', async () => {
  const restored = await scratchDatabase()
  let exit = (_code: number) => {}
  const exited = new Promise<number>((resolve) => {
    exit = resolve
  })
  const shutdown = createShutdown({ exit })
  const ending = endWhenMigrated({ db: restored.db, log: silentLogger, shutdown, everyMs: 10 })
  // While tables are restored there may be none for a while.
  await restored.pool.query('alter table schema_migrations rename to unfinished')
  const looked = `select count(*)::int as n from pg_stat_activity
    where query ~ 'to_regclass' and query_start > $1 and pid <> pg_backend_pid()`
  const { rows: now } = await restored.pool.query('select clock_timestamp() as t')
  await expect.poll(async () => (await restored.pool.query(looked, [now[0].t])).rows[0].n).toBeGreaterThan(0)
  await restored.pool.query('alter table unfinished rename to schema_migrations')
  expect(shutdown.signal.aborted).toBe(false)
  await restored.pool.query("delete from schema_migrations where name like '20261130%'")
  expect(await exited).toBe(75)
  await ending
  await restored.close()
})

test('int8 is bigint on our pool, also in arrays, and unchanged for other users of pg', async () => {
  const { rows } = await scratch.pool.query(
    "select 9007199254740993 as one, '{1,null,-9223372036854775808}'::int8[] as many",
  )
  expect(rows).toEqual([{ one: 9007199254740993n, many: [1n, null, -9223372036854775808n] }])
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: scratch.url })
  await client.connect()
  expect((await client.query('select 9007199254740993 as one')).rows).toEqual([{ one: '9007199254740993' }])
  await client.end()
})

test('a statement that takes too long is cancelled', async () => {
  const handle = createDb({ url: scratch.url, max: 1, statementTimeoutMs: 50 })
  await expect(handle.pool.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' })
  await handle.close()
})

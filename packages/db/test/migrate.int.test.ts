import { checkSchema, createDb, endWhenMigrated, migrate, SchemaTooNew, SchemaTooOld } from '@shardwalk/db'
import { createShutdown, silentLogger } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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
  onTestFinished(() => restored.close())
  let exit = (_code: number) => {}
  const exited = new Promise<number>((resolve) => {
    exit = resolve
  })
  const shutdown = createShutdown({ exit })
  const watching = { db: restored.db, log: silentLogger, everyMs: 10 }
  const ending = endWhenMigrated({ ...watching, shutdown })
  // While tables are restored there may be none for a while.
  await restored.pool.query('alter table schema_migrations rename to unfinished')
  await untilLooked(restored)
  await restored.pool.query('alter table unfinished rename to schema_migrations')
  expect(shutdown.signal.aborted).toBe(false)
  await restored.pool.query("delete from schema_migrations where name like '20261130%'")
  expect(await exited).toBe(75)
  await ending
  // A standby that has not caught up looks the same.
  const reading = createShutdown({ exit: () => {} })
  const waiting = endWhenMigrated({ ...watching, shutdown: reading, mayBeBehind: true })
  await untilLooked(restored)
  expect(reading.signal.aborted).toBe(false)
  await reading.run()
  await waiting
})

/** Until the migrations were read twice, so that what was read the first time has had its effect. */
async function untilLooked({ pool }: ScratchDatabase): Promise<void> {
  const looked = `select count(*)::int as n from pg_stat_activity
    where query ~ 'schema_migrations|to_regclass' and query_start > $1 and pid <> pg_backend_pid()`
  for (let times = 0; times < 2; times++) {
    const { rows } = await pool.query('select clock_timestamp() as now')
    await expect.poll(async () => (await pool.query(looked, [rows[0].now])).rows[0].n).toBeGreaterThan(0)
  }
}

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

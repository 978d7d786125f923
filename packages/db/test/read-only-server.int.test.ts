import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
  await scratch.pool.query('create table written (seqno int)')
})
afterAll(() => scratch?.close())

/** As on a standby, sessions that begin meanwhile refuse to write for as long as they last. */
async function whileStandby<T>(work: () => Promise<T>): Promise<T> {
  const name = new URL(scratch.url).pathname.slice(1)
  await scratch.pool.query(`alter database "${name}" set default_transaction_read_only = on`)
  try {
    return await work()
  } finally {
    await scratch.pool.query(`alter database "${name}" reset default_transaction_read_only`)
  }
}

/** As most of the code does; `pool.query` gives up a connection after any error. */
async function write({ pool }: DatabaseHandle): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('insert into written values (1)')
  } finally {
    client.release()
  }
}
const pidOf = async ({ pool }: DatabaseHandle) =>
  (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid

test('a connection whose server refused to write is not used again', async () => {
  const database = createDb({ url: scratch.url, max: 1 })
  try {
    const pid = await whileStandby(async () => {
      const before = await pidOf(database)
      // Who only reads keeps the connection.
      expect(await pidOf(database)).toBe(before)
      await expect(write(database)).rejects.toMatchObject({ code: '25006' })
      return before
    })
    await write(database)
    expect(await pidOf(database)).not.toBe(pid)
  } finally {
    await database.close()
  }
})

test('the same in a transaction, whose error is that of the server', async () => {
  const database = createDb({ url: scratch.url, max: 1 })
  const inTransaction = () =>
    database.db.transaction().execute((trx) => sql`insert into written values (2)`.execute(trx))
  try {
    await whileStandby(() => expect(inTransaction()).rejects.toMatchObject({ code: '25006' }))
    await inTransaction()
  } finally {
    await database.close()
  }
})

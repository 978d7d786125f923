import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { createMetrics, type MetricsRegistry } from '@shardwalk/observability'
import { TABLES } from '@shardwalk/tables'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { survivors } from '@shardwalk/testkit/collect-garbage'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyInto } from '../src/writing/copy.ts'

let scratch: ScratchDatabase
let handle: DatabaseHandle
let metrics: MetricsRegistry

beforeAll(async () => {
  scratch = await scratchDatabase()
  metrics = createMetrics()
  handle = createDb({ url: scratch.url, max: 2, metrics })
})
afterAll(async () => {
  await handle?.close()
  await scratch?.close()
})

const countOf = async (query: string): Promise<number> => {
  const line = `shardwalk_db_query_duration_seconds_count{query="${query}"} `
  const found = (await metrics.text()).split('\n').find((one) => one.startsWith(line))
  return Number(found?.slice(line.length) ?? 0)
}

test('every way to run a statement is timed once, failures included, with unchanged results', async () => {
  const { pool, db } = handle
  expect((await pool.query('select 7::int8 as n')).rows).toEqual([{ n: 7n }])
  expect(await countOf('select')).toBe(1)
  expect((await sql<{ n: bigint }>`select count(*) as n from codes`.execute(db)).rows).toEqual([{ n: 0n }])
  await pool.query({
    name: 'kept',
    text: 'select boc from codes where code_hash = $1',
    values: [Buffer.alloc(32)],
  })
  expect(await countOf('select codes')).toBe(2)
  await expect(pool.query('select nothing from blocks')).rejects.toThrow('column "nothing" does not exist')
  expect(await countOf('select blocks')).toBe(1)
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('codes').execute()
  })
  expect([await countOf('begin'), await countOf('delete codes'), await countOf('commit')]).toEqual([1, 1, 1])
  const rows = { rows: 1, bytes: row([Buffer.from([1]), Buffer.from([2])]) }
  const client = await pool.connect()
  await copyInto(client, TABLES.codes, [rows])
  client.release()
  expect(await countOf('copy')).toBe(1)
  expect((await pool.query('select boc from codes')).rows).toEqual([{ boc: Buffer.from([2]) }])
})

/** A row in binary COPY format. */
function row(values: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(2)
  head.writeInt16BE(values.length)
  const parts = values.flatMap((value) => {
    const length = Buffer.alloc(4)
    length.writeInt32BE(value.length)
    return [length, value]
  })
  return new Uint8Array(Buffer.concat([head, ...parts]))
}

test('nothing of a result that was dropped becomes old', async () => {
  const { pool, db } = handle
  const text = "select repeat('x', 100) as t from generate_series(1, 10)"
  const ways: Readonly<Record<string, () => Promise<{ readonly rows: readonly unknown[] }>>> = {
    pool: () => pool.query(text),
    builder: () => sql.raw<object>(text).execute(db),
    client: async () => {
      const client = await pool.connect()
      const result = await client.query(text).finally(() => client.release())
      return result
    },
  }
  for (const [name, query] of Object.entries(ways)) {
    const old = await survivors(20, async (mark) => {
      const { rows } = await query()
      mark(rows[0] as object)
    })
    expect(old, name).toBeLessThan(3)
  }
})

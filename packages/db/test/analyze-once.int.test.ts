import { type Logger, silentLogger } from '@shardwalk/observability'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AnalyzeOnce } from '../src/index.ts'
import { statementsOf } from './statements-of.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await sampleChainDatabase()
})
afterAll(() => scratch?.close())

/** What a process analyses that has indexed so many blocks. */
async function analysedAfter(masterchainBlocks: number, log = silentLogger): Promise<readonly string[]> {
  const { pool } = scratch
  const analyze = new AnalyzeOnce({ pool, log })
  const asked = await statementsOf(pool, () => analyze.caughtUp({ masterchainBlocks }))
  return asked.flatMap(({ text }) => /^analyze (?:only )?(.*)/.exec(text)?.[1] ?? [])
}

test('a process that has caught up analyses what nobody has, and partitioned tables', async () => {
  const { pool } = scratch
  expect(await analysedAfter(31)).toEqual([])
  expect(await analysedAfter(32)).toEqual(['messages', 'transactions'])
  await pool.query("select create_lt_partition('messages', 10000000000000, 15000000000000)")
  await pool.query('create table never_analysed (id int)')
  expect(await analysedAfter(32)).toEqual([
    'messages_lt_10000000000000',
    'never_analysed',
    'messages',
    'transactions',
  ])
  const { rows } = await pool.query(
    `select count(*)::int as count from pg_stats where tablename = 'transactions' and inherited`,
  )
  expect(rows[0].count).toBeGreaterThan(20)
})

test('a table of which more than a tenth has changed is analysed again', async () => {
  const client = await scratch.pool.connect()
  try {
    await client.query('update blocks set version = version')
    await client.query('select pg_stat_force_next_flush()')
  } finally {
    client.release()
  }
  expect(await analysedAfter(32)).toContain('blocks')
})

test('if a table cannot be analysed, others are, also partitioned ones, which come last', async () => {
  const { pool } = scratch
  await pool.query(`
    create table broken (id int);
    insert into broken values (1);
    create function of_broken(id int) returns int immutable language plpgsql as 'begin return id; end';
    create index on broken (of_broken(id));
    create or replace function of_broken(id int) returns int immutable language plpgsql
      as 'begin raise exception ''it is broken''; end'`)
  await pool.query('select pg_stat_reset()')
  const warnings: unknown[] = []
  const log: Logger = { ...silentLogger, warn: (...warning) => warnings.push(warning) }
  expect(await analysedAfter(32, log)).toEqual(['broken', 'messages', 'transactions'])
  const error = expect.objectContaining({ message: 'it is broken' })
  expect(warnings).toEqual([['a table could not be analysed', { table: 'broken', error }]])
})

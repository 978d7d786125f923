import { believeLarge, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deriveTokenEvents } from '../src/index.ts'
import { planOf, wholeTablesIn } from './plans-of.ts'
import { type Asked, statementsOf } from './statements-of.ts'

// Plans that PostgreSQL would choose at four billion transactions.

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await sampleChainDatabase()
})
afterAll(() => scratch?.close())

/** On the tables as they are; their plans are those for large ones. */
const work: Readonly<Record<string, () => Promise<unknown>>> = {
  'token events of several batches': async () => {
    const { db, pool } = scratch
    await pool.query('truncate event_queue; insert into event_queue select generate_series(100, 400, 20)')
    await deriveTokenEvents({ db, pool }, { limit: 16 })
  },
}

const STATEMENT = /^\s*(\/\*.*?\*\/\s*)?(with|select|insert|update|delete)\b/i

test('no statement reads a whole table of the chain', async ({ skip }) => {
  const { pool } = scratch
  const asked = new Map<string, Asked & { readonly name: string }>()
  for (const [name, run] of Object.entries(work))
    for (const statement of await statementsOf(pool, run))
      if (STATEMENT.test(statement.text)) asked.set(statement.text, { ...statement, name })
  if (!(await believeLarge(pool))) skip('PostgreSQL 18 with its files on this machine is needed')
  const wrong: unknown[] = []
  for (const { name, text, values } of asked.values()) {
    const tables = wholeTablesIn(await planOf(pool, { text, values }))
    if (tables.length > 0) wrong.push({ name, text, tables: [...new Set(tables)] })
  }
  expect(wrong).toEqual([])
  expect(asked.size).toBeGreaterThan(5)
})

import type { AccountId, Lt } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadTrees, setAsideContracts } from '../src/index.ts'

const ID = 7n as AccountId
let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
  await scratch.pool.query('insert into indexed_ranges values (1, 100)')
  await scratch.pool.query(
    `insert into accounts (id, workchain, address, activity)
     values ($1, 0, decode(repeat('07', 32), 'hex'), '')`,
    [ID],
  )
})
afterAll(() => scratch.close())
beforeEach(() => scratch.pool.query('truncate state_parts, missing_states, refresh_queue'))

/** The masterchain block has the number of the lt. */
const store = (lt: number, cells: string) =>
  scratch.pool.query(
    'insert into state_parts (account_id, lt, mc_seqno, boc) values ($1, $2::int8, ($2::int8)::int, $3)',
    [ID, lt, Buffer.from(cells)],
  )

const partsRead = async () => (await loadTrees(scratch.db, ID)).map(({ lt, digest }) => ({ lt, digest }))

const setAside = (cells: string, of: Awaited<ReturnType<typeof partsRead>>) =>
  setAsideContracts(scratch.pool, [
    {
      accountId: ID,
      queuedLt: 20n as Lt,
      requeues: 0,
      attempts: 1,
      what: 'state',
      part: { boc: Buffer.from(cells), of },
    },
  ])

async function stored(): Promise<string[]> {
  const { rows } = await scratch.pool.query<{ text: string }>(
    `select lt || ' ' || convert_from(boc, 'utf8') as text from state_parts order by lt`,
  )
  return rows.map(({ text }) => text)
}

test('parts of a state become one', async () => {
  await store(10, 'a')
  await store(20, 'b')
  await setAside('a+b', await partsRead())
  expect(await stored()).toEqual(['20 a+b'])
})

test('parts that come while others are merged keep their cells, newer and older ones', async () => {
  await store(20, 'b')
  const read = await partsRead()
  await store(10, 'a')
  await store(30, 'c')
  await setAside('b+', read)
  expect(await stored()).toEqual(['10 a', '20 b+', '30 c'])
})

test('a part that another process made of more parts keeps their cells', async () => {
  await store(20, 'b')
  const read = await partsRead()
  await store(10, 'a')
  await setAside('a+b', await partsRead())
  await setAside('b+', read)
  expect(await stored()).toEqual(['20 a+b'])
})

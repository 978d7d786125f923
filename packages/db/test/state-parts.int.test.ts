import type { AccountId, AccountStateAfter, Batch, Lt } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase, syntheticChain } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { BatchSink, encodeBatch, loadTrees, setAsideContracts } from '../src/index.ts'

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
beforeEach(() => scratch.pool.query('truncate state_parts, contract_data, missing_states, refresh_queue'))

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

/** The first block after those that are indexed, with other states; `isFalse`: of a dishonest server. */
function blockWith(state: (lt: bigint) => Partial<AccountStateAfter>, { isFalse = false } = {}) {
  const [first] = syntheticChain({ seed: 9, batches: 1, firstSeqno: 101 })
  const { batch, globalVersion } = first!
  const withStates = (block: Batch['masterchain']) => ({
    ...block,
    transactions: block.transactions.map((tx) => ({
      ...tx,
      hash: isFalse ? Buffer.from(tx.hash.map((byte) => byte ^ 1)) : tx.hash,
      ...(tx.stateAfter && {
        stateAfter: { ...tx.stateAfter, data: undefined, ...state(tx.lt) } as AccountStateAfter,
      }),
    })),
  })
  const shown = { masterchain: { ...batch.masterchain, ...withStates(batch.masterchain) } }
  return encodeBatch({ ...shown, shards: batch.shards.map(withStates) } as Batch, { globalVersion })
}

const parts = (text: string) => (lt: bigint) => ({ parts: Buffer.from(`${text} of ${lt}`) })
const hasData = () => ({ data: Buffer.from('data'), dataHash: Buffer.alloc(32, 7) })

test.each([
  ['carried its data', hasData, 'select'],
  ['showed other parts', parts('false'), 'select'],
  [
    'was examined',
    parts('false'),
    `insert into contract_data (account_id, lt, data_hash, boc)
     select account_id, lt, decode(repeat('07', 32), 'hex'), 'false' from latest_account_states`,
  ],
  ['has become one with older parts', parts('false'), `update state_parts set boc = 'older and ' || boc`],
])(
  'after the repair of a false state that %s, the parts of the true one are stored',
  async (_, state, change) => {
    const sink = new BatchSink(scratch.pool)
    const range = { from: 101, to: 101 }
    const truth = blockWith(parts('true'))
    await sink.repairRange(range, [truth])
    const before = await stored()
    expect(before.length).toBeGreaterThan(3)
    await sink.repairRange(range, [blockWith(state, { isFalse: true })])
    await scratch.pool.query(change)
    const older = (await stored()).filter((part) => part.includes('older'))
    await sink.repairRange(range, [truth])
    const after = await stored()
    expect(after).toEqual(expect.arrayContaining(before))
    const text = (part: string) => part.slice(part.indexOf(' '))
    expect(after.map(text)).toEqual(expect.arrayContaining(older.map(text)))
  },
)

import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Statement } from '../src/idiom/index.ts'
import { listTransactions, type PageRequest, type TransactionFilter } from '../src/index.ts'

let scratch: ScratchDatabase
let lists: Readonly<Record<'shard' | 'accounts', TransactionFilter>>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  const ask = async (text: string) => (await scratch.pool.query(text)).rows
  const [{ workchain, shard }] = await ask(
    `select workchain, shard from blocks where workchain = 0 group by 1, 2
     order by sum(tx_count) desc limit 1`,
  )
  const busiest = await ask(
    'select account_id as id from transactions group by 1 order by count(*) desc limit 3',
  )
  lists = { shard: { workchain, shard }, accounts: { accounts: busiest.map(({ id }) => id) } }
})
afterAll(() => scratch?.close())

const SKIPPED = 600

describe.each(['shard', 'accounts'] as const)('%s', (name) => {
  test.each([
    { sort: 'asc', time: undefined },
    { sort: 'desc', time: undefined },
    { sort: 'asc', time: { from: 1 } },
    { sort: 'desc', time: { from: 1 } },
  ] as const)('a page far behind the first takes no more statements, %j', async ({ sort, time }) => {
    const list = (page: PageRequest) =>
      listTransactions(scratch.db, { ...lists[name], time }, { sort, ...page })
    const { next } = await list({ limit: 1, offset: SKIPPED - 1 })
    const run = vi.spyOn(Statement.prototype, 'rows')
    const { rows } = await list({ limit: 5, offset: 0, cursor: next })
    const statements = run.mock.calls.length
    run.mockRestore()
    expect(rows).toEqual((await list({ limit: 5, offset: SKIPPED })).rows)
    expect(statements).toBeLessThan(8)
  })
})

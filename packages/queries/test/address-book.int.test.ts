import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccountCache, loadListing } from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'
import { insertRows } from './model/insert-rows.ts'

/** More than on a page of usual length. */
const ACCOUNTS = 400

let scratch: ScratchDatabase
let ids: readonly bigint[]
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  const { rows } = await scratch.pool.query<{ id: bigint }>(
    'select id from accounts order by md5(id::text) limit $1',
    [ACCOUNTS],
  )
  ids = rows.map(({ id }) => id)
  await insertRows(
    scratch.pool,
    'jetton_wallets',
    ids.map((account_id) => ({ account_id, owner_id: account_id, jetton_id: ids[0], balance: '1' })),
  )
  await insertRows(
    scratch.pool,
    'nft_items',
    ids.map((account_id, item_index) => ({ account_id, item_index: String(item_index) })),
  )
  await scratch.pool.query('vacuum analyze accounts, latest_account_states, jetton_wallets, nft_items')
})
afterAll(() => scratch?.close())

const pagesDuring = async (work: () => Promise<unknown>) =>
  (await partitionsDuring(scratch, work)).reduce((sum, { pages }) => sum + pages, 0)

test('the accounts of a long page are read together, not by a look-up for each', async () => {
  expect(ids).toHaveLength(ACCOUNTS)
  const book = await pagesDuring(() => new AccountCache().load(scratch.db, ids, { states: true }))
  // A look-up in each of two tables would read at least two pages of each.
  expect(book).toBeLessThan(ACCOUNTS)
  const listing = { listed: ids, printed: [], metadata: true }
  const pages = await pagesDuring(() => loadListing(scratch.db, listing))
  expect(pages).toBeLessThan(2 * ACCOUNTS)
  const { accounts, wallets, tokens } = await loadListing(scratch.db, listing)
  expect([accounts, wallets, tokens].map((rows) => rows.length)).toEqual([ACCOUNTS, ACCOUNTS, ACCOUNTS])
})

test('an account has a row without a state or a domain, and an id without an account has none', async () => {
  const [stateless, unknown] = [-1_000_000_007n, -1_000_000_009n]
  await insertRows(scratch.pool, 'accounts', [
    { id: stateless, workchain: -1, address: Buffer.alloc(32, 7), activity: Buffer.alloc(0) },
  ])
  await insertRows(scratch.pool, 'latest_account_states', [{ account_id: unknown }])
  const { accounts } = await loadListing(scratch.db, {
    listed: [stateless, unknown],
    printed: [stateless],
    metadata: false,
  })
  const { id, code_hash, methods, domain } = accounts[0]!
  expect(accounts).toHaveLength(1)
  expect({ id, code_hash, methods, domain }).toEqual({
    id: stateless,
    code_hash: null,
    methods: null,
    domain: null,
  })
})

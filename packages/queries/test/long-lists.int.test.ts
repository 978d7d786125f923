import type { Database } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findAccountStates,
  type JettonWalletFilter,
  type JettonWalletPage,
  listJettonWallets,
  listNftItems,
  listTopAccounts,
  type NftItemFilter,
  type NftItemPage,
} from '../src/index.ts'
import { TouchedPages, vacuum } from './touched-pages.ts'

// A jetton has millions of wallets, a collection or an owner hundreds of thousands of items: a page of the
// list must not read or sort all of it.

const { watched, of: touched } = new TouchedPages()

const ROWS = 20_000
/** Has nine of ten rows. */
const BUSY = 1n as AccountId
/** Has one of twenty, with the least balances. */
const LOW = 2n as AccountId

let scratch: ScratchDatabase
let db: Kysely<Database>

beforeAll(async () => {
  scratch = await scratchDatabase()
  const { pool } = scratch
  db = watched(pool)
  const owner = `case when i % 20 = 0 then ${LOW} when i % 20 = 1 then 1000 + i % 1000 else ${BUSY} end`
  // In no order, each once.
  const number = (of: string) => `(i::numeric * ${of} % 1000003)`
  await pool.query(
    `insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance)
     select ${number('7919')}, i, ${owner}, ${owner},
       ${number('104729')} + case when i % 20 = 0 then 0 else 2000000 end
     from generate_series(1, ${ROWS}) i`,
  )
  // A third is of no collection.
  await pool.query(
    `insert into nft_items (account_id, lt, init, item_index, collection_id, owner_id, real_owner_id)
     select ${number('7919')}, i, true, ${number('104729')}, case when i % 3 > 0 then ${owner} end, ${owner},
       ${owner}
     from generate_series(1, ${ROWS}) i`,
  )
  await pool.query('vacuum analyze jetton_wallets, nft_items')
})
afterAll(() => scratch?.close())

const pagesOf = (work: () => Promise<unknown>) => touched(work, '', scratch.pool)

const PAGE = { limit: 10, offset: 0 }

const wallets = (filter: JettonWalletFilter, page: Partial<JettonWalletPage>) => (cursor?: string) =>
  listJettonWallets(db, filter, { ...PAGE, ...page, cursor })
const items = (filter: NftItemFilter, page: Partial<NftItemPage>) => (cursor?: string) =>
  listNftItems(db, filter, { ...PAGE, ...page, cursor })

test.each([
  ['wallets of a jetton', wallets({ jettonIds: [BUSY] }, {})],
  ['wallets of a jetton, as inserted', wallets({ jettonIds: [BUSY] }, { rowOrder: 'insertion' })],
  ['holders of a jetton, largest first', wallets({ jettonIds: [BUSY], isHolding: true }, { sort: 'desc' })],
  ['wallets of a jetton with low balances, largest first', wallets({ jettonIds: [LOW] }, { sort: 'desc' })],
  ['wallets of a jetton, smallest first', wallets({ jettonIds: [BUSY] }, { sort: 'asc' })],
  ['wallets of an owner', wallets({ ownerIds: [BUSY] }, {})],
  ['wallets of an owner, largest first', wallets({ ownerIds: [LOW] }, { sort: 'desc' })],
  ['items of a collection', items({ collectionIds: [BUSY] }, {})],
  ['items of a collection, newest first', items({ collectionIds: [BUSY] }, { byLt: true })],
  ['items of an owner', items({ ownerIds: [BUSY] }, {})],
  ['items of an owner, those on sale included', items({ ownerIds: [BUSY], includesOnSale: true }, {})],
  ['items of an owner in a collection', items({ ownerIds: [BUSY], collectionIds: [BUSY] }, {})],
])('the first pages of a long list read no more than they show: %s', async (_, read) => {
  const { rows, next } = await read()
  expect(rows).toHaveLength(PAGE.limit)
  expect(await pagesOf(() => read())).toBeLessThan(150)
  expect(await pagesOf(() => read(next))).toBeLessThan(150)
})

test('items of an owner that are in no collection are the last ones, and pages join up', async () => {
  const read = items({ ownerIds: [LOW] }, { limit: 300 })
  const all = []
  for (let page = await read(); ; page = await read(page.next)) {
    all.push(...page.rows)
    if (page.next === undefined) break
  }
  expect(new Set(all.map((row) => row.account_id)).size).toBe(ROWS / 20)
  const keys = all.map((row) => [row.collection_id ?? 1n << 62n, BigInt(row.item_index)] as const)
  const sorted = keys.toSorted(([a, x], [b, y]) => (a !== b ? (a < b ? -1 : 1) : x < y ? -1 : 1))
  expect(keys).toEqual(sorted)
  expect(all.at(-1)?.collection_id).toBeNull()
})

test('accounts with a code, whichever it is, are read in their order', async () => {
  const codes = [0, 1, 2].map((n) => Buffer.alloc(32, n))
  // One has nine of ten, one a twentieth, one four.
  await scratch.pool.query(
    `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
       last_trans_hash, code_hash)
     select i::numeric * 7919 % 1000003, i, i, 0, 0, 2, '', '', ($1::bytea[])[
       case when i % 5000 = 1 then 3 when i % 20 = 0 then 2 else 1 end]
     from generate_series(1, ${ROWS}) i`,
    [codes],
  )
  await vacuum('latest_account_states', scratch.pool)
  for (const codeHashes of [...codes.map((code) => [code]), codes]) {
    const read = () => findAccountStates(db, { codeHashes, bocs: false, limit: 10 })
    const { rows } = await scratch.pool.query(
      `select account_id from latest_account_states where code_hash = any ($1) order by 1 limit 10`,
      [codeHashes],
    )
    expect((await read()).map(({ account_id }) => account_id)).toEqual(rows.map((row) => row.account_id))
    expect(await pagesOf(read)).toBeLessThan(60)
  }
})

test('accounts by balance that a page skips are counted in the index', async () => {
  const own = await scratchDatabase()
  const { pool } = own
  try {
    const balance = '(i::int8 * 104729 % 1000003 / 7)'
    await pool.query(
      `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
         last_trans_hash)
       select i::int8 * 7919 % 1000003, i, ${balance}, 0, 0, 2, '', '' from generate_series(1, ${ROWS}) i`,
    )
    await vacuum('latest_account_states', pool)
    const { rows: all } = await pool.query<{ account_id: bigint; balance: bigint }>(
      'select account_id, balance from latest_account_states order by balance desc, account_id',
    )
    for (const offset of [1, 500, ROWS - 700, ROWS - 3, ROWS, ROWS + 5]) {
      const read = () => listTopAccounts(watched(pool), { ...PAGE, offset })
      expect((await read()).rows).toEqual(all.slice(offset, offset + PAGE.limit))
      expect(await touched(read, '', pool)).toBeLessThan(3500)
    }
  } finally {
    await own.close()
  }
})

import type { EncodedBatch } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import {
  commitGroups,
  examinedChain,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Statement } from '../src/idiom/index.ts'
import {
  findBlockOfTime,
  findJettonOrigin,
  findPastBlock,
  type HolderRow,
  listBalanceChanges,
  listHoldersByBalance,
  listHoldersByWallet,
  listPeriodBalances,
  type PastBlock,
  readJettonsAt,
  readTonAt,
  totalHolders,
} from '../src/index.ts'

/** Blocks at which the recorded chain is stopped and its contracts are asked by their get-methods. */
const STOPS = isLong ? [120, 260, 402] : [60, 120]
const LAST = 529
const ALL = { limit: 1000, offset: 0 }

/** The whole chain: what is asked about the past. */
let whole: ScratchDatabase
/** The chain up to a stop, where the past is the present. */
let partial: ScratchDatabase
let batches: EncodedBatch[]
let network: RecordedNetwork
beforeAll(async () => {
  whole = await examinedChain()
  partial = await scratchDatabase()
  batches = await recordedBatches({ to: STOPS.at(-1)! })
  network = await RecordedNetwork.open()
})
afterAll(async () => {
  await network?.close()
  await whole?.close()
  await partial?.close()
})

const pastBlock = async (seqno: number): Promise<PastBlock> => (await findPastBlock(whole.db, seqno))!
const rowsOf = async <T>(database: ScratchDatabase, text: string, values: unknown[] = []): Promise<T[]> =>
  (await database.pool.query(text, values)).rows as T[]

interface Wallet {
  readonly account_id: bigint
  readonly owner_id: bigint
  readonly jetton_id: bigint
  readonly balance: string
}
const byAccount = <T extends { readonly account_id: bigint }>(rows: readonly T[]): T[] =>
  [...rows].sort((a, b) => (a.account_id < b.account_id ? -1 : 1))

test('the balance in the data of a wallet is what its get-method says', async () => {
  const rows = await rowsOf<{ shown: string; balance: string }>(
    whole,
    `select t.jetton_balance::text as shown, w.balance::text as balance
     from jetton_wallets w join transactions t on t.account_id = w.account_id and t.lt = w.lt
     where t.jetton_balance is not null`,
  )
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter(({ shown, balance }) => shown !== balance)).toEqual([])
})

test('balances of TON and of jettons in the past are those of an index that ends there', async () => {
  let [compared, begun] = [0, 0]
  for (const stop of STOPS) {
    await commitGroups(partial, [batches.slice(begun, stop)])
    begun = stop
    await refreshAll(network.refresher(partial, { states: undefined }))
    const at = await pastBlock(stop)

    const states = await rowsOf<{ account_id: bigint; balance: bigint }>(
      partial,
      'select account_id, balance from latest_account_states where mc_seqno > 0',
    )
    const ids = states.map(({ account_id }) => account_id)
    const found = await readTonAt(whole.db, ids, at)
    expect(found.map(({ account_id, balance }) => [account_id, balance])).toEqual(
      byAccount(states).map(({ account_id, balance }) => [account_id, String(balance)]),
    )
    compared += states.length

    const wallets = await rowsOf<Wallet>(
      partial,
      'select account_id, owner_id, jetton_id, balance from jetton_wallets where balance > 0 and lt > 0',
    )
    const jettons = new Set(wallets.map(({ jetton_id }) => jetton_id))
    for (const jettonId of jettons) {
      const filter = { jettonId, at, minBalance: 1n }
      const expected = byAccount(wallets.filter(({ jetton_id }) => jetton_id === jettonId)).map(
        ({ account_id, owner_id, balance }): HolderRow => ({ account_id, owner_id, balance }),
      )
      const found = await listHoldersByWallet(whole.db, filter, ALL)
      expect(found.rows).toEqual(expected)
      expect(byAccount((await listHoldersByBalance(whole.db, filter, ALL)).rows)).toEqual(expected)
      expect(await totalHolders(whole.db, filter)).toEqual({
        holders: BigInt(expected.length),
        balance: String(expected.reduce((sum, { balance }) => sum + BigInt(balance), 0n)),
        unknown: 0n,
      })
      compared += expected.length
    }
  }
  expect(compared).toBeGreaterThan(100)
})

test('what all holders have is the supply, and nobody is missing', async () => {
  const at = await pastBlock(LAST)
  const masters = await rowsOf<{ account_id: bigint; total_supply: string }>(
    whole,
    `select account_id, total_supply from jetton_masters m where airdrop_root is null
       and exists (select from jetton_wallets w where w.jetton_id = m.account_id)`,
  )
  let standard = 0
  for (const { account_id: jettonId, total_supply } of masters) {
    const origin = await findJettonOrigin(whole.db, jettonId, at)
    expect(origin).toEqual({ began: true, waiting: false, total_supply })
    const { balance } = await totalHolders(whole.db, { jettonId, at, minBalance: 1n })
    if (balance === total_supply) standard++
  }
  // Some of the sample's masters report what they like.
  expect(standard).toBeGreaterThan(masters.length / 2)
})

describe('a history', () => {
  const holderOf = async (asset: 'ton' | 'jettons') => {
    const [row] = await rowsOf<{ account_id: bigint }>(
      whole,
      `select t.account_id from transactions t ${
        asset === 'ton' ? '' : 'join jetton_wallets w on w.account_id = t.account_id'
      } where t.balance_after is not null group by 1 having count(*) between 6 and 60
       order by count(*) desc, 1 limit 1`,
    )
    return { accountId: row!.account_id, asset } as const
  }

  test.each(['ton', 'jettons'] as const)(
    'of %s: pages by cursor in both directions are the whole',
    async (asset) => {
      const holder = await holderOf(asset)
      for (const sort of ['asc', 'desc'] as const) {
        const request = { sort, offset: 0, time: {} }
        const { rows } = await listBalanceChanges(whole.db, holder, { ...request, limit: 1000 })
        expect(rows.length).toBeGreaterThan(5)
        expect(rows.every(({ balance }) => balance !== null)).toBe(true)
        const paged = []
        let cursor: string | undefined
        do {
          const page = await listBalanceChanges(whole.db, holder, { ...request, limit: 2, cursor })
          paged.push(...page.rows)
          cursor = page.next
        } while (cursor)
        expect(paged).toEqual(rows)
      }
    },
  )

  test('of periods: every hour has the balance at its end, carried forward', async () => {
    const holder = await holderOf('ton')
    const blocks = await rowsOf<{ seqno: number; gen_utime: number }>(
      whole,
      'select seqno, gen_utime from blocks where workchain = -1 order by seqno',
    )
    const [first, last] = [blocks[0]!, blocks.at(-1)!]
    const request = {
      ...ALL,
      period: 'hour',
      sort: 'asc',
      range: { from: 1, to: LAST },
      time: { from: first.gen_utime, to: last.gen_utime },
    } as const
    const { rows } = await listPeriodBalances(whole.db, holder, request)
    const changes = (await listBalanceChanges(whole.db, holder, { sort: 'asc', ...ALL, time: {} })).rows
    expect(rows.map(({ utime }) => utime)).toEqual(
      Array.from({ length: rows.length }, (_, i) => (Math.floor(first.gen_utime / 3600) + i) * 3600),
    )
    for (const row of rows) {
      const before = changes.filter(({ mc_seqno }) => mc_seqno <= row.mc_seqno).at(-1)
      expect([row.mc_seqno, row.balance]).toEqual([row.mc_seqno, before?.balance ?? '0'])
    }
    const reversed = await listPeriodBalances(whole.db, holder, { ...request, sort: 'desc' })
    expect([...reversed.rows].reverse()).toEqual(rows)
  })
})

const BEGAN_BEFORE = [
  'delete from transactions where mc_block_seqno < 200',
  'delete from blocks where mc_block_seqno < 200',
  'update indexed_ranges set from_seqno = 200',
]
/** Of WATCH: any transactions are missing, wherever they are. */
const NOT_KEPT = [
  "insert into watched (subject, kind, account_id, is_current) values ('0:0', 0, 0, true)",
  "delete from transactions where md5(mc_block_seqno || ' ' || account_id) < '8'",
]

test.each([
  ['of what began before the index', BEGAN_BEFORE],
  ['of what was not kept', NOT_KEPT],
])('%s, what is not known is said to be, and the rest is right', async (_, statements) => {
  const FIRST = 200
  const late = await examinedChain()
  try {
    for (const statement of statements) await late.pool.query(statement)
    const owners = await rowsOf<{ id: bigint }>(whole, 'select account_id as id from latest_account_states')
    const jettons = await rowsOf<{ id: bigint }>(whole, 'select account_id as id from jetton_masters')
    const ownerIds = owners.map(({ id }) => id)
    const jettonIds = jettons.map(({ id }) => id)
    const unknown = { ton: 0, jettons: 0 }
    for (const seqno of [FIRST, 330, LAST]) {
      const at = (await findPastBlock(late.db, seqno))!
      const before = await pastBlock(seqno)
      const read = {
        ton: (database: ScratchDatabase, block: PastBlock) => readTonAt(database.db, ownerIds, block),
        jettons: (database: ScratchDatabase, block: PastBlock) =>
          readJettonsAt(database.db, { ownerIds, jettonIds }, block),
      }
      for (const asset of ['ton', 'jettons'] as const) {
        const known = await read[asset](whole, before)
        for (const [index, { balance, gap }] of (await read[asset](late, at)).entries()) {
          expect(known[index]!.gap).toBeNull()
          if (balance === null) unknown[asset]++
          else expect(balance).toBe(known[index]!.balance)
          expect(gap === null).toBe(balance !== null)
        }
      }
    }
    expect(Math.min(unknown.ton, unknown.jettons)).toBeGreaterThan(10)
  } finally {
    await late.close()
  }
})

test('a time is that of the newest block not after it; before the first block there is none', async () => {
  const at = await pastBlock(77)
  expect((await findBlockOfTime(whole.db, at.utime))!.utime).toBe(at.utime)
  expect((await findBlockOfTime(whole.db, 4_000_000_000))!.seqno).toBe(LAST)
  expect(await findBlockOfTime(whole.db, (await pastBlock(1)).utime - 1)).toBeUndefined()
  expect(await findPastBlock(whole.db, LAST + 1)).toBeUndefined()
})

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

test('large tables are read by their indexes alone', async () => {
  const texts: { name: string; sql: string; parameters: readonly unknown[] }[] = []
  const original = Statement.prototype.rows
  const spy = vi.spyOn(Statement.prototype, 'rows').mockImplementation(function (
    this: Statement<unknown>,
    db,
    text,
  ) {
    texts.push({ name: this.name, ...text.compile(db) })
    return original.call(this, db, text)
  })
  const at = await pastBlock(300)
  const filter = { jettonId: 1n, at, minBalance: 1n }
  const page = await listHoldersByWallet(whole.db, filter, { limit: 5, offset: 0 })
  await listHoldersByWallet(whole.db, filter, { limit: 5, offset: 0, cursor: page.next })
  await listHoldersByBalance(whole.db, filter, { limit: 5, offset: 0 })
  await totalHolders(whole.db, filter)
  await readTonAt(whole.db, [1n], at)
  await readJettonsAt(whole.db, { ownerIds: [1n], jettonIds: [2n] }, at)
  for (const asset of ['ton', 'jettons'] as const) {
    const holder = { accountId: 1n, asset }
    await listBalanceChanges(whole.db, holder, { sort: 'desc', limit: 5, offset: 0, time: {} })
    const time = { from: at.utime, to: at.utime }
    const range = { from: 1, to: LAST }
    await listPeriodBalances(whole.db, holder, { sort: 'desc', ...ALL, period: 'day', time, range })
  }
  spy.mockRestore()
  const client = await whole.pool.connect()
  try {
    await client.query('set enable_seqscan = off')
    for (const { name, sql, parameters } of texts) {
      const { rows } = await client.query(`explain (format json) ${sql}`, [...parameters])
      const bare = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
        .filter((node) => /Scan$/.test(node['Node Type']) && node['Relation Name'])
        .filter((node) => /^(transactions|jetton_wallets|former|latest|blocks)/.test(node['Relation Name']!))
        .filter((node) => node['Index Cond'] === undefined && node['Node Type'] !== 'Bitmap Heap Scan')
        .map((node) => `${name}: ${node['Node Type']} ${node['Relation Name']}`)
      expect(bare).toEqual([])
    }
  } finally {
    await client.query('reset enable_seqscan')
    client.release()
  }
})

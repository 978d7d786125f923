import type { Database } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { randomCases } from '@shardwalk/testkit/runs'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ActionFilter,
  listActions,
  listJettonMasters,
  listJettonTransfers,
  listJettonWallets,
  listNftCollections,
  listNftItems,
  listTraces,
  listTransactions,
  type Page,
  type PageRequest,
  type Sort,
} from '../src/index.ts'
import { TYPES, World } from './model/world.ts'

let scratch: ScratchDatabase
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const world = new World(seed)
const { chance, maybe, pick, some, upTo } = world

beforeAll(async () => {
  console.log(`SEED=${seed}`)
  scratch = await scratchDatabase()
  await world.insert(scratch.pool)
})
afterAll(() => scratch?.close())

type Value = bigint | number | string | Buffer
/** Columns that order a list, each in its direction. */
type Order<Row> = readonly { readonly of: (row: Row) => Value; readonly sort: Sort }[]

function compare(a: Value, b: Value): number {
  if (Buffer.isBuffer(a)) return a.compare(b as Buffer)
  return a < b ? -1 : a > b ? 1 : 0
}

const sorted = <Row>(rows: readonly Row[], order: Order<Row>): Row[] =>
  [...rows].sort((a, b) => {
    for (const { of, sort } of order) {
      const result = compare(of(a), of(b)) * (sort === 'asc' ? 1 : -1)
      if (result !== 0) return result
    }
    return 0
  })

/** All pages together, and one that an offset skips to, are the rows that the model has. */
async function expectList<Row extends object>(
  filter: unknown,
  expected: readonly object[],
  keyOf: (row: Row) => string,
  list: (page: PageRequest) => Promise<Page<object>>,
): Promise<void> {
  const keys = (rows: readonly object[]) => rows.map((row) => keyOf(row as Row))
  const limit = pick([4, 30, 200])
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit, offset: 0, cursor })
    found.push(...keys(page.rows))
    cursor = page.next
  } while (cursor !== undefined && found.length <= 1000)
  expect({ filter, keys: found }).toEqual({ filter, keys: keys(expected) })
  const offset = upTo(expected.length + 2)
  const skipped = await list({ limit, offset })
  expect({ filter, offset, keys: keys(skipped.rows) }).toEqual({
    ...{ filter, offset },
    keys: keys(expected).slice(offset, offset + limit),
  })
}

/** Bounds that are often those of rows, sometimes the wrong way round. */
const bounds = <T extends bigint | number>(from: readonly T[]) => ({
  from: maybe(0.6, () => pick(from)),
  to: maybe(0.6, () => pick(from)),
})
const within = <T extends bigint | number>(
  value: T,
  { from, to }: { readonly from?: T | undefined; readonly to?: T | undefined },
) => (from === undefined || value >= from) && (to === undefined || value <= to)
const ltRange = () => {
  const { from, to } = bounds(world.traces.map((one) => one.end_lt))
  return { from: from ?? 0n, to: to ?? 2n ** 63n - 1n }
}
const timeRange = () => bounds(world.traces.map((one) => one.end_utime))
const isTimed = (time: object | undefined) => Object.values(time ?? {}).some((value) => value !== undefined)
const includes = (list: readonly Buffer[], hash: Buffer) => list.some((one) => one.equals(hash))
const allows = <T>(list: readonly T[] | undefined, value: T) => list === undefined || list.includes(value)
const direction = () => pick(['asc', 'desc'] as const)
const idText = ({ account_id }: { readonly account_id: bigint }) => String(account_id)
const placeText = (row: { readonly account_id: bigint; readonly lt: bigint }) => `${row.account_id} ${row.lt}`

test('transactions by any filter', async () => {
  for (let round = randomCases(100); round > 0; round--) {
    const filter = {
      accounts: maybe(0.6, () => some(world.accounts)),
      excludedAccounts: maybe(0.2, () => some(world.accounts)),
      hashes: maybe(0.15, () => [pick(world.transactions).hash, pick(world.transactions).hash]),
      atLt: maybe(0.1, () => pick(world.transactions).lt),
      lt: maybe(0.4, ltRange),
      time: maybe(0.4, timeRange),
      mcBlockSeqno: maybe(0.15, () => 1 + upTo(4)),
      workchain: maybe(0.2, () => pick([-1, 0, 1])),
    }
    const sort = direction()
    const rows = world.transactions.filter(
      (tx) =>
        allows(filter.accounts, tx.account_id) &&
        !filter.excludedAccounts?.includes(tx.account_id) &&
        (!filter.hashes || includes(filter.hashes, tx.hash)) &&
        (filter.atLt === undefined || tx.lt === filter.atLt) &&
        within(tx.lt, filter.lt ?? {}) &&
        within(tx.now, filter.time ?? {}) &&
        (filter.mcBlockSeqno === undefined || tx.mc_block_seqno === filter.mcBlockSeqno) &&
        (filter.workchain === undefined || (tx.account_id < 0n ? -1 : 0) === filter.workchain),
    )
    // Rows of the masterchain have no block here: only the model of a shard could tell them.
    if (filter.workchain === -1) continue
    const byLt = { of: (tx: (typeof rows)[number]) => tx.lt, sort }
    const byTime = { of: (tx: (typeof rows)[number]) => tx.now, sort }
    const ties = { of: (tx: (typeof rows)[number]) => tx.account_id, sort: 'asc' } as const
    const expected = sorted(rows, isTimed(filter.time) ? [byTime, byLt, ties] : [byLt, ties])
    await expectList(filter, expected, placeText, (page) =>
      listTransactions(scratch.db, filter, { ...page, sort }),
    )
  }
})

test('traces by any filter', async () => {
  const of = (piece: bigint, account: bigint) =>
    world.transactions.some((tx) => tx.piece === piece && tx.account_id === account)
  for (let round = randomCases(100); round > 0; round--) {
    const filter = {
      account: maybe(0.5, () => pick(world.accounts)),
      traceIds: maybe(0.2, () => some(world.traces, 0.2).map((one) => one.trace_id)),
      lt: maybe(0.4, ltRange),
      time: maybe(0.4, timeRange),
      mcBlockSeqno: maybe(0.15, () => 1 + upTo(4)),
    }
    const sort = direction()
    const rows = world.traces.filter(
      (one) =>
        (filter.traceIds ? includes(filter.traceIds, one.trace_id) : one.state === 0) &&
        (filter.account === undefined || of(one.piece, filter.account)) &&
        within(one.end_lt, filter.lt ?? {}) &&
        within(one.end_utime, filter.time ?? {}) &&
        (filter.mcBlockSeqno === undefined || one.mc_seqno_end === filter.mcBlockSeqno),
    )
    const end = (one: (typeof rows)[number]) => (isTimed(filter.time) ? one.end_utime : one.end_lt)
    const expected = sorted(rows, [
      { of: end, sort },
      { of: (one) => one.trace_id, sort },
    ])
    const keyOf = ({ trace_id }: { readonly trace_id: Buffer }) => trace_id.toString('hex')
    await expectList(filter, expected, keyOf, (page) => listTraces(scratch.db, filter, { ...page, sort }))
  }
})

test('actions by any filter', async () => {
  const places = () =>
    some(world.transactions, 0.1).map(({ hash, piece }) => ({
      ...{ hash, trace_id: world.traces.find((trace) => trace.piece === piece)!.trace_id },
    }))
  for (let round = randomCases(100); round > 0; round--) {
    const filter: ActionFilter = {
      account: maybe(0.5, () => pick(world.accounts)),
      transactions: maybe(0.3, () => [places(), ...some([places()])]),
      actionIds: maybe(0.15, () => some(world.actions, 0.3).map((one) => one.action_id)),
      traceIds: maybe(0.15, () => some(world.traces, 0.3).map((one) => one.trace_id)),
      lt: maybe(0.4, ltRange),
      time: maybe(0.4, timeRange),
      mcBlockSeqno: maybe(0.15, () => 1 + upTo(4)),
      types: maybe(0.2, () => some(TYPES)),
      withoutTypes: maybe(0.2, () => some(TYPES)),
      supported: new Set(some(TYPES, 0.7)),
    }
    const sort = direction()
    const rows = world.actions.filter(
      (one) =>
        (filter.account === undefined || one.account_ids.includes(filter.account)) &&
        (filter.transactions ?? []).every((list) =>
          list.some((tx) => tx.trace_id.equals(one.trace_id) && includes(one.tx_hashes, tx.hash)),
        ) &&
        (!filter.actionIds || includes(filter.actionIds, one.action_id)) &&
        (!filter.traceIds || includes(filter.traceIds, one.trace_id)) &&
        within(one.trace_end_lt, filter.lt ?? {}) &&
        within(one.trace_end_utime, filter.time ?? {}) &&
        (filter.mcBlockSeqno === undefined || one.trace_mc_seqno_end === filter.mcBlockSeqno) &&
        (filter.types ? filter.types.includes(one.type) : filter.supported.has(one.type)) &&
        !filter.withoutTypes?.includes(one.type) &&
        !one.ancestor_type.some((type) => filter.supported.has(type)),
    )
    const timed = isTimed(filter.time)
    const expected = sorted(rows, [
      { of: (one) => (timed ? one.trace_end_utime : one.trace_end_lt), sort },
      { of: (one) => one.trace_id.subarray(0, 7), sort },
      { of: (one) => (timed ? one.end_utime : one.end_lt), sort },
      { of: (one) => one.action_id.subarray(0, 7), sort },
    ])
    const keyOf = ({ action_id }: { readonly action_id: Buffer }) => action_id.toString('hex')
    await expectList(filter, expected, keyOf, (page) => listActions(scratch.db, filter, { ...page, sort }))
  }
})

test('jetton transfers by any filter', async () => {
  for (let round = randomCases(100); round > 0; round--) {
    const filter = {
      ownerIds: maybe(0.6, () => some(world.accounts)),
      walletIds: maybe(0.3, () => some(world.accounts)),
      jettonIds: maybe(0.3, () => some(world.accounts)),
      direction: pick([undefined, 'in', 'out', 'both'] as const),
      lt: ltRange(),
      time: maybe(0.4, timeRange) ?? {},
    }
    const sort = direction()
    const rows = world.transfers.filter(
      (one) =>
        one.confirmed &&
        !one.aborted &&
        ((filter.direction !== 'out' && allows(filter.ownerIds, one.destination_id)) ||
          (filter.direction !== 'in' && allows(filter.ownerIds, one.source_id))) &&
        allows(filter.walletIds, one.account_id) &&
        allows(filter.jettonIds, one.jetton_id) &&
        within(one.lt, filter.lt) &&
        within(one.now, filter.time),
    )
    const last = [
      { of: (one: (typeof rows)[number]) => one.lt, sort },
      { of: (one: (typeof rows)[number]) => one.account_id, sort },
    ]
    const expected = sorted(rows, isTimed(filter.time) ? [{ of: (one) => one.now, sort }, ...last] : last)
    await expectList(filter, expected, placeText, (page) =>
      listJettonTransfers(scratch.db, filter, { ...page, sort }),
    )
  }
})

test('jetton wallets by any filter', async () => {
  for (let round = randomCases(100); round > 0; round--) {
    const filter = {
      ids: maybe(0.2, () => some(world.wallets, 0.5).map((one) => one.account_id)),
      ownerIds: maybe(0.5, () => some(world.accounts)),
      jettonIds: maybe(0.5, () => some(world.accounts.slice(0, 3))),
      isHolding: chance(0.5),
    }
    const sort = pick([undefined, 'asc', 'desc'] as const)
    const rows = world.wallets.filter(
      (one) =>
        allows(filter.ids, one.account_id) &&
        allows(filter.ownerIds, one.owner_id) &&
        allows(filter.jettonIds, one.jetton_id) &&
        (!filter.isHolding || BigInt(one.balance) > 0n || (one.claim === '1' && one.is_claimed !== true)),
    )
    const byOwner = filter.ownerIds !== undefined && filter.jettonIds?.length !== 1
    const isSorted = sort && (byOwner || filter.jettonIds !== undefined || filter.ids === undefined)
    const to = isSorted ? sort : 'asc'
    const expected = sorted(rows, [
      ...(byOwner ? [{ of: (one: (typeof rows)[number]) => one.owner_id, sort: to } as const] : []),
      ...(isSorted ? [{ of: (one: (typeof rows)[number]) => BigInt(one.balance), sort: to } as const] : []),
      { of: (one) => one.account_id, sort: to },
    ])
    await expectList({ ...filter, sort }, expected, idText, (page) =>
      listJettonWallets(scratch.db, filter, { ...page, sort }),
    )
  }
})

test('NFT items by any filter', async () => {
  for (let round = randomCases(100); round > 0; round--) {
    const filter = {
      ids: maybe(0.2, () => some(world.items, 0.5).map((one) => one.account_id)),
      ownerIds: maybe(0.5, () => some(world.accounts)),
      collectionIds: maybe(0.5, () => some(world.accounts.slice(0, 3))),
      indexes: maybe(0.2, () => some(world.items, 0.3).map((one) => one.item_index)),
      includesOnSale: chance(0.4),
    }
    const byLt = chance(0.2)
    const ownerOf = (one: (typeof world.items)[number]) =>
      filter.includesOnSale ? one.real_owner_id : one.owner_id
    const rows = world.items.filter(
      (one) =>
        allows(filter.ids, one.account_id) &&
        allows(filter.ownerIds, ownerOf(one)) &&
        allows(filter.collectionIds, one.collection_id) &&
        allows(filter.indexes, one.item_index),
    )
    const asc = (of: (one: (typeof rows)[number]) => Value) => ({ of, sort: 'asc' }) as const
    const index = asc((one) => BigInt(one.item_index))
    const account = asc((one) => one.account_id)
    const order: Order<(typeof rows)[number]> = byLt
      ? [
          { of: (one) => one.lt, sort: 'desc' },
          { of: (one) => one.account_id, sort: 'desc' },
        ]
      : filter.collectionIds?.length === 1
        ? [index, account]
        : filter.ownerIds
          ? [asc((one) => ownerOf(one)!), asc((one) => one.collection_id ?? 2n ** 63n), index, account]
          : [account]
    await expectList({ ...filter, byLt }, sorted(rows, order), idText, (page) =>
      listNftItems(scratch.db, filter, { ...page, byLt }),
    )
  }
})

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly 'Rows Removed by Filter'?: number
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

const passedOverIn = (node: PlanNode, table: RegExp): number =>
  (table.test(node['Relation Name'] ?? '') ? (node['Rows Removed by Filter'] ?? 0) : 0) *
    node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, inner) => sum + passedOverIn(inner, table), 0)

/** Rows of the table that a statement reads and leaves out. */
async function passedOver({ sql, parameters }: CompiledQuery, table: RegExp): Promise<number> {
  const { rows } = await scratch.pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
  return passedOverIn(rows[0]['QUERY PLAN'][0].Plan, table)
}

test('a page far behind the first begins at its cursor, in lists of contracts', async () => {
  const { pool } = scratch
  const rows = 'select n, 0, 0 from generate_series(1, 4000) n'
  await pool.query(
    `insert into jetton_masters (account_id, lt, total_supply, mintable, wallet_code_hash)
     select *, true, '' from (${rows}) r`,
  )
  await pool.query(`insert into nft_collections (account_id, lt, next_item_index) select * from (${rows}) r`)
  await pool.query('analyze jetton_masters, nft_collections')
  const asked: CompiledQuery[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      asked.push(query)
    },
  })
  for (const list of [
    (page: PageRequest) => listJettonMasters(db, {}, page),
    (page: PageRequest) => listJettonMasters(db, {}, { ...page, rowOrder: 'insertion' }),
    (page: PageRequest) => listNftCollections(db, {}, page),
  ]) {
    const { next } = await list({ limit: 1, offset: 2999 })
    asked.length = 0
    const page = await list({ limit: 5, offset: 0, cursor: next })
    expect(page.rows.map((row) => row.account_id)).toEqual([3001n, 3002n, 3003n, 3004n, 3005n])
    expect(await passedOver(asked[0]!, /^(jetton|nft)_/)).toBeLessThan(10)
  }
})

import type { Database } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { randomCases, testSeed } from '@shardwalk/testkit/runs'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ActionFilter,
  listActions,
  listJettonMasters,
  listNftCollections,
  listTraces,
  listTransactions,
  type PageRequest,
} from '../src/index.ts'
import { allows, includes, isTimed, Lists, sorted, within } from './model/lists.ts'
import { TYPES, World } from './model/world.ts'

let scratch: ScratchDatabase
let lists: Lists
const seed = testSeed()
const world = new World(seed)
const { bounds, ltBounds, maybe, pick, some, upTo } = world

beforeAll(async () => {
  scratch = await scratchDatabase()
  await world.insert(scratch.pool)
  lists = new Lists(scratch.db, world)
})
afterAll(() => scratch?.close())

const direction = () => pick(['asc', 'desc'] as const)
const ltRange = () => ltBounds(world.traces.map((one) => one.end_lt))
const timeRange = () => bounds(world.traces.map((one) => one.end_utime))

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
    // Rows of the masterchain have no block here: only the model of a shard could know them.
    if (filter.workchain === -1) continue
    const byLt = { of: (tx: (typeof rows)[number]) => tx.lt, sort }
    const byTime = { of: (tx: (typeof rows)[number]) => tx.now, sort }
    const ties = { of: (tx: (typeof rows)[number]) => tx.account_id, sort: 'asc' } as const
    const expected = sorted(rows, isTimed(filter.time) ? [byTime, byLt, ties] : [byLt, ties])
    await lists.expect({
      ...{ asked: { filter, sort }, expected, table: 'transactions', key: ['account_id', 'lt'] },
      read: (db, page) => listTransactions(db, filter, { ...page, sort }),
    })
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
    await lists.expect({
      ...{ asked: { filter, sort }, expected, table: 'traces', key: ['trace_id'] },
      read: (db, page) => listTraces(db, filter, { ...page, sort }),
    })
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
      types: maybe(0.3, () => some(TYPES)),
      withoutTypes: maybe(0.2, () => some(TYPES)),
      supported: new Set(some(TYPES, 0.7)),
      few: pick([1, 5, 30, 2000]),
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
    await lists.expect({
      ...{ asked: { filter, sort }, expected, table: 'actions', key: ['action_id'] },
      read: (db, page) => listActions(db, filter, { ...page, sort }),
    })
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

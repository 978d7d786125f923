import type { Db } from '@shardwalk/db'
import {
  ACTIVITY_FROM_ROWS,
  randomFrom,
  repartition,
  type ScratchDatabase,
  sampleChainDatabase,
} from '@shardwalk/testkit'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  adjacentTransactions,
  keepPlans,
  listMessages,
  listTraces,
  listTransactions,
  listTransactionsByMessage,
  loadTransactionParts,
  placesOfMessages,
  placesOfTransactions,
  transactionsByHash,
  transactionsOfTraces,
} from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'

let scratch: ScratchDatabase
let db: Db
beforeAll(async () => {
  scratch = await sampleChainDatabase()
})
afterAll(() => scratch?.close())

const random = randomFrom(testSeed())
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!

interface Message {
  readonly account_id: bigint
  readonly lt: bigint
  readonly destination_id: bigint | null
  readonly opcode: number | null
  readonly kind: number
  readonly hash: Buffer
  readonly norm: Buffer
}

/** Requests of every kind that looks something up, and lists with random filters in random order. */
async function chooseRequests(): Promise<readonly (() => Promise<unknown>)[]> {
  const { rows: messages } = await scratch.pool.query<Message>(
    'select *, coalesce(hash_norm, hash) as norm from messages order by account_id, lt',
  )
  const { rows: transactions } = await scratch.pool.query<{ account_id: bigint; lt: bigint; hash: Buffer }>(
    'select account_id, lt, hash from transactions order by account_id, lt',
  )
  const outside = messages.filter((message) => message.kind === 1)
  return Array.from({ length: randomCases(20) }, () => {
    const page = { sort: pick(['asc', 'desc'] as const), limit: 7, offset: pick([0, 0, 5, 40]) }
    const [message, other, external] = [pick(messages), pick(messages), pick(outside)]
    const [one, two] = [pick(transactions), pick(transactions)]
    const hashes = [message.hash, external.norm, Buffer.alloc(32, 7)]
    const side = pick([undefined, 'in', 'out'] as const)
    const lt = pick([undefined, { from: one.lt, to: one.lt + 200_000_000n }])
    const filter = {
      ...(pick([true, false]) && message.kind !== 1 && { source: message.account_id }),
      ...(pick([true, false]) && { destination: message.destination_id ?? other.destination_id }),
      ...(pick([true, false]) && message.opcode !== null && { opcode: message.opcode }),
    }
    return [
      async () => {
        const { rows } = await listTransactions(db, { accounts: [one.account_id], lt }, page)
        const parts = await loadTransactionParts(db, rows)
        return rows.map((row) => [row, parts.inMsg(row), parts.outMsgs(row), parts.before(row)])
      },
      () => listTransactions(db, { accounts: [...new Set([one.account_id, two.account_id])], lt }, page),
      () => listTransactions(db, { hashes: [one.hash, two.hash] }, page),
      async () => inOrder(await transactionsByHash(db, [one.hash, one.hash, Buffer.alloc(32, 7)])),
      () => adjacentTransactions(db, one.hash, side),
      async () => inOrder(await placesOfTransactions(db, [one.hash, two.hash])),
      async () => inOrder(await placesOfMessages(db, hashes)),
      () => listMessages(db, { hashes }, page),
      () => listMessages(db, { ...filter, lt, side }, page),
      () => listMessages(db, { externals: 'only' }, page),
      () => listTransactionsByMessage(db, { message: { hashes }, side }, page),
      () => listTransactionsByMessage(db, { message: filter, side }, page),
      async () => {
        const { rows } = await listTraces(db, { account: one.account_id, lt }, page)
        return [rows, await transactionsOfTraces(db, rows)]
      },
    ]
  }).flat()
}

const inOrder = (rows: readonly { readonly hash: Buffer }[]) =>
  rows.toSorted((a, b) => a.hash.compare(b.hash))

const answers = async (requests: readonly (() => Promise<unknown>)[]): Promise<readonly string[]> => {
  const texts: string[] = []
  for (const request of requests)
    texts.push(
      JSON.stringify(await request(), (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)),
    )
  return texts
}

test('the number of partitions changes no reply', async () => {
  const requests = await chooseRequests()
  await repartition(scratch.pool, 1)
  db = keepPlans(scratch.pool)
  const expected = await answers(requests)
  expect(new Set(expected).size).toBeGreaterThan(expected.length / 2)
  await repartition(scratch.pool, isLong ? 60 : 20)
  // What was known of the partitions is forgotten.
  db = keepPlans(scratch.pool)
  expect(await answers(requests)).toEqual(expected)
  // As accounts from before `activity` was kept have it.
  await scratch.pool.query("update accounts set activity = encode_activity('{[0,10000)}')")
  expect(await answers(requests)).toEqual(expected)
  await scratch.pool.query(ACTIVITY_FROM_ROWS)
})

test('lists of several accounts, busy or quiet for long, are those of the plain statement', async () => {
  const { rows } = await scratch.pool.query<{ id: bigint }>(
    'select account_id as id from transactions group by 1 order by max(lt), 1',
  )
  for (let round = 0; round < randomCases(60); round++) {
    const accounts = [...new Set([pick(rows).id, pick(rows).id, rows.at(-1 - (round % 5))!.id])]
    const page = { sort: pick(['desc', 'desc', 'asc'] as const), limit: 7, offset: pick([0, 0, 3, 30]) }
    const plain = await scratch.pool.query<{ lt: bigint; account_id: bigint }>(
      `select lt, account_id from transactions where account_id = any ($1)
       order by lt ${page.sort}, account_id limit ${page.limit} offset ${page.offset}`,
      [accounts],
    )
    const { rows: listed } = await listTransactions(db, { accounts }, page)
    expect(listed.map(({ lt, account_id }) => ({ lt, account_id }))).toEqual(plain.rows)
  }
})

test('what a page shows besides its rows, and a new hash, are looked up in few partitions', async () => {
  const { rows } = await listTransactions(db, {}, { sort: 'desc', limit: 5, offset: 0 })
  const hash = rows[0]!.hash
  expect(await transactionsByHash(db, [hash])).toEqual(rows.slice(0, 1))
  const found = await partitionsDuring(scratch, async () => {
    await loadTransactionParts(db, rows)
    await transactionsByHash(db, [hash])
  })
  expect(found).toHaveLength(2)
  expect(Math.max(...found.map(({ read }) => read))).toBeLessThan(12)
  // Opening one takes longer than a look-up in it.
  expect(Math.max(...found.map(({ opened }) => opened))).toBeLessThan(12)
})

test('lists of an account that was active long ago open only partitions that have rows of it', async () => {
  const { rows } = await scratch.pool.query<{ id: bigint; partitions: number }>(
    `select t.account_id as id, count(distinct t.tableoid)::int as partitions from transactions t
     group by 1 having count(*) between 2 and 6 order by max(t.lt) limit 1`,
  )
  const { id, partitions } = rows[0]!
  const page = { sort: 'desc', limit: 20, offset: 0 } as const
  // The beginnings of both lists may be anywhere.
  const ofTwo = () => listTransactions(db, { accounts: [id, id + 1n] }, page)
  const lists = [
    () => listTransactions(db, { accounts: [id] }, page),
    ofTwo,
    () => listTransactions(db, { accounts: [id] }, { ...page, sort: 'asc' }),
    () => listMessages(db, { source: id }, page),
    () => listMessages(db, { destination: id, externals: 'without' }, page),
    () => listTraces(db, { account: id }, page),
  ]
  for (const list of lists) {
    const found = await partitionsDuring(scratch, list)
    expect(Math.max(...found.map(({ read }) => read))).toBeLessThanOrEqual(2 * partitions + 2)
    if (list !== ofTwo)
      expect(Math.max(...found.map(({ opened }) => opened))).toBeLessThanOrEqual(2 * partitions + 2)
  }
})

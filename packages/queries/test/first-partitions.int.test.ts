import { createHash } from 'node:crypto'
import {
  ACTIVITY_FROM_ROWS,
  repartition,
  type ScratchDatabase,
  sampleChainDatabase,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  adjacentTransactions,
  keepPlans,
  listMessages,
  listTraces,
  listTransactions,
  listTransactionsByMessage,
  loadEnds,
  loadListing,
  messageParts,
  type Page,
  type SortedPageRequest,
  transactionsByHash,
} from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'

const PARTITIONS = 60
/** Of every list, so many rows are read at least. */
const ROWS = isLong ? 500 : 200

let scratch: ScratchDatabase
let db: ReturnType<typeof keepPlans>
let known: Readonly<Record<string, List>>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  known = await lists()
})
afterAll(() => scratch?.close())

type List = (page: SortedPageRequest) => Promise<Page<object>>

const value = async <T>(text: string): Promise<T> => {
  const { rows } = await scratch.pool.query({ text, rowMode: 'array' })
  return rows[0]![0]
}

/** The list of each kind, with values that many rows have. */
async function lists(): Promise<Readonly<Record<string, List>>> {
  const busy = await value<bigint>(
    `select destination_id from messages where kind = 0 and flags & 8 = 0
     group by 1 order by count(*) desc, 1 limit 1`,
  )
  const active = await value<bigint>(
    'select account_id from transactions group by 1 order by count(distinct mc_block_seqno) desc limit 1',
  )
  const sender = await value<bigint>(
    `select account_id from messages where kind = 0 and flags & 8 = 0
     group by 1 order by count(*) desc, 1 limit 1`,
  )
  const opcode = await value<number>(
    'select opcode from messages where opcode is not null group by 1 order by count(*) desc limit 1',
  )
  const middle = await value<number>(
    'select percentile_disc(0.5) within group (order by now) from transactions',
  )
  const lt = { from: 0n, to: await value<bigint>('select max(lt) * 2 / 3 from transactions') }
  const created = { externals: 'without' } as const
  return {
    transactions: (page) => listTransactions(db, {}, page),
    'until an lt': (page) => listTransactions(db, { lt }, page),
    'until a time': (page) => listTransactions(db, { time: { to: middle } }, page),
    'from a time': (page) => listTransactions(db, { time: { from: middle } }, page),
    'without an account': (page) => listTransactions(db, { excludedAccounts: [busy] }, page),
    'of an account': (page) => listTransactions(db, { accounts: [active] }, page),
    'of a shard': (page) => listTransactions(db, { workchain: -1 }, page),
    messages: (page) => listMessages(db, created, page),
    sent: (page) => listMessages(db, { ...created, side: 'out' }, page),
    received: (page) => listMessages(db, { ...created, side: 'in' }, page),
    'with an opcode': (page) => listMessages(db, { ...created, opcode }, page),
    'messages until a time': (page) => listMessages(db, { time: { to: middle } }, page),
    'from an account': (page) => listMessages(db, { source: sender }, page),
    'to an account': (page) => listMessages(db, { ...created, destination: busy }, page),
    'traces of an account': (page) => listTraces(db, { account: busy }, page),
    'from outside': (page) => listMessages(db, { externals: 'only' }, page),
    'by message': (page) => listTransactionsByMessage(db, { message: { source: sender } }, page),
  }
}

const SORTS = ['desc', 'asc'] as const

/** Number of rows and digest of all pages of all lists in both directions. */
async function readAll(): Promise<Readonly<Record<string, readonly [number, string]>>> {
  const found: Record<string, readonly [number, string]> = {}
  for (const [name, list] of Object.entries(known))
    for (const sort of SORTS) {
      const digest = createHash('sha256')
      let [count, cursor]: [number, string | undefined] = [0, undefined]
      do {
        const page: Page<object> = await list({ sort, limit: 100, offset: count === 0 ? 3 : 0, cursor })
        for (const row of page.rows)
          digest.update(JSON.stringify(row, (_key, one) => (typeof one === 'bigint' ? `${one}n` : one)))
        count += page.rows.length
        cursor = page.next
      } while (cursor !== undefined && count < ROWS)
      found[`${name}, ${sort}`] = [count, digest.digest('hex')]
    }
  return found
}

test('pages of lists over many partitions are those over one', async () => {
  await repartition(scratch.pool, 1)
  db = keepPlans(scratch.pool)
  const expected = await readAll()
  expect(Object.entries(expected).filter(([, [count]]) => count <= 50)).toEqual([])
  await repartition(scratch.pool, PARTITIONS)
  // What was known of the partitions is forgotten.
  db = keepPlans(scratch.pool)
  expect(await readAll()).toEqual(expected)
})

test('the first page of a list opens few partitions, at either end of it', async () => {
  const opened: Record<string, number> = {}
  for (const [name, list] of Object.entries(known))
    for (const sort of SORTS) {
      const found = await partitionsDuring(scratch, () => list({ sort, limit: 5, offset: 0 }))
      opened[`${name}, ${sort}`] = Math.max(...found.map((one) => one.opened))
    }
  // These look for hundreds of rows, in distant partitions, or for what came any time later.
  const isExpensive = (name: string) =>
    /^(traces of an account|by message|from an account|to an account|received, asc)/.test(name)
  const expensive = Object.entries(opened).filter(([name, count]) => count > 8 && !isExpensive(name))
  expect(Object.fromEntries(expensive)).toEqual({})
})

/** Of accounts that have few rows in each of many partitions. */
async function sparseLists(): Promise<Readonly<Record<string, List>>> {
  const sparse = (table: string, account: string) =>
    value<bigint>(
      `select ${account} from ${table} where ${account} is not null
       group by 1 order by count(distinct tableoid) desc, count(*), 1 limit 1`,
    )
  const account = await sparse('transactions', 'account_id')
  const [source, destination] = [
    await sparse('messages', 'account_id'),
    await sparse('messages', 'destination_id'),
  ]
  return {
    transactions: (page) => listTransactions(db, { accounts: [account] }, page),
    sent: (page) => listMessages(db, { source }, page),
    received: (page) => listMessages(db, { destination, externals: 'without' }, page),
    traces: async (page) => {
      await listTraces(db, { account }, page)
      return { rows: [] }
    },
  }
}

test('a list that goes on in further partitions does not read the first ones again', async () => {
  for (const [name, list] of Object.entries(await sparseLists()))
    for (const sort of SORTS) {
      const found = await partitionsDuring(scratch, () => list({ sort, limit: 1000, offset: 0 }))
      const steps = found.filter(({ read }) => read > 0).map(({ names }) => names)
      expect([name, steps.length]).toEqual([name, 3])
      const partitions = steps.flat()
      expect(partitions.length).toBeGreaterThan(20)
      const again = partitions.length - new Set(partitions).size
      // System messages before a boundary may have an lt behind it.
      expect([name, sort, again]).toEqual([name, sort, name === 'received' ? steps.length - 1 : 0])
    }
})

test('an account leads to its own messages, however few there are in a partition', async () => {
  const { sent, received } = await sparseLists()
  for (const list of [sent!, received!])
    for (const sort of SORTS) {
      const found = await partitionsDuring(scratch, () => list({ sort, limit: 5, offset: 0 }))
      const indexes = found.flatMap((one) => one.indexes).filter((name) => name.startsWith('messages_'))
      expect(indexes.length).toBeGreaterThan(0)
      expect(indexes.filter((name) => /^messages_lt_\d+_lt_idx$/.test(name))).toEqual([])
    }
})

test('an account is found where it is active, and no other partition is read', async () => {
  const id = await value<bigint>(
    `select account_id from transactions group by 1 having count(*) between 5 and 10
     order by count(distinct tableoid) desc, 1 limit 1`,
  )
  const partitions = await value<number>(
    `select sum((to_lt + 1 - from_lt) / activity_width())::int from active_ranges(${id}, false)`,
  )
  const page = { sort: 'desc', limit: 20, offset: 0 } as const
  const { rows } = await listTransactions(db, { accounts: [id] }, page)
  expect(rows).toHaveLength(
    await value<number>(`select count(*)::int from transactions where account_id = ${id}`),
  )
  const found = await partitionsDuring(scratch, () => listTransactions(db, { accounts: [id] }, page))
  expect(new Set(found.flatMap(({ names }) => names)).size).toBe(partitions)
})

test('of several quiet accounts, the partitions of the last active ones are opened first', async () => {
  const { rows: quiet } = await scratch.pool.query<{ id: bigint; place: number }>(
    `with parts as (
       select tableoid as part, row_number() over (order by min(lt))::int as place
       from transactions group by 1)
     select account_id as id, max(place) as place from transactions t join parts p on p.part = t.tableoid
     group by 1 having max(place) between ${PARTITIONS / 2} and ${PARTITIONS - 4}
     order by md5(account_id::text) limit 20`,
  )
  const accounts = quiet.map(({ id }) => id)
  const fourth = quiet.map(({ place }) => place).sort((a, b) => b - a)[3]!
  const { rows: all } = await scratch.pool.query({
    text: 'select account_id, lt from transactions where account_id = any($1) order by lt desc, account_id',
    values: [accounts],
    rowMode: 'array',
  })
  expect(accounts).toHaveLength(20)
  const list = (limit: number) => listTransactions(db, { accounts }, { sort: 'desc', limit, offset: 0 })
  for (const limit of [1, 3, 10, 1000]) {
    const { rows } = await list(limit)
    expect(rows.map(({ account_id, lt }) => [account_id, lt])).toEqual(all.slice(0, limit))
  }
  const found = await partitionsDuring(scratch, () => list(3))
  expect(Math.max(...found.map(({ opened }) => opened))).toBeLessThanOrEqual(PARTITIONS + 1 - fourth)
})

test('a hash is searched in all partitions only if the newest do not have it', async () => {
  const hashAt = (end: 'asc' | 'desc') =>
    value<Buffer>(`select hash from transactions order by lt ${end} limit 1`)
  const [oldest, newest] = [await hashAt('asc'), await hashAt('desc')]
  const openedFor = async (hashes: readonly Buffer[]) => {
    const found = await partitionsDuring(scratch, () => transactionsByHash(db, hashes))
    return found.map(({ opened }) => opened)
  }
  expect(await openedFor([newest])).toEqual([2])
  expect(await openedFor([newest, oldest])).toEqual([2, PARTITIONS - 2])
  const rows = await transactionsByHash(db, [newest, oldest, Buffer.alloc(32, 7), oldest])
  expect(rows.map((row) => row.hash)).toEqual([newest, oldest])
})

test('a message that is received late, partitions later, has its receiver everywhere', async () => {
  const { rows } = await scratch.pool.query<{ account_id: bigint; lt: bigint; hash: Buffer }>(
    `select m.account_id, m.lt, m.hash from messages m join transactions t
       on t.in_msg_lt = m.lt and t.in_msg_account_id = m.account_id and t.account_id = m.destination_id
     where m.kind = 0 and m.lt < (select max(lt) / 2 from messages) order by t.lt - m.lt desc limit 1`,
  )
  const { account_id: sender, lt, hash } = rows[0]!
  const ofMessage = `in_msg_lt = ${lt} and in_msg_account_id = ${sender}`
  const end = await value<bigint>('select max(lt) from transactions')
  await scratch.pool.query(`update transactions set lt = ${end + 1n} where ${ofMessage}`)
  const received = await value<Buffer>(`select hash from transactions where ${ofMessage}`)
  const page = { sort: 'desc', limit: 20, offset: 0 } as const
  const byMessage = await listTransactionsByMessage(db, { message: { hashes: [hash] }, side: 'in' }, page)
  expect(byMessage.rows.map((row) => row.hash)).toEqual([received])
  const { rows: messages } = await listMessages(db, { hashes: [hash], side: 'in' }, page)
  expect(messages).toHaveLength(1)
  const sides = { in: true, out: true }
  const also = await messageParts(db, messages, sides)
  const listing = await loadListing(db, { listed: [], printed: [], metadata: false, also })
  const ends = await loadEnds(db, messages, { ...listing, sides })
  const sent = [...ends.values()][0]!.outMsgTxHash!
  expect([...ends.values()]).toEqual([{ inMsgTxHash: received, outMsgTxHash: sent }])
  expect((await adjacentTransactions(db, sent, 'out')).map((row) => row.hash)).toContainEqual(received)
  expect((await adjacentTransactions(db, received, 'in')).map((row) => row.hash)).toEqual([sent])

  // Among so many messages that transactions are scanned for them.
  const { rows: opcodes } = await scratch.pool.query<{ opcode: number; count: number }>(
    `select opcode, count(*)::int as count from messages where opcode is not null
     group by 1 order by 2 desc limit 2`,
  )
  expect(opcodes[1]!.count).toBeGreaterThan(300)
  const [opcode, other] = opcodes.map((row) => row.opcode) as [number, number]
  await scratch.pool.query('update messages set opcode = $1 where account_id = $2 and lt = $3', [
    ...[opcode, sender, lt],
  ])
  for (const side of ['in', undefined] as const) {
    const first = await listTransactionsByMessage(db, { message: { opcode }, side }, { ...page, limit: 1 })
    expect(first.rows.map((row) => row.hash)).toEqual([received])
    const others = await listTransactionsByMessage(db, { message: { opcode: other }, side }, page)
    expect(others.rows.map((row) => row.hash)).not.toContainEqual(received)
    const second = await listTransactionsByMessage(
      db,
      { message: { opcode: other }, side },
      { ...page, limit: 1, offset: 1 },
    )
    expect(second.rows).toEqual(others.rows.slice(1, 2))
  }
})

test('a system message created before its receiver was active is in the list of the receiver', async () => {
  const width = await value<bigint>('select activity_width()')
  // An account whose first rows are in the 30th partition or later, which begins with the message.
  const { rows } = await scratch.pool.query<{ id: bigint; first: bigint }>(
    `select id, min(from_lt) as first from accounts cross join lateral active_ranges(id, false)
     group by 1 having min(from_lt) > ${30n * width} order by 2, 1 limit 1`,
  )
  const { id, first } = rows[0]!
  const [message] = (
    await scratch.pool.query<{ hash: Buffer }>(
      `update messages set account_id = ${id}, destination_id = ${id}, lt = ${first + 2n}
       where (account_id, lt) = (select account_id, lt from messages where flags & 8 <> 0 limit 1)
       returning hash`,
    )
  ).rows
  await scratch.pool.query(ACTIVITY_FROM_ROWS)
  // The receiver may have sent 255 messages before, when it was ticked, and 255 more.
  for (const before of [1n, 510n]) {
    await scratch.pool.query(
      `update blocks set start_lt = ${first - before} where workchain = -1 and seqno = (
         select max(seqno) from blocks where workchain = -1 and start_lt < ${first})`,
    )
    for (const filter of [{ destination: id, externals: 'without' }, { hashes: [message!.hash] }] as const)
      for (const sort of SORTS) {
        const { rows: found } = await listMessages(db, filter, { sort, limit: 100, offset: 0 })
        const own = found.filter((row) => row.lt === first + 2n)
        expect(own.map((row) => row.created_lt)).toEqual([first - before])
      }
    const lt = { from: first - before, to: first - before }
    const { rows: created } = await listMessages(
      db,
      { destination: id, lt },
      { sort: 'asc', limit: 100, offset: 0 },
    )
    expect(created.map((row) => row.lt)).toContain(first + 2n)
  }
})

import { type BlockReply, profileRules, v3Replies } from '@shardwalk/api-schema'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong, swept } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, type Json, type Query } from './client.ts'
import type { ExpectedBlock, ExpectedMessage, ExpectedTransaction, GroundTruth } from './expected-chain.ts'
import { readGroundTruth } from './ground-truth.ts'

let scratch: ScratchDatabase
let client: Client
let truth: GroundTruth

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  client = await Client.start(scratch)
  truth = await readGroundTruth()
})

afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const hashes = (rows: readonly Json[]) => rows.map((row) => row['hash'])
const base64 = (rows: readonly { hash: Buffer }[]) => rows.map((row) => row.hash.toString('base64'))
const by =
  <T>(...keys: ((row: T) => bigint | number | string | Buffer)[]) =>
  (a: T, b: T) => {
    for (const key of keys) {
      const [x, y] = [key(a), key(b)]
      const order = Buffer.isBuffer(x) ? Buffer.compare(x, y as Buffer) : x < y ? -1 : x > y ? 1 : 0
      if (order !== 0) return order
    }
    return 0
  }

/** Addresses sort by workchain, then bytes. */
const accountRank = (account: string) =>
  `${account.startsWith('-1') ? 0 : 1}${account.slice(account.indexOf(':'))}`
const ltOrder = by<ExpectedTransaction>(
  (t) => t.lt,
  () => 0,
)

const transactionOrder = (sort: string, byTime: boolean) => {
  const sign = sort === 'asc' ? 1 : -1
  const byAccount = by<ExpectedTransaction>((t) => accountRank(t.account))
  return (a: ExpectedTransaction, b: ExpectedTransaction) =>
    (byTime ? (a.now - b.now) * sign : 0) || ltOrder(a, b) * sign || byAccount(a, b)
}

const sortTransactions = (rows: readonly ExpectedTransaction[], sort: string): ExpectedTransaction[] =>
  [...rows].sort(transactionOrder(sort, false))

function sortMessages(rows: readonly ExpectedMessage[], sort: string, byTime: boolean): ExpectedMessage[] {
  const LAST = 2n ** 64n
  const key = byTime
    ? (m: ExpectedMessage) => m.createdAt ?? 2 ** 40
    : (m: ExpectedMessage) => m.createdLt ?? LAST
  const sorted = [...rows].sort(by<ExpectedMessage>(key, (m) => m.hash))
  return sort === 'asc' ? sorted : sorted.reverse()
}

/** All rows in an order, sorted once, because tests of filters need it often. */
const sorted = {
  transactions: perOrder((sort, byTime) => [...truth.transactions].sort(transactionOrder(sort, byTime))),
  messages: perOrder((sort, byTime) => sortMessages(truth.messages, sort, byTime)),
}

function perOrder<T>(make: (sort: string, byTime: boolean) => readonly T[]) {
  const made = new Map<string, readonly T[]>()
  return (sort: string, byTime: boolean): readonly T[] => {
    const key = `${sort} ${byTime}`
    if (!made.has(key)) made.set(key, make(sort, byTime))
    return made.get(key)!
  }
}

/** Rows per page when lists are read whole. */
const PAGE = 250

/**
 * Pages of a list, newest rows first. Long runs read all of it; others read every third page, because pages
 * that follow each other are read in the tests of filters.
 */
async function readPages<T extends { readonly hash: Buffer }>(
  path: 'transactions' | 'messages',
  expected: readonly T[],
): Promise<readonly (readonly Json[])[]> {
  const pages: Json[][] = []
  const offsets = Array.from({ length: Math.ceil(expected.length / PAGE) }, (_, index) => index * PAGE)
  for (const offset of swept(offsets, 3)) {
    const rows = (await client.get(path, { limit: PAGE, offset })).body[path] as Json[]
    expect(hashes(rows)).toEqual(base64(expected.slice(offset, offset + PAGE)))
    pages.push(rows)
  }
  if (isLong) expect(hashes(await client.all(path, path))).toEqual(base64(expected))
  return pages
}

const pages = {
  transactions: once(() => readPages('transactions', sorted.transactions('desc', false))),
  messages: once(() => readPages('messages', sorted.messages('desc', false))),
}

describe('every row equals what @ton/core reads from the same bytes', () => {
  test('blocks', async () => {
    const rows = await client.all('blocks', 'blocks')
    const expected = new Map(truth.blocks.map((b) => [b.rootHash.toString('base64'), b.json]))
    expect(rows).toHaveLength(truth.blocks.length)
    for (const row of rows as { root_hash: string }[]) expectSame(row, expected.get(row.root_hash))
  })

  test('transactions, their messages and descriptions', async () => {
    const schema = v3Replies(profileRules('standard')).Transaction
    const rows = (await pages.transactions()).flat()
    const expected = new Map(truth.transactions.map((t) => [t.hash.toString('base64'), t]))
    for (const row of swept(rows, 24)) schema.parse(row)
    for (const row of rows) {
      const {
        account_state_before,
        account_state_after,
        in_msg,
        out_msgs,
        trace_id,
        trace_external_hash,
        ...own
      } = row
      const transaction = expected.get(row['hash'] as string)!
      const { in_msg: expectedIn, out_msgs: expectedOut, ...expectedOwn } = transaction.json
      expectSame(own, expectedOwn)
      expectSame([trace_id, trace_external_hash], traceOf(transaction))
      expectSame(in_msg && withoutBodies(in_msg as Json), expectedIn && withoutBodies(expectedIn as Json))
      expectSame((out_msgs as Json[]).map(withoutBodies), (expectedOut as Json[]).map(withoutBodies))
    }
  })

  test('messages, with the transactions at both ends', async () => {
    const schema = v3Replies(profileRules('standard')).Message
    const rows = (await pages.messages()).flat()
    const expected = new Map(truth.messages.map((m) => [m.key, m]))
    for (const row of swept(rows, 24)) schema.parse(row)
    for (const row of rows) {
      const message = expected.get(row['hash'] as string)!
      const { in_msg_tx_hash, out_msg_tx_hash, ...own } = row
      expectSame(withoutBodies(own), withoutBodies(message.json))
      expectSame(in_msg_tx_hash, message.inTx?.hash.toString('base64'))
      expectSame(out_msg_tx_hash, message.outTx?.hash.toString('base64'))
    }
  })

  test('bodies and state inits are bags of cells with the given hashes', async () => {
    type BagOfCells = { hash: string; body: string } | null
    const rows = (await pages.messages()).flat()
    const cellsOf = (name: string) => rows.flatMap((row) => (row[name] as BagOfCells) ?? [])
    const [bodies, inits] = [cellsOf('message_content'), cellsOf('init_state')]
    for (const { body, hash } of [...swept(bodies, 5), ...swept(inits, 2)])
      expect(Cell.fromBase64(body).hash().toString('base64')).toBe(hash)
  })

  test('the state before a transaction is the state after the previous one of its account', async () => {
    // A block contains only the last state of an account.
    const last = new Map<string, ExpectedTransaction>()
    for (const t of sorted.transactions('asc', false))
      last.set(`${t.account} ${t.block.rootHash.toString('hex')}`, t)
    const known = new Set(base64([...last.values()]))
    let compared = 0
    const read = await pages.transactions()
    for (const page of isLong ? [read.flat()] : read) {
      const after = new Map<string, Json>()
      for (const row of [...(page as readonly Row[])].reverse()) {
        const previous = after.get(row.account)
        if (previous) expectSame(row.account_state_before, previous)
        if (previous) compared++
        after.set(row.account, row.account_state_after)
        if (known.has(row.hash)) expect(row.account_state_after['balance']).not.toBeNull()
      }
    }
    expect(compared).toBeGreaterThan(isLong ? 3000 : 1000)
  })
})

/** A trace is identified by its first transaction; wallets know the external message that started it. */
function traceOf(t: ExpectedTransaction): readonly [string, string | undefined] {
  let root = t
  while (root.inMsg?.outTx) root = root.inMsg.outTx
  const begin = root.inMsg?.kind === 'external_in' ? root.inMsg : undefined
  return [root.hash.toString('base64'), (begin?.hashNorm ?? begin?.hash)?.toString('base64')]
}

interface Row extends Json {
  readonly hash: string
  readonly account: string
  readonly account_state_before: Json
  readonly account_state_after: Json
}

/** Without the texts of cells, because `@ton/core` orders cells differently; the hashes suffice. */
function withoutBodies(message: Json): Json {
  const only = (cell: unknown) => (cell ? { hash: (cell as Json)['hash'] } : null)
  const { decoded_opcode: _, ...rest } = message
  return {
    ...rest,
    message_content: only(message['message_content']),
    init_state: only(message['init_state']),
  }
}

type Case<T> = readonly [name: string, query: () => Query, matches: (row: T) => boolean]
const pick = <T>(rows: readonly T[], share: number): T => rows[Math.floor(rows.length * share)]!

/** Computed once, because predicates are called per row. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Frequent accounts, and positions in the middle of the chain. */
const some = {
  accounts: once(() => {
    const counts = new Map<string, number>()
    for (const t of truth.transactions) counts.set(t.account, (counts.get(t.account) ?? 0) + 1)
    return [...counts].sort((a, b) => b[1] - a[1]).map(([account]) => account)
  }),
  transaction: once(() => pick(truth.transactions, 0.6)),
  internal: once(() =>
    pick(
      truth.messages.filter((m) => m.kind === 'internal' && m.opcode !== undefined),
      0.7,
    ),
  ),
  time: (share: number) => pick(truth.transactions, share).now,
  lt: (share: number) => pick(truth.transactions, share).lt,
  splitBlock: once(() => truth.blocks.find((b) => b.shard !== 2n ** 63n && b.transactions.length > 1)!),
}

const LISTED = once(() => new Set(some.accounts().slice(2, 60)))

const TRANSACTION_CASES: readonly Case<ExpectedTransaction>[] = [
  ['nothing', () => ({}), () => true],
  ['workchain -1', () => ({ workchain: -1 }), (t) => t.block.workchain === -1],
  ['workchain 0', () => ({ workchain: 0 }), (t) => t.block.workchain === 0],
  ['a workchain that does not exist', () => ({ workchain: 7 }), () => false],
  [
    'shard of the whole workchain',
    () => ({ workchain: 0, shard: '8000000000000000' }),
    (t) => t.block.workchain === 0 && t.block.shard === 2n ** 63n,
  ],
  [
    'shard after a split, in signed decimal form',
    () => ({ workchain: 0, shard: BigInt.asIntN(64, some.splitBlock().shard) }),
    (t) => t.block.workchain === 0 && t.block.shard === some.splitBlock().shard,
  ],
  [
    'shard and a range of lt',
    () => ({ workchain: 0, shard: '8000000000000000', start_lt: some.lt(0.3), end_lt: some.lt(0.6) }),
    (t) =>
      t.block.workchain === 0 && t.block.shard === 2n ** 63n && t.lt >= some.lt(0.3) && t.lt <= some.lt(0.6),
  ],
  [
    'shard and a period',
    () => ({ workchain: -1, start_utime: some.time(0.3), end_utime: some.time(0.6) }),
    (t) => t.block.workchain === -1 && t.now >= some.time(0.3) && t.now <= some.time(0.6),
  ],
  [
    'one block',
    () => ({ workchain: 0, shard: some.splitBlock().shard.toString(16), seqno: some.splitBlock().seqno }),
    (t) => t.block === some.splitBlock(),
  ],
  [
    'masterchain block',
    () => ({ mc_seqno: some.transaction().block.mcBlockSeqno }),
    (t) => t.block.mcBlockSeqno === some.transaction().block.mcBlockSeqno,
  ],
  [
    'masterchain block and account',
    () => ({ mc_seqno: some.transaction().block.mcBlockSeqno, account: some.transaction().account }),
    (t) =>
      t.block.mcBlockSeqno === some.transaction().block.mcBlockSeqno &&
      t.account === some.transaction().account,
  ],
  ['account', () => ({ account: some.accounts()[0]! }), (t) => t.account === some.accounts()[0]],
  [
    'account and a period',
    () => ({ account: some.accounts()[3]!, start_utime: some.time(0.2), end_utime: some.time(0.8) }),
    (t) => t.account === some.accounts()[3] && t.now >= some.time(0.2) && t.now <= some.time(0.8),
  ],
  [
    'account and a range of lt',
    () => ({ account: some.accounts()[3]!, start_lt: some.lt(0.2), end_lt: some.lt(0.8) }),
    (t) => t.account === some.accounts()[3] && t.lt >= some.lt(0.2) && t.lt <= some.lt(0.8),
  ],
  ['many accounts', () => ({ account: [...LISTED()] }), (t) => LISTED().has(t.account)],
  [
    'many accounts and a period',
    () => ({ account: [...LISTED()], start_utime: some.time(0.2), end_utime: some.time(0.9) }),
    (t) => LISTED().has(t.account) && t.now >= some.time(0.2) && t.now <= some.time(0.9),
  ],
  [
    'accounts minus an excluded one',
    () => ({ account: some.accounts().slice(0, 5), exclude_account: some.accounts()[1]! }),
    (t) => some.accounts().slice(0, 5).includes(t.account) && t.account !== some.accounts()[1],
  ],
  [
    'excluded accounts',
    () => ({ exclude_account: some.accounts().slice(0, 20) }),
    (t) => !some.accounts().slice(0, 20).includes(t.account),
  ],
  [
    'account and shard',
    () => ({ workchain: 0, shard: '8000000000000000', account: some.accounts().slice(0, 9) }),
    (t) =>
      some.accounts().slice(0, 9).includes(t.account) &&
      t.block.workchain === 0 &&
      t.block.shard === 2n ** 63n,
  ],
  ['hash', () => ({ hash: some.transaction().hash.toString('hex') }), (t) => t === some.transaction()],
  ['lt', () => ({ lt: some.transaction().lt }), (t) => t.lt === some.transaction().lt],
  [
    'period',
    () => ({ start_utime: some.time(0.4), end_utime: some.time(0.7) }),
    (t) => t.now >= some.time(0.4) && t.now <= some.time(0.7),
  ],
  ['time from', () => ({ start_utime: some.time(0.9) }), (t) => t.now >= some.time(0.9)],
  ['time to', () => ({ end_utime: some.time(0.1) }), (t) => t.now <= some.time(0.1)],
  [
    'range of lt',
    () => ({ start_lt: some.lt(0.4), end_lt: some.lt(0.5) }),
    (t) => t.lt >= some.lt(0.4) && t.lt <= some.lt(0.5),
  ],
  ['old lt in order of time', () => ({ start_utime: 1, end_lt: some.lt(0.2) }), (t) => t.lt <= some.lt(0.2)],
  ['inverted range', () => ({ start_lt: some.lt(0.5), end_lt: some.lt(0.4) }), () => false],
  ['an account nobody saw', () => ({ account: `0:${'AB'.repeat(32)}` }), () => false],
]

const ORDERS = ['desc', 'asc'] as const

/** Unless tests are long, each filter is tried in one order, every second one in the other. */
const triedIn = <T>(sort: (typeof ORDERS)[number], cases: readonly T[]): readonly T[] =>
  cases.filter((_, index) => isLong || ORDERS[index % 2] === sort)

describe.each(ORDERS)('transactions in order %s', (sort) => {
  test.each(triedIn(sort, TRANSACTION_CASES))('filtered by %s', async (_name, query, matches) => {
    const asked = { sort, ...query() }
    const byTime = 'start_utime' in asked || 'end_utime' in asked
    const expected = sorted.transactions(sort, byTime).filter(matches)
    await expectPaging('transactions', 'transactions', asked, expected)
  })
})

/**
 * Cursor pages and offset pages have the same rows in the same order. Long runs read every list to its end,
 * in pages of two sizes; others read only the beginning of lists of hundreds of rows, and one size.
 */
async function expectPaging(
  path: string,
  rows: string,
  query: Query,
  expected: readonly { readonly hash: Buffer }[],
): Promise<void> {
  for (const { limit, most } of readings(expected.length)) {
    const found = await client.all(path, rows, query, limit, most)
    expect(hashes(found)).toEqual(base64(expected.slice(0, most)))
  }
  const middle = Math.floor(expected.length / 2)
  for (const offset of isLong ? [0, 1, middle, expected.length] : [Math.max(1, middle)]) {
    const reply = await client.get(path, { ...query, limit: 5, offset })
    expect(reply.status).toBe(200)
    expect(hashes(reply.body[rows] as Json[])).toEqual(base64(expected.slice(offset, offset + 5)))
  }
}

/** How a list is read: rows per page, and after how many rows to stop. */
function readings(length: number): readonly { readonly limit: number; readonly most?: number }[] {
  if (isLong) return (length > 600 ? [567, 233] : [1000, 37]).map((limit) => ({ limit }))
  return length > 60 ? [{ limit: 23, most: 2 * 23 }] : [{ limit: 17 }]
}

const is = (kind: string) => (m: ExpectedMessage) => m.kind === kind
const MESSAGE_CASES: readonly Case<ExpectedMessage>[] = [
  ['nothing', () => ({}), () => true],
  ['no externals', () => ({ exclude_externals: true }), (m) => m.kind !== 'external_in'],
  ['only externals', () => ({ only_externals: true }), is('external_in')],
  ['both externals flags', () => ({ exclude_externals: true, only_externals: true }), () => false],
  ['source', () => ({ source: some.internal().source }), (m) => m.source === some.internal().source],
  ['source null', () => ({ source: 'null' }), is('external_in')],
  [
    'the system as source',
    () => ({ source: `-1:${'00'.repeat(32)}` }),
    (m) => m.source === `-1:${'00'.repeat(32)}`,
  ],
  ['destination', () => ({ destination: some.accounts()[5]! }), (m) => m.destination === some.accounts()[5]],
  ['destination null', () => ({ destination: 'null' }), is('external_out')],
  [
    'source and destination',
    () => ({ source: some.internal().source, destination: some.internal().destination }),
    (m) => m.source === some.internal().source && m.destination === some.internal().destination,
  ],
  [
    'opcode',
    () => ({ opcode: `0x${some.internal().opcode!.toString(16)}` }),
    (m) => m.opcode === some.internal().opcode,
  ],
  ['opcode 0', () => ({ opcode: '0x0' }), (m) => m.opcode === 0],
  ['hash', () => ({ msg_hash: some.internal().hash.toString('hex') }), (m) => m === some.internal()],
  [
    'hash by its older name',
    () => ({ hash: some.internal().hash.toString('base64url').padEnd(44, '=') }),
    (m) => m === some.internal(),
  ],
  [
    'normalised hash',
    () => ({ msg_hash: normalised().hashNorm!.toString('base64') }),
    (m) => m.hashNorm?.equals(normalised().hashNorm!) ?? false,
  ],
  [
    'body',
    () => ({ body_hash: some.internal().bodyHash.toString('hex') }),
    (m) => m.bodyHash.equals(some.internal().bodyHash),
  ],
  ['empty body', () => ({ body_hash: EMPTY }), (m) => m.bodyHash.equals(EMPTY_HASH)],
  ['received', () => ({ direction: 'in' }), (m) => m.inTx !== undefined],
  ['sent', () => ({ direction: 'out' }), (m) => m.outTx !== undefined],
  [
    'period',
    () => ({ start_utime: some.time(0.4), end_utime: some.time(0.7) }),
    (m) => m.createdAt !== undefined && m.createdAt >= some.time(0.4) && m.createdAt <= some.time(0.7),
  ],
  [
    'period and destination',
    () => ({ end_utime: some.time(0.7), destination: some.accounts()[3]! }),
    (m) => m.createdAt !== undefined && m.destination === some.accounts()[3] && m.createdAt <= some.time(0.7),
  ],
  [
    'range of lt',
    () => ({ start_lt: some.lt(0.4), end_lt: some.lt(0.7) }),
    (m) => m.createdLt !== undefined && m.createdLt >= some.lt(0.4) && m.createdLt <= some.lt(0.7),
  ],
  [
    'start_lt=1, the advised way to the newest internal ones',
    () => ({ start_lt: 1 }),
    (m) => m.createdLt !== undefined,
  ],
  ['externals with a bound', () => ({ only_externals: true, start_lt: 1 }), () => false],
  ['a source nobody saw', () => ({ source: `0:${'AB'.repeat(32)}` }), () => false],
]
const EMPTY = 'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c='
const EMPTY_HASH = Buffer.from(EMPTY, 'base64')
const normalised = once(() => truth.messages.find((m) => m.hashNorm)!)

describe.each(ORDERS)('messages in order %s', (sort) => {
  test.each(triedIn(sort, MESSAGE_CASES))('filtered by %s', async (_name, query, matches) => {
    const asked = { sort, ...query() }
    const byTime = 'start_utime' in asked || 'end_utime' in asked
    const expected = sorted.messages(sort, byTime).filter(matches)
    await expectPaging('messages', 'messages', asked, expected)
  })
})

test('a direction selects only that side of a message', async () => {
  for (const row of (await client.get('messages', { direction: 'in', limit: 50 })).body[
    'messages'
  ] as Json[]) {
    expect(row).toHaveProperty('in_msg_tx_hash')
    expect(row).not.toHaveProperty('out_msg_tx_hash')
  }
  for (const row of (await client.get('messages', { direction: 'out', limit: 50 })).body[
    'messages'
  ] as Json[]) {
    expect(row).toHaveProperty('out_msg_tx_hash')
    expect(row).not.toHaveProperty('in_msg_tx_hash')
  }
})

/** Transactions at either end of messages. */
const ends = (matches: (m: ExpectedMessage) => boolean, side?: string) => (t: ExpectedTransaction) =>
  (side !== 'out' && t.inMsg !== undefined && matches(t.inMsg)) || (side !== 'in' && t.outMsgs.some(matches))
const opcodeIs = (m: ExpectedMessage) => m.opcode === some.internal().opcode

const BY_MESSAGE_CASES: readonly Case<ExpectedTransaction>[] = [
  ['hash', () => ({ msg_hash: some.internal().key }), (t) => ends((m) => m === some.internal())(t)],
  [
    'hash, receiver',
    () => ({ msg_hash: some.internal().key, direction: 'in' }),
    (t) => ends((m) => m === some.internal(), 'in')(t),
  ],
  [
    'hash, sender',
    () => ({ msg_hash: some.internal().key, direction: 'out' }),
    (t) => ends((m) => m === some.internal(), 'out')(t),
  ],
  [
    'normalised hash',
    () => ({ msg_hash: normalised().hashNorm!.toString('hex') }),
    (t) => ends((m) => m.hashNorm?.equals(normalised().hashNorm!) ?? false)(t),
  ],
  [
    'opcode: receivers only',
    () => ({ opcode: `0x${some.internal().opcode!.toString(16)}` }),
    (t) => ends(opcodeIs, 'in')(t),
  ],
  ['opcode and sender: nothing', () => ({ opcode: '0x0', direction: 'out' }), () => false],
  [
    'body',
    () => ({ body_hash: some.internal().bodyHash.toString('hex') }),
    (t) => ends((m) => m.bodyHash.equals(some.internal().bodyHash))(t),
  ],
  [
    'empty body, senders',
    () => ({ body_hash: EMPTY, direction: 'out' }),
    (t) => ends((m) => m.bodyHash.equals(EMPTY_HASH), 'out')(t),
  ],
  [
    'opcode and source',
    () => ({ opcode: `0x${some.internal().opcode!.toString(16)}`, source: some.internal().source }),
    (t) => ends((m) => opcodeIs(m) && m.source === some.internal().source, 'in')(t),
  ],
  [
    'empty body, of an account',
    () => ({ body_hash: EMPTY, account: some.accounts()[3]! }),
    (t) => t.account === some.accounts()[3] && ends((m) => m.bodyHash.equals(EMPTY_HASH))(t),
  ],
  [
    'opcode, in a period',
    () => ({ opcode: `0x${some.internal().opcode!.toString(16)}`, end_utime: some.time(0.8) }),
    (t) => t.now <= some.time(0.8) && ends(opcodeIs, 'in')(t),
  ],
  [
    'hash, in another block',
    () => ({ msg_hash: some.internal().key, mc_seqno: 3 }),
    (t) => t.block.mcBlockSeqno === 3 && ends((m) => m === some.internal())(t),
  ],
]

async function expectByMessage(path: string, asked: Query, matches: (t: ExpectedTransaction) => boolean) {
  const expected = sorted.transactions(asked['sort'] as 'asc', 'end_utime' in asked).filter(matches)
  await expectPaging(path, 'transactions', asked, expected)
}

describe.each(ORDERS)('transactionsByMessage in order %s', (sort) => {
  test.each(triedIn(sort, BY_MESSAGE_CASES))('by %s', async (_name, query, matches) => {
    await expectByMessage('transactionsByMessage', { sort, ...query() }, matches)
  })
})

// A client that looks for a payment must not be shown other transactions.
const ONLY_MESSAGE_CASES: readonly Case<ExpectedTransaction>[] = [
  ['a hash that no message has', () => ({ msg_hash: '12'.repeat(32) }), () => false],
  [
    'source and account',
    () => ({ source: some.internal().source, account: some.internal().destination }),
    (t) => t.account === some.internal().destination && ends((m) => m.source === some.internal().source)(t),
  ],
  ['source null', () => ({ source: 'null' }), (t) => ends(is('external_in'))(t)],
  ['direction', () => ({ direction: 'out', workchain: 0 }), (t) => t.outMsgs.length > 0 && isBase(t)],
]
const isBase = (t: ExpectedTransaction): boolean => t.block.workchain === 0

describe.each(ORDERS)('transactions in order %s, as TON Center', (sort) => {
  const cases = [...BY_MESSAGE_CASES, ...ONLY_MESSAGE_CASES]
  test.each(triedIn(sort, cases))('by %s', async (_name, query, matches) => {
    await expectByMessage('transactions', { sort, ...query() }, matches)
  })
})

test('adjacentTransactions are the senders and receivers of a transaction, by lt', async () => {
  const middle = truth.transactions.filter((t) => t.inMsg?.outTx && t.outMsgs.some((m) => m.inTx))
  for (const t of middle.filter((_, index) => index % (isLong ? 97 : 291) === 0)) {
    const parents = [t.inMsg!.outTx!]
    const children = t.outMsgs.flatMap((m) => (m.inTx ? [m.inTx] : []))
    for (const [direction, expected] of [
      ['in', parents],
      ['out', children],
      [undefined, [...parents, ...children]],
    ] as const) {
      const reply = await client.get('adjacentTransactions', { hash: t.hash.toString('hex'), direction })
      expect(hashes(reply.body['transactions'] as Json[])).toEqual(base64(sortTransactions(expected, 'asc')))
    }
  }
  const lonely = truth.transactions.find((t) => !t.inMsg?.outTx && !t.outMsgs.some((m) => m.inTx))!
  const none = await client.get('adjacentTransactions', { hash: lonely.hash.toString('hex') })
  expect([none.status, none.body]).toEqual([404, { error: 'adjacent transactions not found', code: 404 }])
})

const rootHashes = (blocks: readonly ExpectedBlock[]) => blocks.map((b) => b.rootHash.toString('base64'))
const blockRoots = (rows: readonly Json[]) => rows.map((row) => row['root_hash'])
const signed = (shard: bigint) => BigInt.asIntN(64, shard)

const BLOCK_CASES: readonly Case<ExpectedBlock>[] = [
  ['nothing', () => ({}), () => true],
  ['workchain', () => ({ workchain: 0 }), (b) => b.workchain === 0],
  ['shard', () => ({ workchain: -1, shard: '8000000000000000' }), (b) => b.workchain === -1],
  [
    'seqno',
    () => ({ workchain: 0, shard: '0x8000000000000000', seqno: 33 }),
    (b) => b.workchain === 0 && b.shard === 2n ** 63n && b.seqno === 33,
  ],
  ['mc_seqno', () => ({ mc_seqno: 230 }), (b) => b.mcBlockSeqno === 230],
  ['mc_seqno that is not indexed', () => ({ mc_seqno: 100000 }), () => false],
  [
    'root hash',
    () => ({ root_hash: truth.blocks[77]!.rootHash.toString('hex') }),
    (b) => b === truth.blocks[77],
  ],
  [
    'file hash',
    () => ({ file_hash: truth.blocks[78]!.fileHash.toString('base64') }),
    (b) => b === truth.blocks[78],
  ],
  [
    'period',
    () => ({ start_utime: some.time(0.3), end_utime: some.time(0.5) }),
    (b) => b.genUtime >= some.time(0.3) && b.genUtime <= some.time(0.5),
  ],
  [
    'range of start_lt',
    () => ({ start_lt: some.lt(0.3), end_lt: some.lt(0.6) }),
    (b) => b.startLt >= some.lt(0.3) && b.startLt <= some.lt(0.6),
  ],
  [
    'period and range of start_lt',
    () => ({ workchain: 0, start_utime: some.time(0.2), end_lt: some.lt(0.6) }),
    (b) => b.workchain === 0 && b.genUtime >= some.time(0.2) && b.startLt <= some.lt(0.6),
  ],
]

describe.each(ORDERS)('blocks in order %s', (sort) => {
  test.each(triedIn(sort, BLOCK_CASES))('filtered by %s', async (_name, query, matches) => {
    const sign = sort === 'asc' ? 1 : -1
    const expected = rootHashes(
      truth.blocks
        .filter(matches)
        .sort(
          (a, b) =>
            (a.genUtime - b.genUtime) * sign ||
            a.workchain - b.workchain ||
            Number(signed(a.shard) > signed(b.shard)) - Number(signed(a.shard) < signed(b.shard)) ||
            (a.seqno - b.seqno) * sign,
        ),
    )
    for (const { limit, most } of isLong ? [{ limit: 1000 }, { limit: 41 }] : readings(expected.length))
      expect(blockRoots(await client.all('blocks', 'blocks', { sort, ...query() }, limit, most))).toEqual(
        expected.slice(0, most),
      )
    const middle = await client.get('blocks', { sort, ...query(), limit: 3, offset: 2 })
    expect(blockRoots(middle.body['blocks'] as Json[])).toEqual(expected.slice(2, 5))
  })
})

test('masterchainInfo returns the ends of the indexed range', async () => {
  const { body } = await client.get<{ last: BlockJson; first: BlockJson }>('masterchainInfo')
  expect([body.first.seqno, body.last.seqno]).toEqual([1, 529])
  expect(body.last).toEqual(truth.blocks.find((b) => b.workchain === -1 && b.seqno === 529)!.json)
})
type BlockJson = ReturnType<(typeof BlockReply)['parse']>

test('masterchainBlockShards are the blocks that the masterchain block commits', async () => {
  for (const seqno of [1, 100, 230, 529]) {
    const rows = (await client.get('masterchainBlockShards', { seqno, limit: 1000 })).body['blocks'] as Json[]
    expect(new Set(blockRoots(rows))).toEqual(
      new Set(rootHashes(truth.blocks.filter((b) => b.mcBlockSeqno === seqno))),
    )
  }
})

test('masterchainBlockShardState has the newest block of each shard, transactions by lt', async () => {
  for (const seqno of isLong ? [3, 100, 230, 400, 529] : [3, 230, 529]) {
    const state = truth.shardStates.get(seqno)!
    const reply = await client.get('masterchainBlockShardState', { seqno, limit: 1000 })
    const sorted = [...state].sort(
      (a, b) => a.workchain - b.workchain || (signed(a.shard) < signed(b.shard) ? -1 : 1),
    )
    expect(blockRoots(reply.body['blocks'] as Json[])).toEqual(rootHashes(sorted))
    const transactions = sortTransactions(
      state.flatMap((b) => b.transactions),
      'asc',
    )
    expect(hashes(reply.body['transactions'] as Json[])).toEqual(base64(transactions))
    expect(hashes(await client.all('masterchainBlockShardState', 'transactions', { seqno }, 2))).toEqual(
      base64(transactions),
    )
  }
})

test('transactionsByMasterchainBlock lists all workchains by lt', async () => {
  for (const seqno of [100, 230, 400]) {
    const expected = sortTransactions(
      truth.transactions.filter((t) => t.block.mcBlockSeqno === seqno),
      'desc',
    )
    await expectPaging('transactionsByMasterchainBlock', 'transactions', { seqno }, expected)
  }
})

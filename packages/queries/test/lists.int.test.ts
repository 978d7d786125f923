import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  listActions,
  listBlocks,
  listMessages,
  listTraces,
  listTransactions,
  loadTransactionParts,
  MasterchainBlockNotIndexed,
  type Page,
  type SortedPageRequest,
  WrongCursor,
  withCode,
} from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await sampleChainDatabase()
})
afterAll(() => scratch?.close())

type List = (page: SortedPageRequest) => Promise<Page<object>>

const supported = new Set(['call_contract'])
const lists: Readonly<Record<string, List>> = {
  blocks: (page) => listBlocks(scratch.db, {}, page),
  'transactions by lt': (page) => listTransactions(scratch.db, {}, page),
  'transactions by time': (page) => listTransactions(scratch.db, { time: { from: 1 } }, page),
  'messages by lt': (page) => listMessages(scratch.db, {}, page),
  'messages by time': (page) => listMessages(scratch.db, { time: { from: 1 } }, page),
  traces: (page) => listTraces(scratch.db, {}, page),
}

/** Rows as text for comparison. */
const texts = (rows: readonly object[]): string[] =>
  rows.map((row) => JSON.stringify(row, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value)))

test('a page has state-inits as stored; each is put together when its message is printed', async () => {
  const { rows } = await listTransactions(scratch.db, {}, { sort: 'asc', limit: 1000, offset: 0 })
  const parts = await loadTransactionParts(scratch.db, rows)
  const incoming = rows.flatMap((row) => parts.inMsg(row) ?? [])
  const split = incoming.filter((message) => message.init_code_hash !== null)
  expect(split.length).toBeGreaterThan(5)
  for (const message of split) {
    const whole = withCode(message, message.code)
    expect(whole.init_code_hash).toBeNull()
    expect(whole.init_state).not.toEqual(message.init_state)
    expect(whole).toMatchObject({ hash: message.hash, lt: message.lt })
  }
  for (const message of incoming)
    if (message.init_code_hash === null) expect(withCode(message, message.code)).toBe(message)
})

describe.each(Object.entries(lists))('%s', (_name, list) => {
  test.each(['asc', 'desc'] as const)('pages along the cursor equal one long page, %s', async (sort) => {
    const { rows: expected } = await list({ sort, limit: 90, offset: 5 })
    const found: object[] = []
    let page: Page<object> = { rows: [] }
    do {
      page = await list({ sort, limit: 17, offset: found.length === 0 ? 5 : 0, cursor: page.next })
      found.push(...page.rows)
    } while (page.next && found.length < 90)
    expect(expected.length).toBe(90)
    expect(texts(found.slice(0, 90))).toEqual(texts(expected))
  })

  test('a cursor of one direction is refused in the other', async () => {
    const { next } = await list({ sort: 'asc', limit: 1, offset: 0 })
    await expect(list({ sort: 'desc', limit: 1, offset: 0, cursor: next })).rejects.toThrow(WrongCursor)
  })
})

test('every list refuses a masterchain block that is not indexed', async () => {
  const page = { sort: 'desc', limit: 1, offset: 0 } as const
  const mcBlockSeqno = 2_000_000_000
  for (const asked of [
    () => listTransactions(scratch.db, { mcBlockSeqno, accounts: [] }, page),
    () => listTraces(scratch.db, { mcBlockSeqno, traceIds: [] }, page),
    () => listActions(scratch.db, { mcBlockSeqno, supported, transactions: [[]] }, page),
  ]) {
    const error = await asked().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MasterchainBlockNotIndexed)
    expect(error).toMatchObject({ code: 'mc_block_not_indexed', retry: 'later', mcBlockSeqno })
  }
})

test('an empty list of accounts selects nothing, a missing one everything', async () => {
  const page = { sort: 'desc', limit: 3, offset: 0 } as const
  expect(await listTransactions(scratch.db, { accounts: [] }, page)).toEqual({ rows: [] })
  expect((await listTransactions(scratch.db, {}, page)).rows).toHaveLength(3)
})

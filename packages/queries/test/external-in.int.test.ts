import type { Db } from '@shardwalk/db'
import { repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepPlans, listMessages, type MessageListFilter, type Sort } from '../src/index.ts'

let scratch: ScratchDatabase
let db: Db

/** A row of a message from outside, and the hash of the transaction that received it. */
interface Received {
  readonly hash: Buffer
  readonly norm: Buffer
  readonly lt: bigint
  readonly root: Buffer
}
let received: readonly Received[]

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await repartition(scratch.pool, 20)
  db = keepPlans(scratch.pool)
  const { rows } = await scratch.pool.query<Received>(
    `select m.hash, coalesce(m.hash_norm, m.hash) as norm, m.lt, r.trace_id as root
     from messages m join traces r on r.start_lt = m.lt and r.external_hash = m.hash where m.kind = 1`,
  )
  received = rows
})
afterAll(() => scratch?.close())

/** One row per hash: that of the transaction with the greatest hash. */
function expected(sort: Sort): readonly Received[] {
  const rows = received.toSorted((a, b) => b.root.compare(a.root))
  const first = [...new Map(rows.toReversed().map((row) => [row.hash.toString('hex'), row])).values()]
  return first.sort((a, b) => (sort === 'asc' ? 1 : -1) * a.hash.compare(b.hash))
}

async function inPages(filter: MessageListFilter, sort: Sort) {
  const found = []
  let cursor: string | undefined
  do {
    const page = await listMessages(db, filter, { sort, limit: 50, offset: 0, cursor })
    found.push(...page.rows)
    cursor = page.next
  } while (cursor)
  return places(found)
}

const places = (rows: readonly Pick<Received, 'hash' | 'lt'>[]) => rows.map(({ hash, lt }) => ({ hash, lt }))

test.each(['asc', 'desc'] as const)('messages from outside come once each, by hash, %s', async (sort) => {
  const rows = expected(sort)
  // Many of the sample were received several times.
  expect(received.length).toBeGreaterThan(rows.length + 100)
  expect(await inPages({ externals: 'only' }, sort)).toEqual(places(rows))
  expect(await inPages({ source: null }, sort)).toEqual(places(rows))
  const offset = rows.length - 3
  const page = await listMessages(db, { externals: 'only' }, { sort, limit: 10, offset })
  expect(page.rows.map(({ hash }) => hash)).toEqual(rows.slice(offset).map(({ hash }) => hash))
})

test('an offset that skips all messages from outside goes on with the others', async () => {
  const all = await listMessages(db, {}, { sort: 'desc', limit: 1000, offset: 0 })
  const outside = expected('desc').length
  const page = await listMessages(db, {}, { sort: 'desc', limit: 5, offset: outside + 2 })
  expect(page.rows).toEqual(all.rows.slice(outside + 2, outside + 7))
})

test('a message from outside is found by either hash, whenever it was received', async () => {
  const rows = expected('asc')
  for (const { hash, norm } of rows.filter((_, index) => index % 10 === 0)) {
    const page = { sort: 'asc', limit: 50, offset: 0 } as const
    const found = async (hashes: readonly Buffer[]) => places((await listMessages(db, { hashes }, page)).rows)
    expect(await found([hash])).toEqual(places(rows.filter((row) => row.hash.equals(hash))))
    expect(await found([norm])).toEqual(places(rows.filter((row) => row.norm.equals(norm))))
  }
})

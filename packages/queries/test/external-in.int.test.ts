import { EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import type { Db } from '@shardwalk/db'
import { repartition, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import type { RawBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Statement } from '../src/idiom/index.ts'
import { keepPlans, listMessages, type MessageListFilter, type Sort } from '../src/index.ts'
import { executeForAnyValues } from './any-values.ts'

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

test('receiver, opcode and body together select the messages that have all of them', async () => {
  const { rows } = await scratch.pool.query<{ id: bigint; opcode: number; body: Buffer; hash: Buffer }>(
    `select distinct account_id as id, opcode, body, hash from messages
     where kind = 1 and opcode is not null and body is not null order by hash`,
  )
  const all = rows.map((row) => ({ ...row, bodyHash: hashOf(row.body) }))
  const [more, one] = [new Set<string>(), new Set<string>()]
  for (const { id, opcode, bodyHash } of all.filter((_, index) => index % 40 === 0))
    for (const [name, filter] of Object.entries({
      receiver: { destination: id },
      'receiver, opcode': { destination: id, opcode },
      'receiver, body': { destination: id, bodyHash },
      'opcode, body': { opcode, bodyHash },
      'all three': { destination: id, opcode, bodyHash },
    })) {
      const wanted: Partial<{ destination: bigint; opcode: number; bodyHash: Buffer }> = filter
      const fitting = all.filter(
        (row) =>
          (wanted.destination === undefined || row.id === wanted.destination) &&
          (wanted.opcode === undefined || row.opcode === wanted.opcode) &&
          (wanted.bodyHash === undefined || row.bodyHash.equals(wanted.bodyHash)),
      )
      // A page that holds what other conditions select would be short.
      const page = { sort: 'asc', limit: 2, offset: 0 } as const
      const found = await listMessages(db, { ...filter, externals: 'only' }, page)
      expect(found.rows.map((row) => row.hash)).toEqual(fitting.slice(0, 2).map((row) => row.hash))
      ;(fitting.length > 1 ? more : one).add(name)
    }
  expect([more.has('receiver'), one.has('all three')]).toEqual([true, true])
})

const TABLES = ['transactions', 'messages']

test('a partition that was dropped or made since partitions were read is noticed', async () => {
  const query = (text: string) => scratch.pool.query(text)
  const { rows } = await scratch.pool.query<{ from: bigint; to: bigint }>(
    `select x[1]::int8 as from, x[2]::int8 as to from pg_inherits i join pg_class c on c.oid = i.inhrelid
     cross join lateral regexp_match(pg_get_expr(c.relpartbound, c.oid), '(\\d+)\\D+(\\d+)') x
     where i.inhparent = 'messages'::regclass order by 1 limit 1`,
  )
  const { from, to } = rows[0]!
  const [all, left] = [expected('asc'), expected('asc').filter(({ lt }) => lt >= to)]
  const hashesOf = (list: readonly { readonly hash: Buffer }[]) => list.map(({ hash }) => hash)
  const list = async () => hashesOf(await inPages({ externals: 'only' }, 'asc'))
  const page = async (filter: MessageListFilter, offset: number) =>
    hashesOf((await listMessages(db, filter, { sort: 'desc', limit: 5, offset })).rows)
  expect(await list()).toEqual(hashesOf(all))
  for (const table of TABLES) {
    await query(`create table former_${table} as select * from ${table} where lt < ${to}`)
    await query(`drop table ${table}_lt_${from}`)
  }
  expect(await list()).toEqual(hashesOf(left))
  expect(await page({}, left.length + 2)).toEqual(await page({ externals: 'without' }, 2))
  db = keepPlans(scratch.pool)
  expect(await list()).toEqual(hashesOf(left))
  for (const table of TABLES) {
    await query(`select create_lt_partition('${table}', ${from}, ${to})`)
    await query(`insert into ${table} table former_${table}`)
  }
  expect(await list()).toEqual(hashesOf(all))
})

function hashOf(boc: Buffer): Buffer {
  const bag = parseBoc(boc, { allowLevel: true })
  return bag.hash(bag.root)
}

const BUSY = 77n
const OPCODE = 4711
const MANY = isLong ? 20_000 : 8_000

async function pagesOf(text: RawBuilder<unknown>): Promise<number> {
  const [root] = await executeForAnyValues(scratch, text)
  return root!['Shared Hit Blocks'] + root!['Shared Read Blocks']
}

describe(`${MANY.toLocaleString('en')} external-in messages with one receiver, opcode and body`, () => {
  beforeAll(async () => {
    const values = [BUSY, OPCODE, EMPTY_CELL.hash().readBigInt64BE(0), MANY]
    const rows = `generate_series(1, $4::int) n
      cross join lateral (select n::int8 as lt, sha256(n::text::bytea) as hash) x`
    await scratch.pool.query(
      `insert into messages (account_id, destination_id, opcode, body_hash8, lt, kind, flags, hash)
       select $1::int8, $1::int8, $2, $3, lt, 1, 0, hash from ${rows}`,
      values,
    )
    // Others have 16 each and half of the traces none, so that the planner expects few of a value that it
    // does not know.
    await scratch.pool.query(
      `insert into traces (external_account_id, external_opcode, external_body_hash8, external_hash, start_lt,
         end_lt, trace_id, piece, mc_seqno_start, mc_seqno_end, start_utime, end_utime, nodes, edges,
         pending_edges, state)
       select v.*, lt, lt, hash, -lt, 1, 1, 1, 1, 1, 1, 0, 0 from ${rows} cross join lateral (
         values ($1::int8, $2::int4, $3::int8, hash),
           (1000 + lt / 16, 5000 + n / 16, lt / 16, sha256(hash)), (null, null, null, null),
           (null, null, null, null)
       ) v`,
      values,
    )
    await scratch.pool.query('vacuum analyze traces, messages')
  })

  test.each([
    ['receiver', { destination: BUSY }],
    ['opcode', { opcode: OPCODE }],
    ['body', { bodyHash: EMPTY_CELL.hash() }],
  ])('a page of those with the %s reads few of them', async (_, filter) => {
    for (const sort of ['asc', 'desc'] satisfies Sort[]) {
      const page = { sort, limit: 10, offset: 0 }
      const middle = await listMessages(db, { ...filter, externals: 'only' }, { ...page, offset: MANY / 2 })
      const texts: RawBuilder<unknown>[] = []
      const rows = vi.spyOn(Statement.prototype, 'rows').mockImplementation(async (_, text) => {
        texts.push(text)
        return []
      })
      try {
        await listMessages(db, { ...filter, externals: 'only' }, page)
        await listMessages(db, { ...filter, externals: 'only' }, { ...page, cursor: middle.next })
      } finally {
        rows.mockRestore()
      }
      expect(texts).toHaveLength(2)
      for (const text of texts) expect(await pagesOf(text)).toBeLessThan(200)
    }
  })
})

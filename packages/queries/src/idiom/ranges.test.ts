import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely'
import { expect, test } from 'vitest'
import {
  ALL_LT,
  type Condition,
  intersect,
  isEmpty,
  type KeysetOrder,
  ltConditions,
  ltRange,
  readKeyset,
  timeConditions,
  WrongCursor,
} from './index.ts'

/** Compiles statements and runs none. */
const db = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (one) => new PostgresIntrospector(one),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})
const shown = (condition: Condition): readonly unknown[] => {
  const { sql: text, parameters } = condition.compile(db)
  return [text, ...parameters]
}

test('a range of lt ends where the column ends, and one that begins behind it is empty', () => {
  expect(ltRange()).toEqual(ALL_LT)
  expect(ltRange(5n, 2n ** 64n - 1n)).toEqual({ from: 5n, to: 2n ** 63n - 1n })
  expect(isEmpty(ltRange(2n ** 63n))).toBe(true)
  expect(intersect(ltRange(5n, 90n), ltRange(7n, 300n))).toEqual({ from: 7n, to: 90n })
  expect(isEmpty(intersect(ltRange(5n, 6n), ltRange(7n, 8n)))).toBe(true)
})

test('bounds that exclude nothing are no conditions: the planner would take them for narrow ones', () => {
  const column = sql.ref('t.lt')
  expect(ltConditions(column, ALL_LT)).toEqual([])
  expect(ltConditions(column, { from: 5n, to: ALL_LT.to }).map(shown)).toEqual([['"t"."lt" >= $1', 5n]])
  expect(ltConditions(column, { from: 0n, to: 9n }).map(shown)).toEqual([['"t"."lt" <= $1', 9n]])
})

test('times beyond the column select nothing from it on, and everything up to it', () => {
  const column = sql.ref('t.now')
  const conditions = (from?: number, to?: number) => timeConditions(column, { from, to }).map(shown)
  expect(conditions()).toEqual([])
  expect(conditions(7, 8)).toEqual([
    ['"t"."now" >= $1', 7],
    ['"t"."now" <= $1', 8],
  ])
  expect(conditions(2 ** 31)).toEqual([['false']])
  expect(conditions(undefined, 2 ** 32 - 1)).toEqual([['"t"."now" <= $1', 2 ** 31 - 1]])
})

test('a keyset reads one row more than its page, and goes on behind the last row of it', async () => {
  const order = (sort: 'asc' | 'desc'): KeysetOrder<{ readonly balance: bigint; readonly id: bigint }> => ({
    ...{ name: 'holders', sort },
    columns: [
      [sql.ref('h.balance'), 'numeric'],
      [sql.ref('h.id'), 'int8'],
    ],
    position: ({ balance, id }) => [balance, id],
  })
  const rows = [9n, 9n, 4n].map((balance, id) => ({ balance, id: BigInt(id) }))
  const asked: (readonly unknown[])[] = []
  const read = (cursor: string | undefined, sort: 'asc' | 'desc', found: typeof rows) =>
    readKeyset({ limit: 2, offset: 1, cursor }, order(sort), async ({ after, orderBy, limit, offset }) => {
      asked.push([shown(after), shown(orderBy), limit, offset])
      return found
    })
  const first = await read(undefined, 'desc', rows)
  expect(first.rows).toEqual(rows.slice(0, 2))
  expect(await read(first.next, 'desc', [])).toEqual({ rows: [] })
  expect(asked).toEqual([
    [['true'], ['"h"."balance" desc, "h"."id" desc'], 3, 1],
    [
      ['("h"."balance", "h"."id") < ($1::numeric, $2::int8)', '9', '1'],
      ['"h"."balance" desc, "h"."id" desc'],
      ...[3, 1],
    ],
  ])
  await expect(read(first.next, 'asc', [])).rejects.toThrow(WrongCursor)
  const forged = (id: bigint) => Buffer.from(`holders-asc~${2n ** 200n}~${id}`).toString('base64url')
  expect(await read(forged(2n ** 63n - 1n), 'asc', [])).toEqual({ rows: [] })
  await expect(read(forged(2n ** 63n), 'asc', [])).rejects.toThrow(WrongCursor)
})

test('a keyset goes on behind a text, whatever characters it has, and refuses what is none', async () => {
  const order: KeysetOrder<{ readonly domain: string; readonly id: bigint }> = {
    ...{ name: 'names', sort: 'asc' },
    columns: [
      [sql.ref('n.domain'), 'text'],
      [sql.ref('n.id'), 'int8'],
    ],
    position: ({ domain, id }) => [domain, id],
  }
  const rows = ['~ä~𝕒.ton', ''].map((domain) => ({ domain, id: 7n }))
  for (const row of rows) {
    const asked: (readonly unknown[])[] = []
    const read = (cursor?: string) =>
      readKeyset({ limit: 1, offset: 0, cursor }, order, async ({ after }) => {
        asked.push(shown(after))
        return [row, row]
      })
    await read((await read()).next)
    expect(asked[1]).toEqual(['("n"."domain", "n"."id") > ($1::text, $2::int8)', row.domain, '7'])
  }
  const none = Buffer.from(`names-asc~${Buffer.from('a\0').toString('base64url')}~7`).toString('base64url')
  const read = readKeyset({ limit: 1, offset: 0, cursor: none }, order, async () => [])
  await expect(read).rejects.toThrow(WrongCursor)
})

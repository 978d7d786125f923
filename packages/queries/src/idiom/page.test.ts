import { expect, test } from 'vitest'
import { Cursor, hash256, int4, int8, readPage, type Slice, WrongCursor } from './index.ts'

interface Position {
  readonly now: number
  readonly lt: bigint
  readonly hash: Buffer
}

const CURSOR = new Cursor<Position>('row', { now: int4, lt: int8, hash: hash256 })
const ROWS = Array.from({ length: 7 }, (_, index) => ({
  now: -index,
  lt: 2n ** 63n - 1n - BigInt(index),
  hash: Buffer.alloc(32, index),
}))

/** Reads `ROWS` in their order. */
const read = async ({ limit, offset, after }: Slice<Position>) => {
  const start = after ? ROWS.findIndex((row) => row.lt === after.lt && row.hash.equals(after.hash)) + 1 : 0
  return ROWS.slice(start + offset, start + offset + limit)
}

test('pages along the cursor give the list, and the last one has no next', async () => {
  for (const limit of [1, 2, 3, 7, 8]) {
    const found: Position[] = []
    let cursor: string | undefined
    do {
      const page = await readPage({ sort: 'desc', limit, offset: 0, cursor }, { cursor: CURSOR }, read)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      found.push(...page.rows)
      cursor = page.next
    } while (cursor)
    expect(found).toEqual(ROWS)
  }
})

test('a cursor is refused by another order or list, and after any damage', async () => {
  const text = CURSOR.encode('lt-desc', ROWS[3]!)
  expect(CURSOR.decode('lt-desc', text)).toEqual(ROWS[3])
  expect(() => CURSOR.decode('lt-asc', text)).toThrow(WrongCursor)
  expect(() =>
    new Cursor<Position>('other', { now: int4, lt: int8, hash: hash256 }).decode('lt-desc', text),
  ).toThrow(WrongCursor)
  const values = Buffer.from(text, 'base64url').toString()
  for (const bad of [
    '',
    'lt-desc',
    `${values}~1`,
    values.replace('~-3~', '~'),
    values.replace('~-3~', '~0x3~'),
  ])
    expect(() => CURSOR.decode('lt-desc', Buffer.from(bad).toString('base64url'))).toThrow(WrongCursor)
})

test('numbers that exceed a column are clamped', () => {
  const text = Buffer.from(`row-asc~${2n ** 40n + 5n}~${2n ** 80n}~-1`).toString('base64url')
  expect(CURSOR.decode('asc', text)).toEqual({ now: 5, lt: 0n, hash: Buffer.alloc(32, 255) })
})

import {
  ACTIVITY_FROM_ROWS,
  repartition,
  type ScratchDatabase,
  sampleChainDatabase,
} from '@shardwalk/testkit'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Statement } from '../src/idiom/index.ts'
import { keepPlans, listTransactionsByMessage, type MessageFilter } from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'

const PARTITIONS = 60
const SIDES = [undefined, 'in', 'out'] as const

let scratch: ScratchDatabase
let db: ReturnType<typeof keepPlans>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await repartition(scratch.pool, PARTITIONS)
  db = keepPlans(scratch.pool)
})
afterAll(() => scratch?.close())

const query = async <Row extends object>(text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query<Row>(text, [...values])).rows

/** Lists that many messages are in, alone and two at once. */
async function filters(): Promise<readonly MessageFilter[]> {
  const opcodes = await query<{ opcode: number }>(
    `select opcode from messages where opcode is not null group by 1 having count(*) > 100
     order by count(*), 1`,
  )
  const pairs = await query<{ source: bigint; destination: bigint; opcode: number }>(
    `select account_id as source, destination_id as destination, opcode from messages
     where opcode is not null and destination_id is not null and kind = 0
     group by 1, 2, 3 order by count(*) desc, 1, 2 limit 4`,
  )
  return [
    ...opcodes.map(({ opcode }) => ({ opcode })),
    ...pairs.flatMap(({ source, destination, opcode }) => [
      { source },
      { destination },
      { source, opcode },
      { destination, opcode },
      { source, destination },
    ]),
  ]
}

interface Key {
  readonly account_id: bigint
  readonly lt: bigint
}

/** A message at one of its ends. `has_source`: lists by source have it. */
interface MessageEnd extends Key {
  readonly side: 'in' | 'out'
  readonly source: bigint
  readonly destination: bigint | null
  readonly opcode: number | null
  readonly has_source: boolean
}

/** All messages at both ends, by plain joins, newest transactions first. */
const messageEnds = () =>
  query<MessageEnd>(
    `with ends as (
       select t.account_id, t.lt, 'in' as side, coalesce(t.in_msg_account_id, t.account_id) as sender,
         t.in_msg_lt as first, t.in_msg_lt as last from transactions t
       union all
       select account_id, lt, 'out', account_id, lt + 1, lt + out_msg_count from transactions)
     select e.account_id, e.lt, side, m.account_id as source, m.destination_id as destination, m.opcode,
       m.kind <> 1 and m.flags & 8 = 0 as has_source
     from ends e join messages m on m.account_id = sender and m.lt between first and last
     order by e.lt desc, e.account_id`,
  )

/** All transactions that sent or received such a message, newest first. */
function plain(ends: readonly MessageEnd[], filter: MessageFilter, side: (typeof SIDES)[number]) {
  const wanted = Object.entries(filter) as [keyof MessageFilter & keyof MessageEnd, unknown][]
  const chosen = ends.filter(
    (end) =>
      (side === undefined || end.side === side) &&
      (end.has_source || !('source' in filter)) &&
      wanted.every(([name, value]) => end[name] === value),
  )
  return keysOf(
    chosen.filter(({ account_id, lt }, i) => {
      const before = chosen[i - 1]
      return before?.lt !== lt || before.account_id !== account_id
    }),
  )
}

const page = { sort: 'desc', limit: 5, offset: 0 } as const

const keysOf = (rows: readonly Key[]): readonly Key[] =>
  rows.map(({ account_id, lt }) => ({ account_id, lt }))

async function expectPlainPages(): Promise<void> {
  const ends = await messageEnds()
  // Of filters by accounts, every third one is still one of each kind.
  for (const message of swept(await filters(), 3))
    for (const side of SIDES) {
      const expected = plain(ends, message, side)
      const found: Key[] = []
      let cursor: string | undefined
      for (let n = 0; n === 0 || (cursor !== undefined && n < 6); n++) {
        const part = { ...page, limit: 3 + 4 * n, offset: n === 0 ? 2 : 0, cursor }
        const { rows, next } = await listTransactionsByMessage(db, { message, side }, part)
        found.push(...keysOf(rows))
        cursor = next
      }
      const count = Math.max(0, Math.min(expected.length - 2, 3 + 7 + 11 + 15 + 19 + 23))
      expect([message, side, found]).toEqual([message, side, expected.slice(2, 2 + count)])
    }
}

test('the newest transactions of messages are those of the plain statement, on every page', async () => {
  expect((await filters()).length).toBeGreaterThan(20)
  await expectPlainPages()
})

test('so they are if some messages were received after many others that were sent later', async () => {
  const moved = await query(
    `with chosen as (
       select account_id, lt, row_number() over (order by md5(t.hash::text)) as n from transactions t
       where in_msg_account_id is not null and out_msg_count = 0
         and exists (select from messages m where m.account_id = t.in_msg_account_id and m.lt = t.in_msg_lt
           and m.opcode is not null)),
     ends as (select max(lt) as lt from transactions)
     update transactions t set lt = ends.lt - c.n * 40000003 from chosen c, ends
     where n <= 20 and t.account_id = c.account_id and t.lt = c.lt and t.in_msg_lt < ends.lt - c.n * 40000003
     returning 1`,
  )
  expect(moved.length).toBeGreaterThan(8)
  await scratch.pool.query(ACTIVITY_FROM_ROWS)
  await expectPlainPages()
})

test('the newest transactions of an opcode are found by few pages, however rare it is', async () => {
  const rare = (await filters()).filter(
    ({ opcode, source, destination }) => opcode && !source && !destination,
  )
  expect(rare.length).toBeGreaterThan(4)
  for (const message of rare) {
    const found = await partitionsDuring(scratch, () =>
      listTransactionsByMessage(db, { message, side: 'in' }, page),
    )
    const pages = found.reduce((sum, one) => sum + one.pages, 0)
    expect([message, pages < 1500]).toEqual([message, true])
  }
})

test('a far page of an opcode is found by its messages, without a scan of all transactions', async () => {
  const [row] = await query<{ count: number }>(
    `with changed as (update messages set opcode = 77 where kind <> 2 returning 1)
     select count(*)::int as count from changed`,
  )
  expect(row!.count).toBeGreaterThan(6000)
  const ends = await messageEnds()
  const message = { opcode: 77 }
  const run = vi.spyOn(Statement.prototype, 'rows')
  const names = () => run.mock.contexts.map((one) => (one as Statement<unknown>).name)
  for (const side of SIDES)
    for (const offset of [2600, 4100]) {
      run.mockClear()
      const expected = plain(ends, message, side).slice(offset, offset + page.limit)
      const { rows } = await listTransactionsByMessage(db, { message, side }, { ...page, offset })
      expect([side, offset, keysOf(rows)]).toEqual([side, offset, expected])
      // Fewer transactions sent them all: whether there are so many is found out otherwise.
      if (side !== 'out') expect(names()).not.toContain('transactions whose messages match')
    }
  run.mockRestore()
})

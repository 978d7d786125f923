import { randomFrom, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Condition, LtRange } from '../src/idiom/index.ts'
import {
  crossedLists,
  listCrossing,
  listMessages,
  type MessageFilter,
  messageConditions,
} from '../src/messages/index.ts'

interface Row {
  readonly account_id: bigint
  readonly lt: bigint
  readonly destination_id: bigint | null
  readonly opcode: number | null
  readonly hash: Buffer
}

let scratch: ScratchDatabase
let rows: readonly Row[]
const random = randomFrom(testSeed())
const chance = (share: number) => random() < share
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  rows = await read<Row>(sql`select account_id, lt, destination_id, opcode, hash from messages
    where kind <> 1 and flags & 8 = 0 order by lt, hash`)
})

afterAll(() => scratch?.close())

const read = async <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  (await statement.execute(scratch.db)).rows as T[]

/** Two or three conditions, taken from one message or from two unrelated ones. */
function chooseFilter(): MessageFilter {
  const [one, other] = [pick(rows), pick(rows)]
  const source = chance(0.7) ? one.account_id : undefined
  const destination =
    chance(0.6) || source === undefined ? (chance(0.5) ? one : other).destination_id : undefined
  const needed = source === undefined || destination === undefined
  const opcode = chance(0.3) || needed ? (chance(0.5) ? one : other).opcode : undefined
  return destination === null || opcode === null ? chooseFilter() : { source, destination, opcode }
}

const fits = ({ source, destination, opcode }: MessageFilter, row: Row) =>
  (source === undefined || row.account_id === source) &&
  (destination === undefined || row.destination_id === destination) &&
  (opcode === undefined || row.opcode === opcode)

test('messages in two lists are found once each, for any first look and any page', async () => {
  const between = (): LtRange => {
    const [a, b] = [pick(rows).lt, pick(rows).lt]
    return a < b ? { from: a, to: b } : { from: b, to: a }
  }
  let nonEmpty = 0
  for (let round = 0; round < 60; round++) {
    const filter = chooseFilter()
    const [lists, conditions] = [crossedLists(filter), messageConditions(filter)!]
    expect(lists.length).toBeGreaterThan(1)
    const sort = chance(0.5) ? 'asc' : 'desc'
    const range = chance(0.5) ? between() : { from: 0n, to: 2n ** 63n - 1n }
    const wanted = rows.filter((row) => fits(filter, row) && row.lt >= range.from && row.lt <= range.to)
    const expected = (sort === 'asc' ? wanted : wanted.toReversed()).map((row) => row.hash.toString('hex'))
    const firstLook = pick([1, 2, 7, 40, 2000])
    const limit = 1 + Math.floor(random() * 60)
    const found: string[] = []
    let lt = range
    let after: Condition = sql`true`
    for (;;) {
      const crossing = { lt, lists, conditions: [sql`m.kind <> 1`, after, ...conditions], firstLook }
      const keys = await listCrossing(scratch.db, crossing, sort, limit)
      for (const key of keys) found.push(await hashOf(key))
      const last = keys.at(-1)
      if (!last || keys.length < limit) break
      lt = sort === 'asc' ? { ...lt, from: last.lt } : { ...lt, to: last.lt }
      const sign = sql.raw(sort === 'asc' ? '>' : '<')
      after = sql`(m.lt + 0, m.hash) ${sign} (${last.lt}, ${Buffer.from(found.at(-1)!, 'hex')})`
      if (found.length > 400) break
    }
    expect([round, found]).toEqual([round, found.length > 400 ? expected.slice(0, found.length) : expected])
    if (expected.length > 0) nonEmpty++
  }
  expect(nonEmpty).toBeGreaterThan(10)
})

test('messages of one list come in order and once each, whatever the page', async () => {
  let nonEmpty = 0
  for (let round = 0; round < 40; round++) {
    const { account_id: source, opcode } = pick(rows)
    const filter: MessageFilter = opcode !== null && chance(0.5) ? { opcode } : { source }
    const sort = chance(0.5) ? 'asc' : 'desc'
    const wanted = rows.filter((row) => fits(filter, row)).map((row) => row.hash.toString('hex'))
    const expected = (sort === 'asc' ? wanted : wanted.toReversed()).slice(0, 60)
    const limit = 1 + Math.floor(random() * 20)
    const offset = Math.floor(random() * 4)
    const found: string[] = []
    let page: Awaited<ReturnType<typeof listMessages>> = { rows: [] }
    do {
      const place = { sort, limit, offset: page.next ? 0 : offset, cursor: page.next } as const
      page = await listMessages(scratch.db, { ...filter, externals: 'without' }, place)
      found.push(...page.rows.map((row) => row.hash.toString('hex')))
    } while (page.next && found.length < 60)
    expect([round, found.slice(0, 60 - offset)]).toEqual([round, expected.slice(offset)])
    if (expected.length > offset + limit) nonEmpty++
  }
  expect(nonEmpty).toBeGreaterThan(10)
})

const hashOf = async ({ account_id, lt }: { account_id: bigint; lt: bigint }): Promise<string> => {
  const [row] = await read<{ hex: string }>(sql`
    select encode(hash, 'hex') as hex from messages where account_id = ${account_id} and lt = ${lt}`)
  return row!.hex
}

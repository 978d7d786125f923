import { randomFrom, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replicate } from '../bench/replicate.ts'
import { Client, type Json, type Query } from './client.ts'

/**
 * Makes the lists of the busiest accounts and opcodes too long to scan, and that of external messages too
 * long to sort.
 */
const COPIES = 9

interface Row {
  readonly account_id: bigint
  readonly lt: bigint
  readonly destination_id: bigint | null
  readonly opcode: number | null
  readonly created_at: number
  readonly hash: Buffer
}

let scratch: ScratchDatabase
let client: Client
let rows: readonly Row[]
const addresses = new Map<bigint, string>()
const random = randomFrom(testSeed())
const chance = (share: number) => random() < share
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await replicate(scratch.url, COPIES - 1)
  client = await Client.start(scratch)
  rows = await read<Row>(sql`select account_id, lt, destination_id, opcode, created_at, hash from messages
    where kind <> 1 and flags & 8 = 0 order by lt, hash`)
  const accounts = sql`select id, workchain, encode(address, 'hex') as hex from accounts`
  for (const row of await read<{ id: bigint; workchain: number; hex: string }>(accounts))
    addresses.set(row.id, `${row.workchain}:${row.hex.toUpperCase()}`)
})

afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const read = async <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  (await statement.execute(scratch.db)).rows as T[]

/** Of messages that an account sent. */
interface MessageFilter {
  readonly source?: bigint | undefined
  readonly destination?: bigint | undefined
  readonly opcode?: number | undefined
}

interface Choice {
  readonly filter: MessageFilter
  readonly query: Query
}

/**
 * Two or three filters taken from one message or from two unrelated ones. Busy accounts and opcodes are
 * chosen more often, because they have more messages.
 */
function chooseFilters(): Choice {
  const [one, other] = [pick(rows), pick(rows)]
  const source = chance(0.7) ? one.account_id : undefined
  const destination =
    chance(0.6) || source === undefined ? (chance(0.5) ? one : other).destination_id : undefined
  const needed = source === undefined || destination === undefined
  const opcode = chance(0.3) || needed ? (chance(0.5) ? one : other).opcode : undefined
  if ((needed && (opcode ?? null) === null) || destination === null || opcode === null) return chooseFilters()
  return {
    filter: { source, destination, opcode },
    query: {
      source: source && addresses.get(source),
      destination: destination && addresses.get(destination),
      opcode: opcode === undefined ? undefined : `0x${(opcode >>> 0).toString(16)}`,
    },
  }
}

const fits = ({ source, destination, opcode }: MessageFilter, row: Row) =>
  (source === undefined || row.account_id === source) &&
  (destination === undefined || row.destination_id === destination) &&
  (opcode === undefined || row.opcode === opcode)

/** Compares pages by cursor, the first one at an offset, with the whole list. */
async function comparePages(
  path: string,
  key: string,
  query: Query,
  expected: readonly string[],
): Promise<void> {
  const limit = 1 + Math.floor(random() * 7)
  let at = chance(0.3) ? Math.floor(random() * 40) : 0
  let page: Query = { ...query, limit, offset: at }
  for (let number = 0; number < 5; number++) {
    const reply = await client.get(path, page)
    const found = (reply.body[key] as Json[]).map((row) => row['hash'])
    expect([page, found]).toEqual([page, expected.slice(at, at + limit)])
    at += limit
    const cursor = reply.headers.get('x-next-cursor')
    expect([page, cursor !== null]).toEqual([page, at < expected.length])
    if (!cursor) return
    page = { ...query, limit, cursor }
  }
}

test('any page of messages with several filters equals the rows selected in SQL', async () => {
  for (let round = 0; round < randomCases(60); round++) {
    const { filter, query } = chooseFilters()
    const sort = chance(0.5) ? 'asc' : 'desc'
    const byTime = chance(0.4)
    const [from, to] = [pick(rows), pick(rows)].sort((a, b) => (a.lt < b.lt ? -1 : 1)) as [Row, Row]
    const bounds = byTime
      ? { start_utime: from.created_at, end_utime: chance(0.5) ? to.created_at : undefined }
      : { start_lt: chance(0.4) ? from.lt : undefined, end_lt: chance(0.4) ? to.lt : undefined }
    const inBounds = (row: Row) =>
      byTime
        ? row.created_at >= from.created_at &&
          (bounds.end_utime === undefined || row.created_at <= bounds.end_utime)
        : row.lt >= (bounds.start_lt ?? 0n) && row.lt <= (bounds.end_lt ?? 2n ** 63n)
    const wanted = rows.filter((row) => fits(filter, row) && inBounds(row))
    if (byTime) wanted.sort((a, b) => a.created_at - b.created_at || Buffer.compare(a.hash, b.hash))
    if (sort === 'desc') wanted.reverse()
    const expected = wanted.map((row) => row.hash.toString('base64'))
    await comparePages(
      'messages',
      'messages',
      { ...query, ...bounds, sort, exclude_externals: true },
      expected,
    )
  }
})

test('any page of the transactions of such messages equals the rows selected in SQL', async () => {
  for (let round = 0; round < randomCases(60); round++) {
    const { filter, query } = chooseFilters()
    if (filter.opcode === undefined) continue
    const sort = chance(0.5) ? 'asc' : 'desc'
    // A filter by opcode applies to received messages.
    const equal = (column: string, value: unknown) =>
      value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`
    const conditions = sql`${equal('account_id', filter.source)}
      and ${equal('destination_id', filter.destination)}
      and ${equal('opcode', filter.opcode)}${
        filter.source === undefined
          ? sql``
          : sql` and kind <> 1
        and flags & 8 = 0`
      }`
    const found = await read<{ hash: Buffer }>(sql`
      with m as materialized (select * from messages m where ${conditions}), keys as (
        select account_id, lt from m where kind = 1 or flags & 8 <> 0
        union select t.account_id, t.lt from m
          join transactions t on t.account_id = m.destination_id and t.in_msg_lt = m.lt
            and t.in_msg_account_id = m.account_id
      )
      select t.hash from keys join transactions t using (account_id, lt)
      order by t.lt ${sql.raw(sort)}, t.account_id`)
    const expected = found.map((row) => row.hash.toString('base64'))
    await comparePages('transactionsByMessage', 'transactions', { ...query, sort }, expected)
  }
})

const EMPTY_BODY = '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7'

test('external messages with one body are ordered by hash, whether none, few or all have it', async () => {
  const hashes = (await read<{ hash: Buffer }>(sql`select distinct hash from messages where kind = 1`)).map(
    (row) => row.hash,
  )
  const common = Buffer.from(EMPTY_BODY, 'hex').readBigInt64BE(0)
  expect(hashes.length).toBeGreaterThan(5000)
  for (const share of [0, 0.01, 1]) {
    const having = hashes.filter(() => random() < share)
    await sql`update messages set body = null, body_hash8 = ${common}, opcode = null
      where kind = 1 and hash = any(${having}::bytea[])`.execute(scratch.db)
    await sql`update traces set external_body_hash8 = ${common}, external_opcode = null
      where external_account_id is not null and external_hash = any(${having}::bytea[])`.execute(scratch.db)
    const sort = chance(0.5) ? 'asc' : 'desc'
    const ordered = having.toSorted((a, b) => Buffer.compare(a, b) * (sort === 'asc' ? 1 : -1))
    const expected = ordered.map((hash) => hash.toString('base64'))
    const query = { body_hash: EMPTY_BODY, only_externals: true, sort }
    for (let round = 0; round < (isLong ? 5 : 2); round++)
      await comparePages('messages', 'messages', query, expected)
  }
})

test('accounts are ranked by balance whatever its magnitude', async () => {
  const states = await read<{ account_id: bigint }>(sql`select account_id from latest_account_states`)
  const balances = states.map(
    () => BigInt(Math.floor(random() * 10 ** Math.floor(random() * 16))) * pick([1n, 10n, 999n]),
  )
  await sql`update latest_account_states s set balance = n.balance
    from unnest(${states.map((row) => row.account_id)}::int8[], ${balances}::int8[]) as n(id, balance)
      where s.account_id = n.id`.execute(scratch.db)
  const ranked = states
    .map((row, index) => ({ id: row.account_id, balance: balances[index]! }))
    .sort((a, b) => Number(b.balance > a.balance) - Number(a.balance > b.balance) || (a.id < b.id ? -1 : 1))
  const found: Json[] = []
  let cursor: string | undefined
  do {
    const limit = 1 + Math.floor(random() * 400)
    const reply = await client.get<Json[]>('topAccountsByBalance', { limit, cursor })
    found.push(...reply.body)
    cursor = reply.headers.get('x-next-cursor') ?? undefined
  } while (cursor)
  expect(found).toEqual(
    ranked.map(({ id, balance }) => ({ account: addresses.get(id), balance: String(balance) })),
  )
})

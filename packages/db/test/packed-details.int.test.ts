import { randomFrom, type ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DETAIL_KEYS } from '../src/actions/detail-keys.ts'
import { isPacked, packDetails, type StoredDetails, unpackDetails } from '../src/index.ts'

// Details of actions as they are stored, and read again by programs and in SQL.

const SEED = testSeed()
let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await classifiedChain()
})
afterAll(() => scratch.close())

const query = async (text: string, values: readonly unknown[] = []) =>
  (await scratch.pool.query(text, [...values])).rows

/** As SQL gives it, byte by byte. */
async function inSql(stored: readonly string[], addresses: readonly string[]): Promise<string[]> {
  const rows = await query(
    `select analytics.action_details(s, $2)::text as text
     from unnest($1::json[]) with ordinality as given(s, n) order by n`,
    [stored, addresses],
  )
  return rows.map(({ text }) => text)
}

const raw = (n: number): string => `${n % 3 === 0 ? -1 : 0}:${n.toString(16).toUpperCase().padStart(64, 'A')}`

function backOf(stored: string, addresses: readonly string[]): string {
  return JSON.stringify(unpackDetails(JSON.parse(stored) as StoredDetails, (index) => addresses[index]!))
}

test(`whatever details contain is there again, in the same order (SEED=${SEED})`, async () => {
  const random = randomFrom(SEED)
  const below = (n: number) => Math.floor(random() * n)
  const addresses = Array.from({ length: 14 }, (_, n) => raw(n))
  const texts = ['', 'a\u0000b', '"quoted" \\ {', 'ж🙂', '}', '7', 'null', raw(99), raw(1).toLowerCase()]
  const value = (depth: number): unknown => {
    const kind = below(depth > 3 ? 8 : 11)
    if (kind < 3) return addresses[below(14)]
    if (kind === 3) return [null, true, false][below(3)]
    if (kind === 4) return texts[below(texts.length)]
    if (kind < 7) return below(2) ? below(1e9) - 5e8 : String(below(1e15))
    if (kind === 7) return random()
    return kind === 8 ? Array.from({ length: below(4) }, () => value(depth + 1)) : object(depth + 1)
  }
  const object = (depth: number): Record<string, unknown> => {
    const of: Record<string, unknown> = {}
    for (let left = below(6); left > 0; left--) of[DETAIL_KEYS[below(DETAIL_KEYS.length)]!] = value(depth)
    if (depth > 0 && below(12) === 0) of[below(2) ? 'of a later version' : '1000'] = value(depth)
    return of
  }
  const details = Array.from({ length: 400 }, () => object(0))
  const stored = details.map((one) => packDetails(one, addresses))
  const expected = details.map((one) => JSON.stringify(one))
  expect(stored.map((one) => backOf(one, addresses))).toEqual(expected)
  expect(await inSql(stored, addresses)).toEqual(expected)
  expect(stored.every((one) => isPacked(JSON.parse(one)))).toBe(true)
})

test('every field has a code of its own, and amounts are decimal texts', async () => {
  expect(new Set(DETAIL_KEYS).size).toBe(DETAIL_KEYS.length)
  const all = Object.fromEntries(DETAIL_KEYS.map((key, n) => [key, BigInt(n)]))
  const expected = JSON.stringify(Object.fromEntries(DETAIL_KEYS.map((key, n) => [key, String(n)])))
  const stored = packDetails(all, [])
  expect(backOf(stored, [])).toBe(expected)
  expect(await inSql([stored], [])).toEqual([expected])
})

test('details with a field without a code, and those from before, are the object itself', async () => {
  const whole = JSON.stringify({ source: raw(1), unheard_of: '5' })
  expect(packDetails({ source: raw(1), unheard_of: 5n }, [raw(1)])).toBe(whole)
  expect(backOf(whole, [])).toBe(whole)
  expect(await inSql([whole], [])).toEqual([whole])
})

test('all actions of the recorded chain are packed, and programs read what SQL reads', async () => {
  const rows = await query(
    `select a.details as stored, v.details as shown, array(
       select analytics.address_text(x.workchain, x.address)
       from unnest(account_ids_in(a.account_ids)) with ordinality i(id, n)
       join accounts x using (id) order by n) as addresses
     from actions a join analytics.actions v on v.trace_id_bytes = a.trace_id
       and v.action_id = encode(a.action_id, 'base64')`,
  )
  expect(rows.length).toBeGreaterThan(5000)
  expect(rows.filter(({ stored }) => !isPacked(stored)).map(({ shown }) => shown)).toEqual([])
  for (const { stored, shown, addresses } of rows)
    expect(JSON.stringify(unpackDetails(stored, (index) => addresses[index]))).toBe(shown)
})

import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, STRANGER } from './chain-under-api.ts'
import type { ListRules } from './lists.ts'

export function listRules(chain: () => ChainUnderApi, rules: ListRules): void {
  const { path, rows: key, filters } = rules
  const always = async () => (await rules.always?.(chain())) ?? {}
  let read: Promise<Json[]> | undefined
  const whole = (): Promise<Json[]> => {
    read ??= always().then((query) => chain().rows(path, key, { ...query, limit: 1000 }))
    return read
  }
  /** How many rows are read page by page. */
  const most = isLong ? Number.POSITIVE_INFINITY : 30
  const refusal = async (query: Query) => {
    const { status, body } = await chain().client.get(path, { ...(await always()), ...query })
    expect(body['code']).toBe(status)
    return `${status} ${String(body['error'])}`
  }

  test('rows are in the documented order, and any page is a part of that list', async () => {
    const list = await whole()
    expect(list.length).toBeGreaterThan(0)
    expect(list).toEqual([...list].sort(rules.order))
    const query = await always()
    expect(await chain().client.all(path, key, query, 3, most)).toEqual(list.slice(0, most))
    expect(await chain().rows(path, key, { ...query, limit: 2, offset: 1 })).toEqual(list.slice(1, 3))
    expect(await chain().rows(path, key, query)).toEqual(list.slice(0, rules.defaultLimit ?? 10))
    expect(await chain().rows(path, key, { ...query, offset: 1_000_000 })).toEqual([])
    if (rules.sorted) {
      const ascending = { ...query, sort: 'ASC' }
      const reversed = [...list].reverse()
      expect(await chain().rows(path, key, { ...ascending, limit: 1000 })).toEqual(reversed)
      expect(await chain().client.all(path, key, ascending, 3, most)).toEqual(reversed.slice(0, most))
    }
  })

  for (const [name, { from, max }] of Object.entries(filters))
    test(`${name} selects by ${from.join(' or ')}, in any form and any number`, async () => {
      const list = await whole()
      const values = [
        ...new Set(list.flatMap((row) => from.map((column) => row[column] as string | null))),
      ].filter((value) => value !== null)
      const query = await always()
      const matching = (wanted: readonly string[]) =>
        list.filter((row) => from.some((column) => wanted.includes(String(row[column]))))
      const ask = async (value: string | readonly string[]) =>
        byAddress(rules, await chain().rows(path, key, { ...query, [name]: value, limit: 1000 }))
      for (const value of values.slice(0, isLong ? 5 : 3))
        expect(await ask(value)).toEqual(byAddress(rules, matching([value])))
      expect(await ask(STRANGER)).toEqual([])
      if (max > 1) {
        const some = values.slice(0, 4)
        const expected = byAddress(rules, matching(some))
        expect(await ask(some)).toEqual(expected)
        expect(await ask([some.join(','), ...some.map((one) => one.toLowerCase())])).toEqual(expected)
        expect(await refusal({ [name]: Array(max + 1).fill(values[0]) })).toContain(
          `422 parameter "${name}" takes at most ${max} values`,
        )
      }
      expect(await refusal({ [name]: '' })).toContain(`422 wrong value for parameter "${name}"`)
      expect(await refusal({ [name]: 'garbage' })).toContain('is not an address')
    })

  test('invalid pages and orders are refused by name', async () => {
    const max = rules.maxLimit ?? 1000
    expect(await refusal({ limit: 0 })).toContain(
      `422 wrong value for parameter "limit": "0" must be between 1 and ${max}`,
    )
    expect(await refusal({ limit: max + 1 })).toContain(`must be between 1 and ${max}`)
    expect(await refusal({ limit: 'x' })).toContain('is not an integer')
    expect(await refusal({ offset: -1 })).toContain('"offset": "-1" must not be negative')
    if (rules.sorted)
      expect(await refusal({ sort: 'sideways' })).toContain('"sort": "sideways" is not a sort order')
    expect(await refusal({ cursor: 'x' })).toContain('422')
    expect((await chain().client.get(path, { ...(await always()), limit: '', offset: '' })).status).toBe(200)
  })

  test('an unknown parameter is refused, or ignored and reported in the toncenter profile', async () => {
    const query = { ...(await always()), owner_adress: STRANGER }
    expect(await refusal({ owner_adress: STRANGER })).toMatch(
      /^422 unknown parameter "owner_adress"; did you mean "/,
    )
    const reply = await chain().clients.toncenter.get(path, query)
    expect([reply.status, reply.headers.get('x-ignored-parameters')]).toEqual([200, 'owner_adress'])
    expect(reply.body).toEqual((await chain().clients.toncenter.get(path, await always())).body)
  })

  test('address book and metadata cover exactly the addresses in the rows', async () => {
    const query = { ...(await always()), limit: 1000 }
    const { body } = await chain().client.get(path, query)
    const listed = (body[key] as Json[]).flatMap(rules.listed).filter((one) => one !== null)
    expect(Object.keys(body['address_book'] as Json).sort()).toEqual([...new Set(listed)].sort())
    expect('metadata' in body).toBe(rules.hasMetadata)
    const keys = rules.hasMetadata ? [key, 'address_book', 'metadata'] : [key, 'address_book']
    expect(Object.keys(body)).toEqual(keys)
    const without = await chain().client.get(
      path,
      { ...query, x_no_address_book: true },
      { 'X-No-Metadata': '1' },
    )
    expect(without.body).toEqual({ ...body, address_book: {}, ...(rules.hasMetadata && { metadata: {} }) })
    if (!rules.hasMetadata) return
    const { body: metadata } = await chain().client.get('metadata', {
      address: [...new Set(listed)] as string[],
    })
    expect(body['metadata']).toEqual(metadata)
    expect(Object.keys(metadata).length).toBeGreaterThan(0)
  })
}

/** Some filters change the order of the list; here only its rows are compared. */
const byAddress = ({ listed }: ListRules, rows: readonly Json[]): readonly Json[] => {
  const text = (row: Json) => JSON.stringify([listed(row), row['transaction_lt'], row['index']])
  return [...rows].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, compareAddresses, STRANGER } from './chain-under-api.ts'
import { address, descending, number, thenBy } from './orders.ts'

export function filterRules(chain: () => ChainUnderApi): void {
  for (const [path, key, sides] of [
    ['jetton/transfers', 'jetton_transfers', { out: 'source', in: 'destination' }],
    ['nft/transfers', 'nft_transfers', { out: 'old_owner', in: 'new_owner' }],
  ] as const)
    test(`${path}: direction needs an owner; bounds on time and lt are inclusive`, async () => {
      const list = await chain().rows(path, key, { limit: 1000 })
      const ask = (query: Query) => chain().rows(path, key, { limit: 1000, ...query })
      const owner = String(list[3]![sides.in])
      for (const [direction, column] of Object.entries(sides)) {
        expect(await ask({ owner_address: owner, direction })).toEqual(
          list.filter((row) => row[column] === owner),
        )
        expect(await ask({ direction })).toEqual(list)
      }
      const both = list.filter((row) => row[sides.in] === owner || row[sides.out] === owner)
      expect(await ask({ owner_address: owner, direction: 'both' })).toEqual(both)
      expect((await chain().client.get(path, { direction: 'sideways' })).status).toBe(422)
      await bounds(list, ask)
    })

  test('jetton/burns: bounds on time and lt are inclusive; owner_address precedes address', async () => {
    const list = await chain().rows('jetton/burns', 'jetton_burns', { limit: 1000 })
    const ask = (query: Query) => chain().rows('jetton/burns', 'jetton_burns', { limit: 1000, ...query })
    await bounds(list, ask)
    const [first] = list
    const mine = list.filter((row) => row['owner'] === first?.['owner'])
    expect(await ask({ owner_address: String(first?.['owner']), address: STRANGER })).toEqual(mine)
  })

  test('jetton/wallets: several jettons need one owner; sort is by balance', async () => {
    const ask = (query: Query) => chain().rows('jetton/wallets', 'jetton_wallets', { limit: 1000, ...query })
    const list = await ask({})
    const owner = String(
      list.find((row) =>
        list.some((other) => other['owner'] === row['owner'] && other['jetton'] !== row['jetton']),
      )?.['owner'],
    )
    const jettons = [...new Set(list.map((row) => String(row['jetton'])))]
    const mine = list.filter((row) => row['owner'] === owner)
    expect(await ask({ owner_address: owner, jetton_address: jettons })).toEqual(mine)
    const several = await chain().client.get('jetton/wallets', {
      jetton_address: jettons,
      owner_address: [owner, STRANGER],
    })
    expect(several.body).toEqual({
      error: 'exact one owner_address required for multiple jetton_address',
      code: 422,
    })
    const byBalance = thenBy(number('balance'), address('address'))
    expect(await ask({ sort: 'desc' })).toEqual([...list].sort(descending(byBalance)))
    expect(await ask({ sort: 'asc', jetton_address: jettons[0] })).toEqual(
      list.filter((row) => row['jetton'] === jettons[0]).sort(byBalance),
    )
    const owners = [owner, String(list[0]?.['owner'])]
    const ofOwners = list.filter((row) => owners.includes(String(row['owner'])))
    expect(await ask({ owner_address: owners })).toEqual(
      [...ofOwners].sort(thenBy(address('owner'), address('address'))),
    )
    expect(await ask({ owner_address: owners, sort: 'desc' })).toEqual(
      [...ofOwners].sort(descending(thenBy(address('owner'), byBalance))),
    )
    expect(
      await ask({ address: list.slice(0, 9).map((row) => String(row['address'])), sort: 'desc' }),
    ).toEqual(list.slice(0, 9))
  })

  test('nft/items: order by owner, index or last change; items on sale are their seller’s', async () => {
    const ask = (query: Query) => chain().rows('nft/items', 'nft_items', { limit: 1000, ...query })
    const list = await ask({})
    const collections = [
      ...new Set(list.flatMap((row) => (row['collection_address'] as string | null) ?? [])),
    ]
    const [collection] = collections
    const inCollection = list.filter((row) => row['collection_address'] === collection)
    expect(await ask({ collection_address: collection })).toEqual(
      [...inCollection].sort(thenBy(number('index'), address('address'))),
    )
    const index = inCollection.slice(0, 2).map((row) => String(row['index']))
    expect(await ask({ collection_address: collection, index })).toEqual(
      inCollection.filter((row) => index.includes(String(row['index']))).sort(number('index')),
    )
    const owners = [...new Set(list.flatMap((row) => (row['owner_address'] as string | null) ?? []))]
    const collectionOf = (row: Json) => (row['collection_address'] as string | null) ?? '9:Z'
    const byOwner = thenBy(
      address('owner_address'),
      (a, b) => compareAddresses(collectionOf(a), collectionOf(b)),
      number('index'),
    )
    expect(await ask({ owner_address: owners })).toEqual(
      list.filter((row) => row['owner_address'] !== null).sort(byOwner),
    )
    expect(await ask({ sort_by_last_transaction_lt: true, owner_address: owners.slice(0, 5) })).toEqual(
      list
        .filter((row) => owners.slice(0, 5).includes(String(row['owner_address'])))
        .sort(descending(thenBy(number('last_transaction_lt'), address('address')))),
    )
    const listed = list.find((row) => row['real_owner'] !== undefined)
    const seller = String(listed?.['real_owner'])
    expect(await ask({ owner_address: seller })).not.toContainEqual(listed)
    expect(await ask({ owner_address: seller, include_on_sale: true })).toEqual(
      expect.arrayContaining([listed, ...list.filter((row) => row['owner_address'] === seller)]),
    )
    for (const [query, error] of [
      [{ index: '1' }, 'index parameter is not allowed without the collection_address'],
      [{ index: '-1', collection_address: collection }, 'index should contain digits only'],
      [{ index: '1,2', collection_address: collection }, 'index should contain digits only'],
      [
        { collection_address: collections },
        'exact one owner_address required for multiple collection_address',
      ],
    ] as [Query, string][])
      expect((await chain().client.get('nft/items', query)).body).toEqual({ error, code: 422 })
  })
}

/** Bounds are inclusive; one on time changes the order to time. */
async function bounds(list: readonly Json[], ask: (query: Query) => Promise<Json[]>): Promise<void> {
  const lts = list.map((row) => BigInt(String(row['transaction_lt']))).sort((a, b) => (a < b ? -1 : 1))
  const [low, high] = [lts[2]!, lts[lts.length - 3]!]
  expect(await ask({ start_lt: low, end_lt: high })).toEqual(
    list.filter(
      (row) => BigInt(String(row['transaction_lt'])) >= low && BigInt(String(row['transaction_lt'])) <= high,
    ),
  )
  const times = list.map((row) => Number(row['transaction_now'])).sort((a, b) => a - b)
  const [from, to] = [times[2]!, times[times.length - 3]!]
  const inTime = list.filter(
    (row) => Number(row['transaction_now']) >= from && Number(row['transaction_now']) <= to,
  )
  const found = await ask({ start_utime: from, end_utime: to })
  const lines = (rows: readonly Json[]) => rows.map((row) => JSON.stringify(row)).sort()
  expect(lines(found)).toEqual(lines(inTime))
  expect(found.map((row) => row['transaction_now'])).toEqual(
    inTime.map((row) => row['transaction_now']).sort((a, b) => Number(b) - Number(a)),
  )
  expect(await ask({ start_lt: high, end_lt: low })).toEqual([])
  expect(await ask({ start_lt: '18446744073709551615' })).toEqual([])
}

import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, compareAddresses, facts, STRANGER } from './chain-under-api.ts'

/** Tells whether a value of a filter selects a row. */
type Matches = (row: Json, value: string) => boolean

interface ListRules {
  readonly path: string
  readonly rows: string
  /** Parameters that every request needs and that select everything. */
  readonly always?: (chain: ChainUnderApi) => Promise<Query>
  /** Filters by address. `max`: maximum number of values. `from`: where rows have such values. */
  readonly filters: Readonly<
    Record<string, { readonly max: number; readonly from: readonly string[]; readonly matches?: Matches }>
  >
  readonly order: (a: Json, b: Json) => number
  /** False when the order has a single direction. */
  readonly sorted: boolean
  readonly defaultLimit?: number
  readonly maxLimit?: number
  readonly hasMetadata: boolean
  readonly listed: (row: Json) => unknown[]
}

const address = (key: string) => (a: Json, b: Json) => compareAddresses(String(a[key]), String(b[key]))
const number = (key: string) => (a: Json, b: Json) => {
  const difference = BigInt(String(a[key])) - BigInt(String(b[key]))
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
const then =
  (...orders: ((a: Json, b: Json) => number)[]) =>
  (a: Json, b: Json) =>
    orders.map((order) => order(a, b)).find((result) => result !== 0) ?? 0
const descending = (order: (a: Json, b: Json) => number) => (a: Json, b: Json) => order(b, a)

const all = (list: unknown): string[] => (list as string[] | null) ?? []

export const LISTS: readonly ListRules[] = [
  {
    path: 'jetton/masters',
    rows: 'jetton_masters',
    filters: {
      address: { max: 1024, from: ['address'] },
      admin_address: { max: 1024, from: ['admin_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['admin_address']],
  },
  {
    path: 'jetton/wallets',
    rows: 'jetton_wallets',
    filters: {
      address: { max: 1000, from: ['address'] },
      owner_address: { max: 1000, from: ['owner'] },
      jetton_address: { max: 1, from: ['jetton'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['owner'], row['jetton']],
  },
  {
    path: 'jetton/transfers',
    rows: 'jetton_transfers',
    filters: {
      owner_address: { max: 1000, from: ['source', 'destination'] },
      address: { max: 1000, from: ['source', 'destination'] },
      jetton_wallet: { max: 1000, from: ['source_wallet'] },
      jetton_master: { max: 1, from: ['jetton_master'] },
    },
    order: descending(then(number('transaction_lt'), address('source_wallet'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['source', 'destination', 'source_wallet', 'jetton_master', 'response_destination'].map(
        (key) => row[key],
      ),
  },
  {
    path: 'jetton/burns',
    rows: 'jetton_burns',
    filters: {
      owner_address: { max: 1000, from: ['owner'] },
      address: { max: 1000, from: ['owner'] },
      jetton_wallet: { max: 1000, from: ['jetton_wallet'] },
      jetton_master: { max: 1, from: ['jetton_master'] },
    },
    order: descending(then(number('transaction_lt'), address('jetton_wallet'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['owner', 'jetton_wallet', 'jetton_master', 'response_destination'].map((key) => row[key]),
  },
  {
    path: 'nft/collections',
    rows: 'nft_collections',
    filters: {
      collection_address: { max: 1024, from: ['address'] },
      owner_address: { max: 1024, from: ['owner_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['owner_address']],
  },
  {
    path: 'nft/items',
    rows: 'nft_items',
    filters: {
      address: { max: 1000, from: ['address'] },
      owner_address: { max: 1000, from: ['owner_address'] },
      collection_address: { max: 1, from: ['collection_address'] },
    },
    order: address('address'),
    sorted: false,
    hasMetadata: true,
    listed: (row) => [row['address'], row['collection_address'], row['owner_address']],
  },
  {
    path: 'nft/transfers',
    rows: 'nft_transfers',
    filters: {
      owner_address: { max: 1000, from: ['old_owner', 'new_owner'] },
      address: { max: 1000, from: ['old_owner', 'new_owner'] },
      item_address: { max: 1000, from: ['nft_address'] },
      collection_address: { max: 1, from: ['nft_collection'] },
    },
    order: descending(then(number('transaction_lt'), address('nft_address'))),
    sorted: true,
    hasMetadata: true,
    listed: (row) =>
      ['nft_address', 'nft_collection', 'old_owner', 'new_owner', 'response_destination'].map(
        (key) => row[key],
      ),
  },
  {
    path: 'dns/records',
    rows: 'records',
    always: async () => ({ wallet: facts.dns.items.find((one: Json) => one['domain'] === 'test').owner }),
    filters: {},
    order: then(
      (a, b) => String(a['domain']).length - String(b['domain']).length,
      (a, b) => (String(a['domain']) < String(b['domain']) ? -1 : 1),
    ),
    sorted: false,
    defaultLimit: 100,
    hasMetadata: false,
    listed: (row) => [row['nft_item_address'], row['nft_item_owner'], row['dns_wallet']],
  },
  {
    path: 'dns/activeAuctions',
    rows: 'auctions',
    always: async () => ({
      bidder: facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario').auction
        .max_bid_address,
    }),
    filters: {},
    order: then(number('auction_end_time'), address('nft_item_address')),
    sorted: false,
    defaultLimit: 100,
    hasMetadata: true,
    listed: (row) => [row['nft_item_address'], row['max_bid_address']],
  },
  {
    path: 'multisig/wallets',
    rows: 'multisigs',
    always: async () => ({
      wallet_address: facts.multisigs.flatMap((one: Json) =>
        (one['signers'] as Json[]).map((signer) => signer['address']),
      ),
    }),
    filters: { address: { max: 1024, from: ['address'] } },
    order: descending(then(number('last_transaction_lt'), address('address'))),
    sorted: true,
    maxLimit: 1024,
    hasMetadata: false,
    listed: (row) => [
      row['address'],
      ...all(row['signers']),
      ...all(row['proposers']),
      ...(row['orders'] as Json[]).flatMap((order) => [order['address'], ...all(order['signers'])]),
    ],
  },
  {
    path: 'multisig/orders',
    rows: 'orders',
    always: async () => ({ multisig_address: facts.multisigs.map((one: Json) => one['address']) }),
    filters: { address: { max: 1024, from: ['address'] } },
    order: descending(then(number('last_transaction_lt'), address('address'))),
    sorted: true,
    maxLimit: 1024,
    hasMetadata: false,
    listed: (row) => [row['address'], row['multisig_address'], ...all(row['signers'])],
  },
  {
    path: 'vesting',
    rows: 'vesting_contracts',
    always: async () => ({ wallet_address: facts.vesting[0].owner }),
    filters: {},
    order: address('address'),
    sorted: false,
    hasMetadata: false,
    listed: (row) => [row['address'], row['sender_address'], row['owner_address'], ...all(row['whitelist'])],
  },
]

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
    const byBalance = then(number('balance'), address('address'))
    expect(await ask({ sort: 'desc' })).toEqual([...list].sort(descending(byBalance)))
    expect(await ask({ sort: 'asc', jetton_address: jettons[0] })).toEqual(
      list.filter((row) => row['jetton'] === jettons[0]).sort(byBalance),
    )
    const owners = [owner, String(list[0]?.['owner'])]
    const ofOwners = list.filter((row) => owners.includes(String(row['owner'])))
    expect(await ask({ owner_address: owners })).toEqual(
      [...ofOwners].sort(then(address('owner'), address('address'))),
    )
    expect(await ask({ owner_address: owners, sort: 'desc' })).toEqual(
      [...ofOwners].sort(descending(then(address('owner'), byBalance))),
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
      [...inCollection].sort(then(number('index'), address('address'))),
    )
    const index = inCollection.slice(0, 2).map((row) => String(row['index']))
    expect(await ask({ collection_address: collection, index })).toEqual(
      inCollection.filter((row) => index.includes(String(row['index']))).sort(number('index')),
    )
    const owners = [...new Set(list.flatMap((row) => (row['owner_address'] as string | null) ?? []))]
    const collectionOf = (row: Json) => (row['collection_address'] as string | null) ?? '9:Z'
    const byOwner = then(
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
        .sort(descending(then(number('last_transaction_lt'), address('address')))),
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

import { deriveAccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

/** Tokens whose content is large, which strangers can deploy for next to nothing: its chunks are one cell. */
const ITEMS = 64
const TEXT = 300_000
const addressOf = (n: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, n) })

let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await scratchDatabase()
  client = await Client.start(scratch, { exportMaxRows: 1_000 })
  for (let n = 1; n <= ITEMS; n++) {
    const id = deriveAccountId(addressOf(n))
    await scratch.pool.query(
      "insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '')",
      [id, addressOf(n).hash],
    )
    const content = `jsonb_build_object('name', 'Large', 'symbol', 'L', 'marketplace', repeat('x', ${TEXT}))`
    await scratch.pool.query(
      `insert into nft_items (account_id, lt, init, item_index, content) values ($1, 1, true, 9, ${content})`,
      [id],
    )
    await scratch.pool.query(
      `insert into nft_collections (account_id, lt, next_item_index, content) values ($1, 1, 1, ${content})`,
      [id],
    )
  }
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

test.each([
  ['nft/items', 'nft_items', 'content'],
  ['nft/collections', 'nft_collections', 'collection_content'],
])(
  'a page of %s with more content than memory is refused, fewer are returned',
  async (path, rows, content) => {
    const all = await client.get(path, { limit: 1000 })
    expect(all).toMatchObject({ status: 422, body: { error: expect.stringContaining('ask for fewer') } })
    const some = await client.get(path, { limit: 20 })
    expect(some.status).toBe(200)
    const [row] = some.body[rows] as Record<string, Json>[]
    expect(row![content]!['marketplace']).toHaveLength(TEXT)
  },
)

test('an export of large tokens has all of them', async () => {
  const reply = await fetch(client.url('nft/items', { limit: 1000, format: 'ndjson' }))
  expect((await reply.text()).match(/\n/g)).toHaveLength(ITEMS)
})

const metadataOf = async (count: number) => {
  const address = Array.from({ length: count }, (_, n) => formatRawAddress(addressOf(n + 1)))
  const { body } = await client.get('metadata', { address })
  return Object.values(body) as { token_info: { name: string; extra?: Json }[] }[]
}

test('metadata of many large tokens keeps what names them; of few, everything', async () => {
  await scratch.pool.query(
    `insert into address_metadata (account_id, type, valid, name, extra, source_hash, updated_at, expires_at)
     select account_id, 0, true, 'Large', content - 'name' || '{"decimals": "6"}',
       sha256(convert_to(content::text, 'UTF8')), now(), now() + interval '1 day' from nft_items`,
  )
  const extrasOf = (tokens: Awaited<ReturnType<typeof metadataOf>>) =>
    tokens.flatMap(({ token_info }) =>
      token_info.map(({ name, extra }) => ({ name, keys: Object.keys(extra ?? {}) })),
    )
  const all = extrasOf(await metadataOf(ITEMS))
  expect(all).toHaveLength(2 * ITEMS)
  for (const { name, keys } of all) {
    expect(name).toBe('Large')
    expect(keys).not.toContain('marketplace')
  }
  expect(all.filter(({ keys }) => keys.includes('decimals'))).toHaveLength(ITEMS)
  const few = extrasOf(await metadataOf(5))
  expect(few.filter(({ keys }) => keys.includes('marketplace'))).toHaveLength(5)
})

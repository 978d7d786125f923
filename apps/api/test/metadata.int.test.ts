import { createHmac } from 'node:crypto'
import {
  announceFetcher,
  claimMetadata,
  failMetadata,
  saveMetadata,
  sweepMetadata,
  TOKEN_TYPES,
} from '@shardwalk/db'
import { deriveAccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

/** `metadata` of API v3 with made-up tokens, before and after metadata was fetched. */
let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await scratchDatabase()
  client = await Client.start(scratch)
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const address = (n: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, n) })
const id = (n: number) => deriveAccountId(address(n))
const raw = (n: number) => formatRawAddress(address(n))
const [OWNER, MASTER, WALLET, ITEM, COLLECTION] = [0x10, 0x11, 0x12, 0x13, 0x14] as const
const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows
const metadata = async (...ns: number[]) => (await client.get('metadata', { address: ns.map(raw) })).body

beforeEach(async () => {
  await query(
    `truncate accounts, jetton_masters, jetton_wallets, nft_items, nft_collections, address_metadata,
      address_metadata_flags, metadata_queue, metadata_fetcher`,
  )
  for (const n of [OWNER, MASTER, WALLET, ITEM, COLLECTION])
    await query("insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '')", [
      id(n),
      address(n).hash,
    ])
  await query(
    `insert into jetton_masters (account_id, lt, mintable, total_supply, content, wallet_code_hash)
      values ($1, 1, true, 1, $2, '')`,
    [id(MASTER), { uri: 'https://example.org/j.json', decimals: '6' }],
  )
  await query(
    `insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance)
      values ($1, 1, $2, $3, 2500000)`,
    [id(WALLET), id(OWNER), id(MASTER)],
  )
  await query(
    `insert into nft_items (account_id, lt, init, item_index, content) values ($1, 1, true, 9, $2)`,
    [id(ITEM), { uri: 'https://example.org/9.json' }],
  )
  await query(
    `insert into nft_collections (account_id, lt, next_item_index, content) values ($1, 1, 10, $2)`,
    [id(COLLECTION), { name: 'Chain', description: 'on the chain', color: 'red' }],
  )
})

async function tasks() {
  for (const type of TOKEN_TYPES) await sweepMetadata(scratch.db, { type, after: null, limit: 10 })
  return await claimMetadata(scratch.db, { limit: 10, leaseSeconds: 60 })
}

test('without fetched metadata on-chain content is shown, and off-chain tokens are not indexed', async () => {
  expect(await metadata(WALLET, ITEM, COLLECTION, OWNER)).toEqual({
    [raw(MASTER)]: {
      is_indexed: false,
      token_info: [{ type: 'jetton_masters', extra: { uri: 'https://example.org/j.json', decimals: '6' } }],
    },
    [raw(WALLET)]: {
      is_indexed: true,
      token_info: [
        {
          valid: true,
          type: 'jetton_wallets',
          extra: { owner: raw(OWNER), jetton: raw(MASTER), balance: '2500000' },
        },
      ],
    },
    [raw(ITEM)]: {
      is_indexed: false,
      token_info: [{ type: 'nft_items', nft_index: '9', extra: { uri: 'https://example.org/9.json' } }],
    },
    [raw(COLLECTION)]: {
      is_indexed: true,
      token_info: [
        {
          valid: true,
          type: 'nft_collections',
          name: 'Chain',
          description: 'on the chain',
          is_nsfw: false,
          is_scam: false,
          extra: { color: 'red' },
        },
      ],
    },
  })
})

test('fetched metadata is shown, failures are marked invalid, and flags hide images', async () => {
  const record = {
    name: 'Off',
    symbol: 'OFF',
    image: 'https://example.org/x.png',
    extra: { decimals: '6', n: 1 },
  }
  for (const task of await tasks())
    if (task.type === 'jetton_masters') await saveMetadata(scratch.db, task, { record, lifetimeSeconds: 60 })
    else await failMetadata(scratch.db, task, { fallback: undefined, againSeconds: 60 })
  const master = {
    valid: true,
    type: 'jetton_masters',
    name: 'Off',
    symbol: 'OFF',
    image: 'https://example.org/x.png',
  }
  const extra = { decimals: '6', n: 1 }
  expect(await metadata(MASTER, ITEM)).toEqual({
    [raw(MASTER)]: { is_indexed: true, token_info: [{ ...master, is_nsfw: false, is_scam: false, extra }] },
    [raw(ITEM)]: {
      is_indexed: true,
      token_info: [
        {
          valid: false,
          type: 'nft_items',
          nft_index: '9',
          is_nsfw: false,
          is_scam: false,
          extra: { uri: 'https://example.org/9.json' },
        },
      ],
    },
  })
  await query('insert into address_metadata_flags (account_id, is_nsfw, is_scam) values ($1, true, true)', [
    id(MASTER),
  ])
  const { image: _, ...hidden } = master
  expect((await metadata(MASTER))[raw(MASTER)]).toEqual({
    is_indexed: true,
    token_info: [{ ...hidden, is_nsfw: true, is_scam: true, extra }],
  })
})

test('an image proxy gives three signed sizes; a flagged image is blurred, without source', async () => {
  const imageProxy = {
    url: 'https://img.example/',
    key: Buffer.from('6b', 'hex'),
    salt: Buffer.from('73', 'hex'),
  }
  const withImages = await Client.start(scratch, { imageProxy })
  try {
    const record = { name: 'Off', image: 'https://example.org/x.png', extra: { n: 1 } }
    for (const task of await tasks()) await saveMetadata(scratch.db, task, { record, lifetimeSeconds: 60 })
    const tokenInfo = async () => {
      const { body } = await withImages.get('metadata', { address: raw(MASTER) })
      const [info] = (
        body[raw(MASTER)] as { token_info: { image?: string; extra: Record<string, string> }[] }
      ).token_info
      return info!
    }
    const path = '/pr:big/aHR0cHM6Ly9leGFtcGxlLm9yZy94LnBuZw'
    const signature = createHmac('sha256', 'k').update(`s${path}`).digest('base64url')
    const open = await tokenInfo()
    expect(open.extra).toMatchObject({ n: 1, _image_big: `https://img.example/${signature}${path}` })
    expect(Object.keys(open.extra)).toEqual(['decimals', 'n', '_image_small', '_image_medium', '_image_big'])
    await query(
      'insert into address_metadata_flags (account_id, is_nsfw, is_scam) values ($1, true, false)',
      [id(MASTER)],
    )
    const hidden = await tokenInfo()
    expect(hidden.image).toBeUndefined()
    expect(hidden.extra['_image_small']).toContain('/pr:small/bl:256/')
  } finally {
    await withImages.close()
  }
})

test('a jetton whose content has no decimals has nine, fetched or not', async () => {
  const decimals = async () => {
    const found = (await metadata(MASTER))[raw(MASTER)] as { token_info: [{ extra: Json }] }
    return found.token_info[0].extra['decimals']
  }
  expect(await decimals()).toBe('6')
  for (const content of [{ uri: 'https://example.org/j.json' }, { symbol: 'X' }, null]) {
    await query('update jetton_masters set content = $1', [content])
    expect(await decimals()).toBe('9')
  }
  for (const task of await tasks())
    await saveMetadata(scratch.db, task, { record: { name: 'Off', extra: {} }, lifetimeSeconds: 60 })
  expect(await decimals()).toBe('9')
})

test('metadata fetched for outdated content is not shown', async () => {
  for (const task of await tasks())
    await saveMetadata(scratch.db, task, { record: { name: 'Old', extra: {} }, lifetimeSeconds: 60 })
  await query('update jetton_masters set content = $1', [{ symbol: 'NEW' }])
  expect((await metadata(MASTER))[raw(MASTER)]).toMatchObject({ token_info: [{ symbol: 'NEW' }] })
})

test('an address may be several tokens; it is indexed when all of them are', async () => {
  await query(`insert into nft_items (account_id, lt, init, item_index) values ($1, 1, true, 3)`, [
    id(COLLECTION),
  ])
  expect((await metadata(COLLECTION))[raw(COLLECTION)]).toMatchObject({
    is_indexed: false,
    token_info: [
      { type: 'nft_items', nft_index: '3' },
      { type: 'nft_collections', name: 'Chain' },
    ],
  })
})

test('a request queues missing metadata with priority, while a fetcher runs', async () => {
  await metadata(MASTER)
  expect(await query('select 1 from metadata_queue')).toEqual([])
  await announceFetcher(scratch.db)
  await metadata(MASTER)
  // The request does not wait for the queue.
  await expect
    .poll(() => query('select account_id, priority from metadata_queue'))
    .toEqual([{ account_id: id(MASTER), priority: 0 }])
})

test('a request queues metadata that was fetched while the clock of the database was ahead', async () => {
  const fetched = (await tasks()).find(({ type }) => type === 'nft_items')!
  await saveMetadata(scratch.db, fetched, { record: { extra: {} }, lifetimeSeconds: 10 * 365 * 86_400 })
  await query('truncate metadata_queue')
  await announceFetcher(scratch.db)
  await metadata(ITEM)
  await expect.poll(() => query('select account_id from metadata_queue')).toEqual([{ account_id: id(ITEM) }])
})

test('fetched metadata changes the tag of a reply even if no block was indexed', async () => {
  const first = await client.get('metadata', { address: raw(MASTER) })
  const again = () =>
    client.get('metadata', { address: raw(MASTER) }, { 'If-None-Match': first.headers.get('etag')! })
  for (const task of await tasks())
    await saveMetadata(scratch.db, task, { record: { name: 'New', extra: {} }, lifetimeSeconds: 60 })
  // The head is read from the database at most ten times a second.
  await expect.poll(async () => (await again()).status).toBe(200)
  expect((await again()).body[raw(MASTER)]).toMatchObject({ token_info: [{ name: 'New' }] })
})

test('a reply has the metadata of its tokens unless the client declines it', async () => {
  const { body } = await client.get('jetton/masters')
  expect(Object.keys(body['metadata'] as object)).toEqual([raw(MASTER)])
  const without = await client.get('jetton/masters', {}, { 'X-No-Metadata': 'true' })
  expect(without.body['metadata']).toEqual({})
})

test('`/metadata` is answered to a client that declines the metadata of other replies', async () => {
  const asked = { address: raw(MASTER) }
  const { body } = await client.get('metadata', asked, { 'X-No-Metadata': 'true' })
  expect([Object.keys(body), body]).toEqual([[raw(MASTER)], await metadata(MASTER)])
})

import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

/**
 * Account endpoints on the recorded chain before any contract was examined, and invalid requests to all of
 * them.
 */
let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  client = await Client.start(scratch)
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const GIVER = '0:E46A3418FC55D04233556C7147ED1C8EFCE8BB25778C4748F3F0053B0EBA7225'
const UNSEEN = `0:${'0123'.repeat(16)}`

describe('accounts', () => {
  test('states come once each in the order of the request, without accounts never seen', async () => {
    const minter = '-1:0000000000000000000000000000000000000000000000000000000000000000'
    const { body } = await client.get('accountStates', {
      address: [GIVER, UNSEEN, minter, GIVER.toLowerCase()],
    })
    expect((body['accounts'] as Json[]).map((row) => row['address'])).toEqual([GIVER, minter])
    expect((body['accounts'] as Json[])[0]).toMatchObject({ status: 'active', balance: '996699999995170000' })
    expect(Object.keys((body['accounts'] as Json[])[0]!)).toContain('code_boc')
    const bare = await client.get('accountStates', { address: GIVER, include_boc: false })
    expect(Object.keys((bare.body['accounts'] as Json[])[0]!)).not.toContain('code_boc')
  })

  test('a code hash finds the accounts that have it', async () => {
    const code = 'thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE='
    const { body } = await client.get('accountStates', { code_hash: code, include_boc: false })
    const rows = body['accounts'] as Json[]
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map((row) => row['code_hash']))).toEqual(new Set([code]))
  })

  test('a wallet shows its numbers', async () => {
    const { body } = await client.get('walletStates', { address: GIVER })
    expect(body['wallets']).toMatchObject([
      { is_wallet: true, wallet_type: 'wallet v3 r1', seqno: 1, wallet_id: 698983191 },
    ])
  })

  test('the ranking is ordered by balance, and its pages join up', async () => {
    const { body: whole } = await client.get<Json[]>('topAccountsByBalance', { limit: 1000 })
    const parts = await Promise.all(
      [0, 100, 200].map((offset) => client.get<Json[]>('topAccountsByBalance', { limit: 100, offset })),
    )
    expect(parts.flatMap(({ body }) => body)).toEqual(whole.slice(0, 300))
    const byCursor: Json[] = []
    let cursor: string | undefined
    do {
      const reply = await client.get<Json[]>('topAccountsByBalance', { limit: 37, cursor })
      byCursor.push(...reply.body)
      cursor = reply.headers.get('x-next-cursor') ?? undefined
    } while (cursor)
    expect(byCursor).toEqual(whole)
    const balances = whole.map((row) => BigInt(String(row['balance'])))
    expect(balances).toEqual([...balances].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
    const { rows } = await sql<{ n: bigint }>`select count(*) as n from latest_account_states`.execute(
      scratch.db,
    )
    expect(whole.length).toBe(Number(rows[0]!.n))
  })

  test('the address book is keyed by the addresses as sent', async () => {
    const { body } = await client.get('addressBook', { address: [GIVER.toLowerCase(), 'garbage', UNSEEN] })
    expect(body['garbage']).toEqual({ user_friendly: null, domain: null, interfaces: [] })
    expect(body[GIVER.toLowerCase()]).toMatchObject({ interfaces: ['wallet_v3r1'] })
    expect(body[UNSEEN]).toMatchObject({ domain: null, interfaces: [] })
  })
})

describe('decode', () => {
  const body = 'te6cckEBAQEADgAAGNUydtsAAAAAAAAAAPfBmNw='

  test('GET and POST give the same replies in the same order', async () => {
    const query = { opcodes: ['0x0f8a7ea5', '0x12121212'], bodies: [body, 'ff'] }
    const asked = await client.get('decode', query)
    expect(asked.body['opcodes']).toEqual(['jetton_transfer', 'unknown'])
    expect((asked.body['bodies'] as Json[])[0]).toEqual({ '@type': 'excess', query_id: '0' })
    expect(Object.keys((asked.body['bodies'] as Json[])[1]!)).toEqual(['error'])
    const posted = await fetch(client.url('decode'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(query),
    })
    expect([posted.status, await posted.json()]).toEqual([200, asked.body])
  })

  const post = (text: string, type = 'application/json') =>
    fetch(client.url('decode'), { method: 'POST', headers: { 'Content-Type': type }, body: text })

  test.each([
    ['application/x-www-form-urlencoded', `opcodes=0xf8a7ea5&opcodes=1&bodies=${encodeURIComponent(body)}`],
    ...['application/xml', 'text/xml; charset=utf-8'].map((type) => [
      type,
      '<?xml version="1.0"?><DecodeRequest><Opcodes>0xf8a7ea5</Opcodes><Opcodes>1</Opcodes>' +
        `<Bodies>${body}</Bodies></DecodeRequest>`,
    ]),
  ])('%s says the same as JSON', async (type, text) => {
    const reply = await post(text!, type)
    const asJson = await post(JSON.stringify({ opcodes: ['0xf8a7ea5', '1'], bodies: [body] }))
    expect([reply.status, await reply.json()]).toEqual([200, await asJson.json()])
  })

  test.each([
    ['JSON that ends early', '{', undefined],
    ['another type', '{}', 'text/plain'],
    ['no list of texts', '{"bodies":[1]}', undefined],
    ['XML that ends early', '<a><Bodies>1</Bodies>', 'text/xml'],
    ['XML with elements for values', '<a><Bodies><b/></Bodies></a>', 'text/xml'],
    ['XML with two roots', '<a></a><b></b>', 'text/xml'],
    [
      'XML that declares entities',
      '<!DOCTYPE a [<!ENTITY x "1">]><a><Opcodes>&x;</Opcodes></a>',
      'application/xml',
    ],
  ])('%s is refused', async (_what, text, type) => {
    expect((await post(text, type)).status).toBe(422)
  })

  test.each([
    ['{}', 'application/json'],
    ['', 'application/x-www-form-urlencoded'],
    ['<a/>', 'text/xml'],
  ])('nothing to decode is no mistake: %s', async (text, type) => {
    expect(await (await post(text, type)).json()).toEqual({ opcodes: [], bodies: [] })
  })
})

describe('invalid requests and empty lists', () => {
  const refused: [path: string, query: Record<string, string>, error: string][] = [
    ['accountStates', {}, 'address of account is required'],
    ['walletStates', {}, 'address of account is required'],
    ['addressBook', {}, 'at least 1 address required'],
    ['metadata', {}, 'at least 1 address required'],
    ['nft/sales', {}, 'at least 1 address required'],
    ['nft/items', { index: '1' }, 'index parameter is not allowed without the collection_address'],
    ['nft/items', { index: 'x', collection_address: GIVER }, 'index should contain digits only'],
    [
      'nft/items',
      { collection_address: `${GIVER},${UNSEEN}` },
      'exact one owner_address required for multiple collection_address',
    ],
    [
      'jetton/wallets',
      { jetton_address: `${GIVER},${UNSEEN}` },
      'exact one owner_address required for multiple jetton_address',
    ],
    ['dns/records', {}, 'either wallet address or domain is required'],
    ['dns/records', { wallet: GIVER, domain: 'a.ton' }, 'provide either wallet address or domain, not both'],
    ['vesting', {}, 'at least one of contract_address or wallet_address is required'],
    [
      'vesting',
      { contract_address: GIVER, wallet_address: GIVER },
      'only one of contract_address or wallet_address should be specified',
    ],
    ['multisig/wallets', {}, 'At least one of address or wallet_address should be specified'],
    ['multisig/orders', {}, 'At least one of address or multisig_address should be specified'],
    ['decode', { opcodes: 'zz' }, 'invalid opcode format at index 0: zz'],
  ]
  for (const [path, query, error] of refused)
    test(`${path} ${JSON.stringify(Object.keys(query))}: ${error}`, async () => {
      expect((await client.get(path, query)).body).toEqual({ error, code: 422 })
    })

  const empty: Record<string, [rows: string, query: Record<string, string>]> = {
    'jetton/masters': ['jetton_masters', {}],
    'jetton/wallets': ['jetton_wallets', { owner_address: GIVER, sort: 'desc' }],
    'jetton/transfers': ['jetton_transfers', { owner_address: GIVER, start_utime: '1' }],
    'jetton/burns': ['jetton_burns', { address: GIVER }],
    'nft/collections': ['nft_collections', {}],
    'nft/items': ['nft_items', { owner_address: GIVER, include_on_sale: 'true' }],
    'nft/transfers': ['nft_transfers', { direction: 'in', owner_address: GIVER }],
    'dns/records': ['records', { wallet: GIVER }],
    'multisig/wallets': ['multisigs', { wallet_address: GIVER }],
    'multisig/orders': ['orders', { multisig_address: GIVER }],
    vesting: ['vesting_contracts', { wallet_address: GIVER, check_whitelist: 'true' }],
  }
  for (const [path, [rows, query]] of Object.entries(empty))
    test(`${path} without a match is an empty list`, async () => {
      const { status, body } = await client.get(path, query)
      expect([status, body[rows], body['address_book']]).toEqual([200, [], {}])
    })
})

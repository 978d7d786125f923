import { parseAddress } from '@shardwalk/api-schema'
import { deriveAccountId } from '@shardwalk/model'
import { swept } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { base64, type ChainUnderApi, contentOf, facts, inChunks, raw, rawOrNull } from './chain-under-api.ts'

interface TokenMetadata {
  readonly is_indexed: boolean
  readonly token_info: readonly {
    readonly type: string
    readonly extra?: Json
    readonly nft_index?: string
  }[]
}
const metadataOf = (body: Json, address: string) =>
  (body['metadata'] as Record<string, TokenMetadata>)[raw(address)]

export function jettonFacts(chain: () => ChainUnderApi): void {
  test('jetton/masters returns supply, admin, content and code of every jetton', async () => {
    for (const fact of facts.jettons.filter((one: Json) => !one['only'])) {
      const { body } = await chain().client.get('jetton/masters', { address: fact.address })
      expect(body['jetton_masters'], fact.name).toMatchObject([
        {
          address: raw(fact.address),
          total_supply: fact.total_supply,
          mintable: fact.mintable,
          admin_address: rawOrNull(fact.admin),
          jetton_content: contentOf(fact),
          jetton_wallet_code_hash: base64(fact.wallet_code_hash),
          code_hash: base64(fact.minter_code_hash),
        },
      ])
      expect(metadataOf(body, fact.address)?.token_info.map((one) => one.type)).toEqual(['jetton_masters'])
    }
  })

  test('jetton/wallets returns every balance; metadata describes wallet and master', async () => {
    let checked = 0
    for (const jetton of facts.jettons)
      for (const wallets of inChunks<Json>(jetton.wallets, 50)) {
        const address = wallets.map((one) => String(one['address']))
        const { body } = await chain().client.get('jetton/wallets', { address, limit: 1000 })
        const rows = new Map((body['jetton_wallets'] as Json[]).map((row) => [row['address'], row]))
        for (const fact of wallets) {
          const row = rows.get(raw(String(fact['address'])))
          expect([row?.['balance'], row?.['owner'], row?.['jetton']]).toEqual([
            fact['balance'],
            raw(String(fact['owner'])),
            raw(jetton.address),
          ])
          expect(metadataOf(body, String(fact['address']))).toMatchObject({
            is_indexed: true,
            token_info: [
              {
                valid: true,
                type: 'jetton_wallets',
                extra: {
                  owner: raw(String(fact['owner'])),
                  jetton: raw(jetton.address),
                  balance: fact['balance'],
                },
              },
            ],
          })
          checked++
        }
        expect(metadataOf(body, jetton.address)?.token_info.map((one) => one.type)).toContain(
          'jetton_masters',
        )
      }
    expect(checked).toBe(145)
  })

  test('every jetton wallet has the decimals of its jetton, although nothing was fetched', async () => {
    const all = await chain().client.all('jetton/wallets', 'jetton_wallets')
    const owners = [...new Set(all.map((row) => String(row['owner'])))]
    expect(owners.length).toBeGreaterThan(20)
    for (const owner_address of swept(owners, 3)) {
      const { body } = await chain().client.get('jetton/wallets', { owner_address, limit: 1000 })
      for (const { jetton } of body['jetton_wallets'] as Json[]) {
        const master = (body['metadata'] as Record<string, TokenMetadata>)[String(jetton)]!
        const extra = master.token_info.find((one) => one.type === 'jetton_masters')?.extra
        expect([jetton, extra?.['decimals']]).toEqual([jetton, expect.stringMatching(/^\d+$/)])
      }
    }
  })

  test('jetton/transfers and jetton/burns match the transactions that they come from', async () => {
    const transfers = await chain().client.all('jetton/transfers', 'jetton_transfers')
    const burns = await chain().client.all('jetton/burns', 'jetton_burns')
    expect(transfers.length).toBeGreaterThan(50)
    expect(burns.length).toBeGreaterThan(5)
    for (const row of swept(transfers, 3)) {
      expect(row['transaction_aborted']).toBe(false)
      const { body } = await transactionOf(chain(), row)
      expect(body).toMatchObject({
        account: row['source_wallet'],
        in_msg: { decoded_opcode: 'jetton_transfer' },
      })
    }
    for (const row of burns) {
      const { body } = await transactionOf(chain(), row)
      expect(body).toMatchObject({ account: row['jetton_wallet'], in_msg: { decoded_opcode: 'jetton_burn' } })
      expect((body['description'] as Json)['aborted']).toBe(row['transaction_aborted'])
    }
  })
}

async function transactionOf(chain: ChainUnderApi, row: Json): Promise<{ body: Json }> {
  const [body] = await chain.rows('transactions', 'transactions', { hash: String(row['transaction_hash']) })
  expect([body?.['lt'], body?.['now'], body?.['trace_id']]).toEqual([
    row['transaction_lt'],
    row['transaction_now'],
    row['trace_id'],
  ])
  return { body: body as Json }
}

export function nftFacts(chain: () => ChainUnderApi): void {
  test('nft/collections returns owner, next index and content', async () => {
    for (const fact of facts.nft_collections.filter((one: Json) => !one['only'])) {
      const { body } = await chain().client.get('nft/collections', { collection_address: fact.address })
      expect(body['nft_collections'], fact.name).toMatchObject([
        {
          address: raw(fact.address),
          owner_address: rawOrNull(fact.owner),
          next_item_index: fact.next_item_index,
          collection_content: contentOf(fact),
        },
      ])
      expect(metadataOf(body, fact.address)?.token_info.map((one) => one.type)).toEqual(['nft_collections'])
    }
  })

  test('nft/items returns owner, index, content and collection of exactly the existing items', async () => {
    const all = [...facts.nft_collections.flatMap((one: Json) => one['items'] ?? []), ...facts.nft_items]
    for (const fact of all) {
      const { body } = await chain().client.get('nft/items', { address: fact.address })
      if (fact.state !== 'active' || fact.owner === undefined) {
        expect(body['nft_items'], fact.name).toEqual([])
        continue
      }
      expect(body['nft_items'], fact.name).toMatchObject([
        {
          address: raw(fact.address),
          init: fact.init,
          index: fact.index,
          collection_address: rawOrNull(fact.collection),
          owner_address: rawOrNull(fact.owner),
          content: contentOf(fact),
          code_hash: base64(fact.code_hash),
        },
      ])
      const [row] = body['nft_items'] as Json[]
      expect((row?.['collection'] as Json | null)?.['address'] ?? null).toBe(rawOrNull(fact.collection))
      const [info] = metadataOf(body, fact.address)!.token_info
      expect([info?.type, info?.nft_index]).toEqual(['nft_items', fact.index])
      const book = Object.keys(body['address_book'] as Json)
      for (const address of [fact.address, fact.collection, fact.owner].filter(Boolean))
        expect(book).toContain(raw(address))
    }
    expect(all.length).toBeGreaterThan(20)
  })
}

export function saleFacts(chain: () => ChainUnderApi): void {
  test('an item on sale has its sale or auction and the seller; other items have neither', async () => {
    const items = await chain().client.all('nft/items', 'nft_items')
    const sales = new Map<string, Json>()
    for (const { address } of facts.nft_sales)
      for (const sale of await chain().rows('nft/sales', 'nft_sales', { address }))
        sales.set(raw(address), sale)
    let listed = 0
    for (const item of items) {
      const sale = sales.get(String(item['owner_address']))
      if (sale?.['nft_address'] !== item['address']) {
        expect([item['on_sale'], item['real_owner']]).toEqual([false, undefined])
        continue
      }
      const key = sale?.['type'] === 'getgems_sale' ? 'sale_contract_address' : 'auction_contract_address'
      expect([item['on_sale'], item[key], item['real_owner']]).toEqual([
        true,
        item['owner_address'],
        sale?.['nft_owner_address'],
      ])
      listed++
    }
    expect(listed).toBeGreaterThan(0)
  })

  test('nft/sales returns every sale and auction with the numbers of its get-method', async () => {
    for (const fact of facts.nft_sales) {
      const found = await chain().rows('nft/sales', 'nft_sales', { address: fact.address })
      const expected = fact.state === 'active' ? expectedSale(fact) : undefined
      if (expected === undefined) expect(found, fact.name).toEqual([])
      else expect(found, fact.name).toMatchObject([{ address: raw(fact.address), ...expected }])
    }
    const kinds = await chain().rows('nft/sales', 'nft_sales', {
      address: facts.nft_sales.map((one: Json) => one['address']),
    })
    const types = kinds.map((row) => row['type'])
    expect(types).toEqual(
      [...types].sort((a, b) => Number(a === 'getgems_auction') - Number(b === 'getgems_auction')),
    )
    expect(new Set(types)).toEqual(new Set(['getgems_sale', 'getgems_auction']))
  })

  test('nft/sales returns a Telegram item as its own sale, with the known data of the auction', async () => {
    // The recorded chain has none.
    const [item] = await chain().rows('nft/items', 'nft_items', {
      address: facts.nft_collections[0].items[0].address,
    })
    const address = String(item?.['address'])
    const { pool } = chain().scratch
    const id = deriveAccountId(parseAddress(address)!)
    await pool.query(
      `insert into telemint_items (account_id, lt, bidder_id, beneficiary_id, royalty_destination_id, bid,
        bid_at, min_bid, end_time,
         initial_min_bid, max_bid, min_bid_step, min_extend_time, duration, royalty_numerator,
           royalty_denominator, token_name)
       values ($1, 9, null, $1, $1, null, null, 7, 1795270000, 5000000000, 0, 5, 3600, 604800, 5, 100,
         'somebody')`,
      [id],
    )
    try {
      const { on_sale: _on, sale_contract_address: _sale, real_owner: _real, ...plain } = item!
      expect(await chain().rows('nft/sales', 'nft_sales', { address })).toEqual([
        {
          type: 'telemint',
          address,
          nft_address: address,
          nft_owner_address: item?.['owner_address'],
          last_transaction_lt: '9',
          details: {
            token_name: 'somebody',
            min_bid: '7',
            end_time: 1795270000,
            beneficiary_address: address,
            initial_min_bid: '5000000000',
            max_bid: '0',
            min_bid_step: '5',
            min_extend_time: '3600',
            duration: '604800',
            royalty_numerator: 5,
            royalty_denominator: 100,
            royalty_destination: address,
          },
          nft_item: { ...plain, on_sale: false },
        },
      ])
    } finally {
      await pool.query('delete from telemint_items where account_id = $1', [id])
    }
  })

  test('nft/transfers match the transactions that they come from', async () => {
    const transfers = await chain().client.all('nft/transfers', 'nft_transfers')
    expect(transfers.length).toBeGreaterThan(20)
    for (const row of transfers) {
      const { body } = await transactionOf(chain(), row)
      expect(body).toMatchObject({ account: row['nft_address'], in_msg: { decoded_opcode: 'nft_transfer' } })
      expect((body['description'] as Json)['aborted']).toBe(row['transaction_aborted'])
    }
    expect(transfers.some((row) => row['transaction_aborted'])).toBe(true)
  })
}

type Stack = readonly { readonly int?: string; readonly address?: string }[]

/**
 * Undefined: the contract is neither a sale nor an auction. Source: get-methods of Getgems' sale v3, v4 and
 * auction v3, v4 contracts.
 */
function expectedSale(fact: Json): Json | undefined {
  const stackOf = (method: string) => fact[method] as Stack | undefined
  const sale = stackOf('get_sale_data')
  if (fact['kind'] === 'nft_sale' && sale?.length === 11) return saleV3(sale)
  const saleOfV4 = stackOf('get_fix_price_data_v4')
  if (saleOfV4) return saleV4(saleOfV4)
  if (fact['kind'] === 'nft_auction' && sale) return auctionV3(sale)
  const auction = stackOf('get_auction_data_v4')
  return auction && { ...auctionHead(auction), details: auctionV4(auction) }
}

function at(stack: Stack, index: number): string | undefined {
  const { int, address } = stack[index] ?? {}
  return address === undefined ? int : raw(address)
}

const saleV3 = (stack: Stack): Json => ({
  type: 'getgems_sale',
  created_at: Number(at(stack, 2)),
  marketplace_address: at(stack, 3),
  nft_address: at(stack, 4),
  nft_owner_address: at(stack, 5),
  details: {
    is_complete: at(stack, 1) !== '0',
    full_price: at(stack, 6),
    marketplace_fee_address: at(stack, 7),
    marketplace_fee: at(stack, 8),
    royalty_address: at(stack, 9),
    royalty_amount: at(stack, 10),
  },
})

function saleV4(stack: Stack): Json {
  // Version 4 has shares in units of 1/100,000 of the price.
  const share = (index: number) => String((BigInt(at(stack, 5)!) * BigInt(at(stack, index)!)) / 100_000n)
  return {
    type: 'getgems_sale',
    created_at: Number(at(stack, 1)),
    marketplace_address: at(stack, 2),
    nft_address: at(stack, 3),
    nft_owner_address: at(stack, 4),
    details: {
      is_complete: at(stack, 0) !== '0',
      full_price: at(stack, 5),
      marketplace_fee_address: at(stack, 6),
      marketplace_fee: share(7),
      royalty_address: at(stack, 8),
      royalty_amount: share(9),
    },
  }
}

const auctionHead = (stack: Stack): Json => ({
  type: 'getgems_auction',
  marketplace_address: at(stack, 3),
  nft_address: at(stack, 4),
  nft_owner_address: at(stack, 5),
})

const auctionV3 = (stack: Stack): Json => ({
  ...auctionHead(stack),
  details: {
    end_flag: at(stack, 1) !== '0',
    end_time: Number(at(stack, 2)),
    last_bid: at(stack, 6),
    min_step: Number(at(stack, 8)),
    mp_fee_address: at(stack, 9),
    mp_fee_factor: Number(at(stack, 10)),
    mp_fee_base: Number(at(stack, 11)),
    royalty_fee_address: at(stack, 12),
    royalty_fee_factor: Number(at(stack, 13)),
    royalty_fee_base: Number(at(stack, 14)),
    max_bid: at(stack, 15),
    min_bid: at(stack, 16),
  },
})

const auctionV4 = (stack: Stack): Json => ({
  end_flag: at(stack, 1) !== '0',
  end_time: Number(at(stack, 2)),
  last_bid: at(stack, 6),
  last_member: at(stack, 7),
})

import { Cell } from '@ton/core'
import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { type ChainUnderApi, compareAddresses, facts, raw, rawOrNull, STRANGER } from './chain-under-api.ts'

/**
 * Values of a DNS record. Source: block.tlb `dns_smc_address#9fd3`, `dns_adnl_address#ad01`,
 * `dns_storage_address#7473`, `dns_next_resolver#ba93`.
 */
function recordValue(boc: string): Json {
  const slice = Cell.fromBase64(boc).beginParse()
  switch (slice.loadUint(16)) {
    case 0x9fd3:
      return { dns_wallet: raw(slice.loadAddress().toRawString()) }
    case 0xad01:
      return { dns_site_adnl: slice.loadBuffer(32).toString('base64') }
    case 0x7473:
      return { dns_storage_bag_id: slice.loadBuffer(32).toString('base64') }
    case 0xba93:
      return { dns_next_resolver: raw(slice.loadAddress().toRawString()) }
    default:
      throw new Error(`no record: ${boc}`)
  }
}

export function dnsFacts(chain: () => ChainUnderApi): void {
  test('dns/records returns the owner and every record of every domain', async () => {
    for (const fact of facts.dns.items) {
      const domain = `${fact.domain}.${fact.zone}`
      const { body } = await chain().client.get('dns/records', { domain })
      if (fact.state !== 'active') {
        expect(body, domain).toEqual({ records: [], address_book: {} })
        continue
      }
      const records = Object.assign({}, ...Object.values<string>(fact.records).map(recordValue)) as Json
      const none = { dns_wallet: null, dns_site_adnl: null, dns_storage_bag_id: null }
      expect(body['records'], domain).toMatchObject([
        {
          nft_item_address: raw(fact.address),
          nft_item_owner: rawOrNull(fact.owner),
          domain,
          ...none,
          ...records,
        },
      ])
      const listed = [fact.address, fact.owner, records['dns_wallet']].filter(Boolean).map(raw)
      expect(Object.keys(body['address_book'] as Json).sort()).toEqual([...new Set(listed)].sort())
      expect(body).not.toHaveProperty('metadata')
    }
  })

  test('the record of a domain has exactly what the chain resolves', async () => {
    for (const { name, cell } of facts.dns.resolve) {
      const found = await chain().rows('dns/records', 'records', { domain: name })
      if (cell) expect(found, name).toMatchObject([recordValue(cell)])
      else expect(found, name).toEqual([])
    }
  })

  test('a wallet finds the domains that resolve to it, shortest first, whoever owns them', async () => {
    const { dns_wallet: wallet } = recordValue(
      facts.dns.resolve.find((one: Json) => one['name'] === 'test.ton').cell,
    )
    const found = await chain().rows('dns/records', 'records', { wallet: String(wallet) })
    const domains = found.map((row) => String(row['domain']))
    expect(domains).toEqual(expect.arrayContaining(['test.ton', 'carol-scenario.ton']))
    expect(domains).toEqual([...domains].sort((a, b) => a.length - b.length || (a < b ? -1 : 1)))
    expect(new Set(found.map((row) => row['dns_wallet']))).toEqual(new Set([wallet]))
    const { items } = facts.dns
    const mine = items
      .filter((one: Json & { records?: Json }) => one.records?.['wallet'])
      .map((one: Json) => one['owner'])
    expect(new Set(mine).size).toBeGreaterThan(1)
    const pages = await Promise.all(
      [0, 1].map((offset) =>
        chain().rows('dns/records', 'records', { wallet: String(wallet), limit: 1, offset }),
      ),
    )
    expect(pages.flat()).toEqual(found.slice(0, 2))
  })

  test('dns/activeAuctions returns the auctions that an account leads, with items on request', async () => {
    const fact = facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario')
    const { max_bid_address, max_bid_amount, end_time } = fact.auction
    const query = { bidder: max_bid_address }
    const { body } = await chain().client.get('dns/activeAuctions', query)
    const auctions = body['auctions'] as Json[]
    const info = (await chain().client.get('masterchainInfo')).body['last'] as Json
    const isOver = ({ auction_end_time }: Json) => Number(auction_end_time) <= Number(info['gen_utime'])
    expect(auctions).toContainEqual({
      nft_item_address: raw(fact.address),
      domain: 'release-scenario.ton',
      max_bid_address: raw(max_bid_address),
      max_bid_amount,
      auction_end_time: String(end_time),
      last_fill_up_time: String(fact.last_fill_up_time),
      finished: end_time <= Number(info['gen_utime']),
    })
    expect(auctions.map(({ domain }) => domain)).toContain('longname.t.me')
    const ends = auctions.map(({ auction_end_time }) => Number(auction_end_time))
    expect(ends).toEqual([...ends].sort((a, b) => a - b))
    expect(Object.keys(body['address_book'] as Json).sort()).toEqual(
      [raw(max_bid_address), ...auctions.map((one) => String(one['nft_item_address']))].sort(),
    )
    const found = (more: Query) => chain().rows('dns/activeAuctions', 'auctions', { ...query, ...more })
    expect(await found({ state: 'won' })).toEqual(auctions.filter(isOver))
    expect(await found({ state: 'bidding' })).toEqual(auctions.filter((one) => !isOver(one)))
    for (const { nft_item, ...auction } of await found({ state: 'all', include_nft_items: true })) {
      expect(auctions).toContainEqual(auction)
      const address = String(auction['nft_item_address'])
      expect([nft_item]).toEqual(await chain().rows('nft/items', 'nft_items', { address }))
    }
    const none = await chain().client.get('dns/activeAuctions', { bidder: fact.address })
    expect(none.body).toEqual({ auctions: [], address_book: {}, metadata: {} })
  })

  test('dns/activeAuctions goes on after next_cursor, without an offset', async () => {
    const fact = facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario')
    const query = { bidder: fact.auction.max_bid_address, limit: 1 }
    const all = await chain().rows('dns/activeAuctions', 'auctions', { ...query, limit: 100 })
    const found: Json[] = []
    let after: string | undefined
    do {
      const { body, headers } = await chain().client.get('dns/activeAuctions', { ...query, after })
      found.push(...(body['auctions'] as Json[]))
      after = body['next_cursor'] as string | undefined
      expect(after ?? null).toBe(headers.get('x-next-cursor'))
    } while (after)
    expect(found).toEqual(all)
    expect(found.length).toBeGreaterThan(1)
  })

  test('dns/activeAuctions refuses what it cannot mean', async () => {
    const bidder = facts.dns.items[0].address
    const errorOf = async (query: Query) => {
      const { status, body } = await chain().client.get('dns/activeAuctions', query)
      return [status, body['error']]
    }
    expect(await errorOf({})).toEqual([422, 'bidder address is required'])
    const after = 'AAAA'
    expect(await errorOf({ bidder, after, offset: 1 })).toEqual([422, 'use either after or offset, not both'])
    expect((await errorOf({ bidder, state: 'lost' }))[0]).toBe(422)
  })

  test('an item of a zone has its domain in content and metadata', async () => {
    const fact = facts.dns.items.find((one: Json) => one['domain'] === 'test')
    const { body } = await chain().client.get('nft/items', { address: fact.address })
    expect(body['nft_items']).toMatchObject([{ index: fact.index, content: { domain: 'test.ton' } }])
    expect((body['metadata'] as Json)[raw(fact.address)]).toMatchObject({
      is_indexed: true,
      token_info: [{ valid: true, type: 'nft_items', nft_index: fact.index, extra: { domain: 'test.ton' } }],
    })
  })
}

const orderFact = (order: Json): Json => ({
  address: raw(String(order['address'])),
  order_seqno: order['order_seqno'],
  threshold: order['threshold'],
  sent_for_execution: order['sent_for_execution'],
  approvals_mask: order['approvals_mask'],
  approvals_num: order['approvals_num'],
  expiration_date: order['expiration_date'],
  signers: (order['signers'] as string[]).map(raw),
})

const addressOf = (one: Json | string): string => raw(typeof one === 'string' ? one : String(one['address']))

export function multisigFacts(chain: () => ChainUnderApi): void {
  test('multisig/wallets returns threshold, signers, proposers and every order', async () => {
    for (const fact of facts.multisigs) {
      const orders = fact.orders.filter(
        (one: Json) => one['state'] === 'active' && one['threshold'] !== undefined,
      )
      const { body } = await chain().client.get('multisig/wallets', { address: fact.address })
      const signers = fact.signers.map(addressOf)
      const proposers = fact.proposers.map(addressOf)
      expect(body['multisigs'], fact.name).toMatchObject([
        {
          address: raw(fact.address),
          next_order_seqno: fact.next_order_seqno,
          threshold: fact.threshold,
          signers,
          proposers,
        },
      ])
      const [row] = body['multisigs'] as Json[]
      const shown = row?.['orders'] as Json[]
      for (const order of orders)
        expect(shown, order.name).toContainEqual(
          expect.objectContaining({
            multisig_address: raw(fact.address),
            actions: null,
            ...orderFact(order),
          }),
        )
      const seqnos = shown.map((order) => Number(order['order_seqno']))
      expect(seqnos).toEqual([...seqnos].sort((a, b) => a - b))
      const ofOrders = shown.flatMap((order) => [order['address'], ...(order['signers'] as string[])])
      const named = [raw(fact.address), ...signers, ...proposers, ...ofOrders]
      expect(Object.keys(body['address_book'] as Json).sort()).toEqual([...new Set(named)].sort())
      const without = await chain().rows('multisig/wallets', 'multisigs', {
        address: fact.address,
        include_orders: false,
      })
      expect(without).toEqual([{ ...row, orders: [] }])
      for (const who of [...signers, ...proposers])
        expect(
          (await chain().rows('multisig/wallets', 'multisigs', { wallet_address: who, limit: 1024 })).map(
            (one) => one['address'],
          ),
        ).toContain(raw(fact.address))
      expect(
        await chain().rows('multisig/wallets', 'multisigs', {
          address: fact.address,
          wallet_address: STRANGER,
        }),
      ).toEqual([])
    }
  })

  test('multisig/orders returns state, approvals and actions of every order', async () => {
    for (const multisig of facts.multisigs)
      for (const fact of multisig.orders) {
        const found = await chain().rows('multisig/orders', 'orders', {
          address: fact.address,
          parse_actions: true,
        })
        if (fact.state !== 'active' || fact.threshold === undefined) {
          expect(found, fact.name).toEqual([])
          continue
        }
        expect(found, fact.name).toMatchObject([
          { multisig_address: raw(multisig.address), ...orderFact(fact) },
        ])
        const [row] = found
        expect(Cell.fromBase64(String(row?.['order_boc'])).hash()).toEqual(Cell.fromBase64(fact.order).hash())
        expect(row?.['actions'], fact.name).toMatchObject(
          ORDER_ACTIONS[fact.name] ?? (row?.['actions'] as Json[]),
        )
        const [plain] = await chain().rows('multisig/orders', 'orders', { address: fact.address })
        expect(plain).toEqual({ ...row, actions: null })
      }
  })

  test('the address book of parsed orders covers the addresses in their actions', async () => {
    const { body } = await chain().client.get('multisig/orders', {
      multisig_address: facts.multisigs.map((one: Json) => one['address']),
      parse_actions: true,
      limit: 1024,
    })
    const actions = (body['orders'] as Json[]).flatMap((order) => order['actions'] as Json[])
    const named = JSON.stringify(actions).match(/(?<=")-?\d+:[0-9A-F]{64}(?=")/g) ?? []
    expect(named.length).toBeGreaterThan(5)
    expect(Object.keys(body['address_book'] as Json)).toEqual(expect.arrayContaining(named))
    expect(body).not.toHaveProperty('metadata')
  })
}

/** Actions that the scenario put into its orders. */
const ORDER_ACTIONS: Readonly<Record<string, readonly Json[]>> = {
  'multisig-a/order-1': [
    {
      parsed: true,
      error: null,
      send_mode: 1,
      parsed_body_type: 'jetton_transfer',
      parsed_body: {
        comment: 'jettons from the multisig',
        payload_sum_type: 'TextComment',
        stonfi_swap_body: null,
      },
    },
  ],
  'multisig-a/order-2': [
    { parsed: true, parsed_body_type: 'ton_transfer', parsed_body: { comment: 'never', encrypted: false } },
  ],
  'multisig-a/order-4': [
    {
      value: '3000000000',
      send_mode: 1,
      parsed_body_type: 'ton_transfer',
      parsed_body: { comment: 'pending' },
    },
    {
      value: '1000000000',
      send_mode: 1,
      parsed_body_type: 'ton_transfer',
      parsed_body: { comment: 'pending 2' },
    },
  ],
  'multisig-a/order-3': [
    {
      destination: null,
      value: null,
      body_raw: null,
      parsed: true,
      parsed_body_type: 'multisig_update_params',
      send_mode: 0,
      parsed_body: { new_threshold: 3, new_proposers: null },
    },
  ],
}

export function vestingFacts(chain: () => ChainUnderApi): void {
  test('vesting returns every parameter and the whole whitelist', async () => {
    for (const fact of facts.vesting) {
      const { body } = await chain().client.get('vesting', { contract_address: fact.address })
      expect(body['vesting_contracts']).toEqual([
        {
          address: raw(fact.address),
          start_time: fact.start_time,
          total_duration: fact.total_duration,
          unlock_period: fact.unlock_period,
          cliff_duration: fact.cliff_duration,
          sender_address: raw(fact.sender),
          owner_address: raw(fact.owner),
          total_amount: fact.total_amount,
          whitelist: fact.whitelist.map(raw).sort(compareAddresses),
        },
      ])
      const named = [fact.address, fact.sender, fact.owner, ...fact.whitelist].map(raw)
      expect(Object.keys(body['address_book'] as Json).sort()).toEqual(named.sort())
      const by = async (query: Json) =>
        (await chain().rows('vesting', 'vesting_contracts', query as Record<string, string>)).map(
          (row) => row['address'],
        )
      expect(await by({ wallet_address: fact.owner })).toContain(raw(fact.address))
      expect(await by({ wallet_address: fact.sender })).toContain(raw(fact.address))
      expect(await by({ wallet_address: fact.whitelist[0] })).toEqual([])
      expect(await by({ wallet_address: fact.whitelist[0], check_whitelist: true })).toEqual([
        raw(fact.address),
      ])
      expect(await by({ wallet_address: STRANGER, check_whitelist: true })).toEqual([])
    }
  })
}

import { parseBoc } from '@shardwalk/cells'
import { isNonBounceableWallet } from '@shardwalk/contracts'
import { Address, Cell } from '@ton/core'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Json, Query } from '../client.ts'
import { base64, type ChainUnderApi, facts, inChunks, raw, STRANGER, scenario } from './chain-under-api.ts'

// biome-ignore lint/suspicious/noExplicitAny: facts are picked by name
const accounts = Object.entries<any>(facts.accounts)
const rootHash = (boc: unknown): string => {
  const bag = parseBoc(Buffer.from(String(boc), 'base64'))
  return bag.hash(bag.root).toString('base64')
}

/** Name of each wallet version of the scenario in replies; highload wallets are none of the eleven. */
const WALLET_TYPES: Readonly<Record<string, string>> = {
  v1r1: 'wallet v1 r1',
  v2r1: 'wallet v2 r1',
  v2r2: 'wallet v2 r2',
  v3r1: 'wallet v3 r1',
  v3r2: 'wallet v3 r2',
  v4r2: 'wallet v4 r2',
  v5r1: 'wallet v5 r1',
}
const HAS_ID = /v[345]/

export function stateFacts(chain: () => ChainUnderApi): void {
  const all = async (path: string, key: string, more = {}): Promise<Map<string, Json>> => {
    const found = new Map<string, Json>()
    for (const chunk of inChunks(accounts, 100)) {
      const address = chunk.map(([one]) => one)
      for (const row of await chain().rows(path, key, { address, ...more }))
        found.set(String(row['address']), row)
    }
    return found
  }

  test('accountStates returns every account of the facts, with and without code and data', async () => {
    const rows = await all('accountStates', 'accounts')
    const bare = await all('accountStates', 'accounts', { include_boc: false })
    for (const [address, fact] of accounts) {
      const row = rows.get(raw(address))
      expect(row, fact.name).toMatchObject({
        balance: fact.state === 'nonexist' ? '0' : fact.balance,
        status: fact.state,
        last_transaction_lt: fact.last_transaction.lt,
        last_transaction_hash: base64(fact.last_transaction.hash),
        extra_currencies: fact.extra_currencies ?? {},
      })
      for (const part of ['code', 'data'] as const) {
        expect(row?.[`${part}_hash`], fact.name).toBe(fact[`${part}_hash`] && base64(fact[`${part}_hash`]))
        if (fact[`${part}_hash`])
          expect(rootHash(row?.[`${part}_boc`]), fact.name).toBe(row?.[`${part}_hash`])
      }
      if (fact.frozen_state_hash) expect(row?.['frozen_hash']).toBe(base64(fact.frozen_state_hash))
      const { code_boc: _code, data_boc: _data, ...rest } = row!
      expect(bare.get(raw(address))).toEqual(rest)
    }
  })

  test('walletStates returns version, number and id of every wallet, and marks others', async () => {
    const rows = await all('walletStates', 'wallets')
    const versions = new Map(
      scenario.accounts.map((one) => [raw(String(one['address'])), String(one['wallet_version'])]),
    )
    const seen = new Set<string>()
    for (const [address, fact] of accounts) {
      const row = rows.get(raw(address))
      const version = versions.get(raw(address)) ?? ''
      const type = fact.state === 'active' ? WALLET_TYPES[version] : undefined
      expect([row?.['is_wallet'], row?.['wallet_type'], row?.['status']], fact.name).toEqual([
        type !== undefined,
        type,
        fact.state,
      ])
      if (type === undefined) {
        for (const key of ['seqno', 'wallet_id', 'is_signature_allowed']) expect(row).not.toHaveProperty(key)
        continue
      }
      seen.add(version)
      if (fact.seqno !== undefined) expect(row?.['seqno'], fact.name).toBe(fact.seqno)
      expect('wallet_id' in row!, fact.name).toBe(HAS_ID.test(version))
      expect('is_signature_allowed' in row!).toBe(version === 'v5r1')
    }
    expect([...seen].sort()).toEqual(Object.keys(WALLET_TYPES).sort())
  })

  test('the numbers of wallets are those in their data', async () => {
    const rows = await all('accountStates', 'accounts')
    const wallets = await all('walletStates', 'wallets')
    for (const [address, wallet] of wallets) {
      if (wallet['is_wallet'] !== true) continue
      const data = Cell.fromBase64(String(rows.get(address)?.['data_boc'])).beginParse()
      if (wallet['wallet_type'] === 'wallet v5 r1')
        expect(wallet['is_signature_allowed']).toBe(data.loadBit())
      expect(wallet['seqno']).toBe(data.loadUint(32))
      if ('wallet_id' in wallet) expect(wallet['wallet_id']).toBe(data.loadUint(32))
    }
  })

  test('accounts come once each in the order of the request; unknown ones are omitted', async () => {
    const [a, b] = [accounts[5]![0], accounts[3]![0]]
    for (const [path, key] of [
      ['accountStates', 'accounts'],
      ['walletStates', 'wallets'],
    ] as const) {
      const found = await chain().rows(path, key, { address: [a, STRANGER, `${b},${a}`] })
      expect(found.map((row) => row['address'])).toEqual([raw(a), raw(b)])
      const nobody = await chain().client.get(path, { address: STRANGER })
      expect(nobody.body).toEqual({ [key]: [], address_book: {}, metadata: {} })
    }
  })
}

export function addressFacts(chain: () => ChainUnderApi): void {
  test('the address book has contracts, wallets, domains and interfaces, keyed as requested', async () => {
    const seen: Record<string, Json> = {}
    for (const chunk of inChunks(accounts, 100))
      Object.assign(
        seen,
        (await chain().client.get('addressBook', { address: chunk.map(([one]) => one) })).body,
      )
    expect(Object.keys(seen).length).toBe(accounts.length)
    for (const [address, fact] of accounts) {
      const isContract = fact.code_hash && !isNonBounceableWallet(Buffer.from(fact.code_hash, 'hex'))
      const friendly = Address.parse(address).toString({ bounceable: Boolean(isContract), testOnly: false })
      expect(seen[address]?.['user_friendly'], fact.name).toBe(friendly)
    }
    const named = (name: string) => seen[accounts.find(([, fact]) => fact.name === name)![0]]
    expect(named('wallet-v4r2')).toMatchObject({ interfaces: ['wallet_v4r2'] })
    expect(named('multisig-a')).toMatchObject({ interfaces: ['multisig_v2'] })
    const { address: vesting } = facts.vesting[0]
    expect((await chain().client.get('addressBook', { address: vesting })).body).toMatchObject({
      [vesting]: { interfaces: ['wallet_vesting'] },
    })
    const test = facts.dns.items.find((item: Json) => item['domain'] === 'test')
    expect(seen[test.owner]?.['domain']).toBe('test.ton')
    const others = Object.entries(seen).filter(([, row]) => row['domain'] !== null)
    for (const [address, row] of others) {
      const [record] = await chain().rows('dns/records', 'records', { domain: String(row['domain']) })
      expect([record?.['nft_item_owner'], record?.['dns_wallet']]).toEqual([raw(address), raw(address)])
    }
  })

  test('an address in any form gets a row under that form; any other text gets nulls', async () => {
    const address = Address.parse(accounts[0]![0])
    const forms = [
      address.toRawString(),
      raw(address.toRawString()),
      address.toString({ bounceable: true }),
      address.toString({ bounceable: false, testOnly: true }),
      address.toString({ urlSafe: false }),
    ]
    const { body } = await chain().client.get('addressBook', { address: [...forms, 'garbage'] })
    expect(Object.keys(body).sort()).toEqual([...forms, 'garbage'].sort())
    expect(new Set(forms.map((form) => JSON.stringify(body[form]))).size).toBe(1)
    const nobody = { user_friendly: null, domain: null, interfaces: [] }
    expect(body['garbage']).toEqual(nobody)
    const { status, body: none } = await chain().client.get('addressBook', { address: ['x', 'y'] })
    expect([status, none]).toEqual([200, { x: nobody, y: nobody }])
  })

  test('topAccountsByBalance ranks every account, ties by address, and is empty beyond the end', async () => {
    const { body } = await chain().client.get<Json[]>('topAccountsByBalance', { limit: 1000 })
    const { rows } = await sql<{ address: string; balance: string }>`
      select upper(a.workchain || ':' || encode(a.address, 'hex')) as address, s.balance::text as balance
      from latest_account_states s join accounts a on a.id = s.account_id
        order by s.balance desc, a.workchain, a.address`.execute(chain().scratch.db)
    expect(body).toEqual(rows.map(({ address, balance }) => ({ account: address, balance })))
    const balances = new Map(body.map((row) => [row['account'], row['balance']]))
    for (const [address, fact] of accounts)
      if (fact.state !== 'nonexist') expect(balances.get(raw(address)), fact.name).toBe(fact.balance)
    const { body: page } = await chain().client.get<Json[]>('topAccountsByBalance', { limit: 7, offset: 13 })
    expect(page).toEqual(body.slice(13, 20))
    expect((await chain().client.get('topAccountsByBalance', { offset: 10_000 })).body).toEqual([])
  })

  test('metadata of states, messages and traces covers the addresses in their address books', async () => {
    const wallets = facts.jettons[0].wallets.slice(0, 20).map((one: Json) => one['address'])
    const requests: [path: string, query: Query][] = [
      ['accountStates', { address: wallets }],
      ['walletStates', { address: wallets }],
      ['messages', { opcode: '0x0f8a7ea5', limit: 50 }],
      ['messages', { source: wallets[0], direction: 'out' }],
      ['traces', { account: wallets[1], limit: 3 }],
    ]
    for (const [path, query] of requests) {
      const { body } = await chain().client.get(path, query)
      const named = Object.keys(body['address_book'] as Json)
      const { body: metadata } = await chain().client.get('metadata', { address: named })
      expect(body['metadata'], path).toEqual(metadata)
      expect(JSON.stringify(metadata), path).toContain('"type":"jetton_wallets"')
      const bare = await chain().client.get(path, { ...query, x_no_metadata: 'true' })
      expect(bare.body, path).toEqual({ ...body, metadata: {} })
    }
  })
}

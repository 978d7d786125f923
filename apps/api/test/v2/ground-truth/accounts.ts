import { isLong } from '@shardwalk/testkit/runs'
import { Address, Cell, loadShardAccount } from '@ton/core'
import { expect, test } from 'vitest'
import { hashOf, type Json } from '../core-reading.ts'
import { FACTS } from '../recorded-truth.ts'
import type { ComparedNode } from './compared-node.ts'

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
const NO_TRANSACTION = { lt: '0', hash: '0'.repeat(64) }
const STATES = {
  active: 'active',
  uninit: 'uninitialized',
  frozen: 'frozen',
  nonexist: 'uninitialized',
} as const

export function accountFacts(compared: () => ComparedNode): void {
  const accounts = Object.entries(FACTS.accounts)

  test('every account has the state, balance, code, data and last transaction of the node', async () => {
    expect(accounts.length).toBeGreaterThan(250)
    const check = async ([address, fact]: (typeof accounts)[number]): Promise<void> => {
      const { lt, hash } =
        fact.last_transaction && fact.state !== 'nonexist' ? fact.last_transaction : NO_TRANSACTION
      const last = { '@type': 'internal.transactionId', lt, hash: base64(hash) }
      const balance = fact.balance ?? '0'
      const currencies = Object.entries(fact.extra_currencies ?? {}).map(([id, amount]) => [
        Number(id) | 0,
        amount,
      ])
      const info = await compared().call('getAddressInformation', { address })
      expect(info, address).toMatchObject({ balance, state: STATES[fact.state], last_transaction_id: last })
      expect(
        (info['extra_currencies'] as { id: number; amount: string }[]).map(({ id, amount }) => [id, amount]),
      ).toEqual(currencies)
      expect(info['code'] === '' ? undefined : hashOf(info['code'])).toBe(fact.code_hash)
      expect(info['data'] === '' ? undefined : hashOf(info['data'])).toBe(fact.data_hash)
      expect(await compared().call('getAddressBalance', { address })).toBe(balance)
      expect(await compared().call('getAddressState', { address })).toBe(STATES[fact.state])
      expect(await compared().call('getExtendedAddressInformation', { address })).toMatchObject({
        address: { account_address: Address.parse(address).toString() },
        balance,
        last_transaction_id: last,
      })
      const wallet = await compared().call('getWalletInformation', { address })
      expect(wallet).toMatchObject({ balance, account_state: STATES[fact.state], last_transaction_id: last })
      // The data of every wallet before version 5 starts with its seqno.
      if (wallet['wallet'] && !String(wallet['wallet_type']).includes('v5'))
        expect(wallet['seqno']).toBe(
          Cell.fromBase64(info['data'] as string)
            .beginParse()
            .loadInt(32),
        )
      const cell = await compared().call<{ bytes: string }>('getShardAccountCell', { address })
      const account = loadShardAccount(Cell.fromBase64(cell.bytes).beginParse())
      expect(account.account?.storage.balance.coins ?? 0n).toBe(BigInt(balance))
      expect(account.lastTransactionLt).toBe(BigInt(lt))
    }
    const isFirst = (index: number) =>
      accounts.findIndex(([, { state }]) => state === accounts[index]![1].state) === index
    // One in sixteen, and one in every state.
    const asked = isLong ? accounts : accounts.filter((_, index) => index % 16 === 0 || isFirst(index))
    for (let i = 0; i < asked.length; i += 8) await Promise.all(asked.slice(i, i + 8).map(check))
  })

  test('tokens have the data of their get-methods', async () => {
    for (const { address, total_supply, mintable, admin, wallets } of FACTS.jettons) {
      // For some of them the node was asked only for their wallets or items.
      if (total_supply === undefined) continue
      const data = await compared().call('getTokenData', { address })
      expect(data).toMatchObject({
        contract_type: 'jetton_master',
        ...(mintable !== undefined && { mintable }),
      })
      expect(String(data['total_supply'])).toBe(total_supply)
      expect(rawOf(data['admin_address'])).toBe(admin)
      for (const { owner, address: wallet, balance } of wallets.slice(0, 5)) {
        const holding = await compared().call('getTokenData', { address: wallet })
        expect([holding['contract_type'], String(holding['balance'])]).toEqual(['jetton_wallet', balance])
        expect([rawOf(holding['owner']), rawOf(holding['jetton'])]).toEqual([owner, address])
      }
    }
    for (const { address, next_item_index, owner } of FACTS.nft_collections) {
      if (next_item_index === undefined) continue
      const data = await compared().call('getTokenData', { address })
      expect([data['contract_type'], String(data['next_item_index'])]).toEqual([
        'nft_collection',
        next_item_index,
      ])
      expect(rawOf(data['owner_address'])).toBe(owner)
    }
    for (const { address, index, owner } of FACTS.nft_items) {
      if (index === undefined) continue
      const data = await compared().call('getTokenData', { address })
      expect([data['contract_type'], String(data['index'])]).toEqual(['nft_item', index])
      expect(rawOf(data['owner_address'])).toBe(owner)
    }
  })

  const rawOf = (address: unknown): string | null =>
    typeof address === 'string' && address !== '' ? Address.parse(address).toRawString() : null

  test('domains have the records that the node resolves', async () => {
    const resolved = FACTS.dns.items.filter(({ records = {} }) => Object.keys(records).length > 0)
    expect(resolved.length).toBeGreaterThan(0)
    for (const { domain, zone, records = {} } of resolved) {
      const { entries } = await compared().call<{ entries: { name: string; entry: Json }[] }>('dnsResolve', {
        address: FACTS.dns.root,
        name: `${domain}.${zone}`,
        ttl: 10,
      })
      for (const { name, entry } of entries)
        expect([name, entry['@type']].every((text) => typeof text === 'string')).toBe(true)
      expect(entries.length, domain).toBe(Object.keys(records).length)
    }
  })

  test('records that a domain is asked for itself are of the name `.`', async () => {
    const { address, records } = FACTS.dns.items.find(({ records = {} }) => Object.keys(records).length > 1)!
    for (const name of ['', '.']) {
      const { entries } = await compared().call<{ entries: { name: string }[] }>('dnsResolve', {
        address,
        name,
      })
      expect(entries.map((entry) => entry.name)).toEqual(Object.keys(records!).map(() => '.'))
    }
  })
}

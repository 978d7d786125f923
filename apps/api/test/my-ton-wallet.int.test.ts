import { PROFILES } from '@shardwalk/api-schema'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Query } from './client.ts'
import { ProfileClients } from './profile-clients.ts'

// What MyTonWallet asks of API v3, and what it looks up in replies without a check: one address missing in an
// address book, and it shows no activity at all. Source: its repository, src/api/chains/ton, version 4.

let clients: ProfileClients
beforeAll(async () => {
  clients = await ProfileClients.start(await classifiedChain())
})
afterAll(() => clients?.close())

type Address = string | null | undefined
type Book = Readonly<Record<string, { readonly user_friendly: string }>>
type Metadata = Readonly<Record<string, { readonly token_info: readonly { readonly type: string }[] }>>
type Details = Readonly<Record<string, Address>>

interface Action {
  readonly type: string
  readonly success: boolean
  readonly action_id: string
  readonly trace_id: string
  readonly trace_external_hash?: string
  readonly trace_external_hash_norm?: string
  readonly details: Details
}

interface Message {
  readonly source: string | null
  readonly destination: string | null
  readonly message_content: { readonly body: string }
}

interface Transaction {
  readonly in_msg: Message
  readonly out_msgs: readonly Message[]
}

interface Node {
  readonly tx_hash: string
  readonly children: readonly Node[]
}

interface Trace {
  readonly trace: Node
  readonly actions: readonly Action[]
  readonly transactions: Readonly<Record<string, Transaction>>
}

interface Listed {
  readonly address_book: Book
  readonly metadata: Metadata
}

/** Its requests have a parameter against caches; texts of several addresses are joined by commas. */
async function ask<T>(client: Client, path: string, query: Query): Promise<T & Listed> {
  const headers = { 'X-Actions-Version': 'v1' }
  const { status, body } = await client.get<T & Listed>(path, { ...query, _: 1790000000000 }, headers)
  expect([path, status, (body as { error?: string }).error]).toEqual([path, 200, undefined])
  return body
}

/** The two addresses of an activity, by the type of its action. */
const ENDS: Readonly<Record<string, (details: Details) => readonly Address[]>> = {
  ton_transfer: ({ source, destination }) => [source, destination],
  call_contract: ({ source, destination }) => [source, destination],
  contract_deploy: ({ source, destination }) => (source ? [source, destination] : []),
  jetton_transfer: ({ asset, sender, receiver }) => [asset, sender, receiver],
  jetton_mint: ({ asset, receiver, receiver_jetton_wallet: wallet }) => [asset, receiver, wallet],
  jetton_burn: ({ owner, owner_jetton_wallet: wallet }) => [owner, wallet],
  nft_transfer: ({ old_owner, nft_item, new_owner }) => [old_owner ?? nft_item, new_owner],
  nft_mint: ({ owner, nft_item }) => [owner, nft_item],
  stake_deposit: ({ stake_holder, pool }) => [stake_holder, pool],
  stake_withdrawal: ({ stake_holder, pool }) => [stake_holder, pool],
  stake_withdrawal_request: ({ stake_holder, pool }) => [stake_holder, pool],
  change_dns: ({ source, asset }) => [source, asset],
  delete_dns: ({ source, asset }) => [source, asset],
  renew_dns: ({ source, asset }) => [source, asset],
  auction_bid: ({ bidder, auction }) => [bidder, auction],
  dex_deposit_liquidity: ({ source, pool, destination_liquidity: to }) => [source, pool ?? to],
  dex_withdraw_liquidity: ({ source, pool }) => [source, pool],
}

/** Thousands of addresses: an expectation of each takes most of the time. */
function expectText(value: unknown, name: string): void {
  if (typeof value !== 'string') expect(value, name).toEqual(expect.any(String))
}

function readAction({ type, success, details }: Action, { address_book, metadata }: Listed): void {
  // A mint that failed has no jetton wallet, in TON Center neither.
  if (type === 'jetton_mint' && !success) return
  for (const address of ENDS[type]?.(details) ?? [])
    expectText(address_book[address!]?.user_friendly, `${type} ${address}`)
  if (type === 'jetton_transfer')
    expect(metadata[details['asset']!]?.token_info.map((info) => info.type)).toContain('jetton_masters')
}

function readTransaction({ in_msg, out_msgs }: Transaction, { address_book }: Listed): void {
  const isIncoming = in_msg.source !== null && out_msgs.length === 0
  for (const { source, destination, message_content } of isIncoming ? [in_msg] : out_msgs) {
    if (destination === null) continue
    for (const address of [source!, destination]) expectText(address_book[address]?.user_friendly, address)
    expectText(message_content.body, 'body')
  }
}

/** As the details of an activity are shown: by the hash of the message that began its trace. */
async function readTraceOf(client: Client, action: Action): Promise<void> {
  const hash = action.trace_external_hash_norm ?? action.trace_external_hash
  if (hash === undefined) return
  const asked = { msg_hash: hash, include_actions: true }
  const { traces, ...listed } = await ask<{ traces: readonly Trace[] }>(client, 'traces', asked)
  const { trace, actions, transactions } = traces[0]!
  expect(actions.map((one) => one.action_id)).toContain(action.action_id)
  const walk = ({ tx_hash, children }: Node): void => {
    expect(transactions[tx_hash]).toBeDefined()
    for (const child of children) walk(child)
  }
  walk(trace)
  for (const one of actions) readAction(one, listed)
  for (const one of Object.values(transactions)) readTransaction(one, listed)
  const { messages } = await ask<{ messages: readonly Message[] }>(client, 'messages', { msg_hash: hash })
  expect(messages[0]).toMatchObject({ destination: expect.any(String), message_content: expect.anything() })
  const pending = await ask<object>(client, 'pendingTraces', { ext_msg_hash: hash, include_actions: true })
  expect(pending).toMatchObject({ traces: [] })
}

/** Accounts that own jettons or NFTs. */
async function ownersIn(client: Client): Promise<readonly string[]> {
  const wallets = await client.all('jetton/wallets', 'jetton_wallets')
  const items = await client.all('nft/items', 'nft_items')
  const owners = [...wallets.map((row) => row['owner']), ...items.map((row) => row['real_owner'])]
  return [...new Set(owners.filter((owner) => typeof owner === 'string'))].slice(0, 25)
}

describe.each(PROFILES)('MyTonWallet in the profile %s', (profile) => {
  test('finds what it looks up in the activities of every owner, and in their details', async () => {
    const client = clients.of(profile)
    for (const account of swept(await ownersIn(client), 3)) {
      const query = { account, limit: 60, sort: 'desc', start_utime: 1, end_utime: 1890000000 }
      const { actions, ...listed } = await ask<{ actions: readonly Action[] }>(client, 'actions', query)
      for (const action of actions) readAction(action, listed)
      if (actions[0]) await readTraceOf(client, actions[0])
    }
  })

  test('finds the states of wallets, their tokens and their items', async () => {
    const client = clients.of(profile)
    const owners = await ownersIn(client)
    const address = owners.join(',')
    const { wallets, address_book: book } = await ask<{ wallets: readonly { address: string }[] }>(
      client,
      'walletStates',
      { address },
    )
    expect(wallets.length).toBeGreaterThan(8)
    for (const wallet of wallets) expect(book[wallet.address]?.user_friendly).toEqual(expect.any(String))
    for (const path of ['accountStates', 'metadata']) await ask(client, path, { address })
    for (const owner_address of swept(owners, 2)) {
      const paged = { owner_address, limit: 1000, offset: 0 }
      const tokens = await ask<{ jetton_wallets: readonly { jetton: string; balance: string }[] }>(
        client,
        'jetton/wallets',
        { ...paged, exclude_zero_balance: false },
      )
      for (const { jetton, balance } of tokens.jetton_wallets) {
        expect(BigInt(balance)).toBeGreaterThanOrEqual(0n)
        expect(tokens.metadata[jetton]?.token_info.map(({ type }) => type)).toContain('jetton_masters')
      }
      const owned = await ask<{ nft_items: readonly { address: string }[] }>(client, 'nft/items', {
        ...{ ...paged, include_on_sale: true },
      })
      for (const item of owned.nft_items)
        expect(owned.metadata[item.address]?.token_info.map(({ type }) => type)).toContain('nft_items')
    }
  })
})

import { readFileSync } from 'node:fs'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { areInstalled, load } from './installed.ts'

// Libraries that applications read the chain with, against API v2 on the sample. Their replies are compared
// with what a node's own get-methods returned (facts.json).

// biome-ignore lint/suspicious/noExplicitAny: facts are picked by name
const facts: any = JSON.parse(readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'))
const WALLET_V4 = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'

// biome-ignore lint/suspicious/noExplicitAny: the libraries have their own versions of the types
type Any = any

let api: RunningApi
let core: Any
let client: Any
beforeAll(async () => {
  if (!areInstalled) return
  api = await startApi()
  await warmUp(api)
  core = load('@ton/core')
  client = new (load('@ton/ton').TonClient)({ endpoint: `${api.base}/jsonRPC` })
})
afterAll(() => api?.close())

const parse = (address: string) => core.Address.parse(address)
const rawOf = (address: Any): string | null => address?.toRawString() ?? null
const hashOf = (cell: Any): string => cell.hash().toString('hex')
const named = (list: readonly Any[], name: string): Any => list.find((one) => one.name === name)

/** Methods of opened contracts that were called, by class. */
const called = new Map<Any, Set<string>>()

/** Opens a contract and records which of its methods are called. */
function open(contract: Any): Any {
  const names = called.get(contract.constructor) ?? new Set<string>()
  called.set(contract.constructor, names)
  return new Proxy(client.open(contract), {
    get(target, name) {
      if (typeof target[name] === 'function') names.add(String(name))
      return target[name]
    },
  })
}

/** Names of the reading methods of a class and its parents. */
function readingMethods({ prototype }: { readonly prototype: object }): string[] {
  const names: string[] = []
  for (let at = prototype; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    names.push(...Object.getOwnPropertyNames(at))
  return [...new Set(names)].filter((name) => /^get(?!.*TxParams)/.test(name)).sort()
}

const expectAllCalled = (kind: Any): void =>
  expect([...called.get(kind)!].filter((name) => /^get/.test(name)).sort()).toEqual(readingMethods(kind))

const jetton = named(facts.jettons, 'jetton-onchain')
const [holding] = jetton.wallets

describe.runIf(areInstalled)('assets-sdk', () => {
  const sdk = () => load('@ton-community/assets-sdk')
  const resolver = { resolve: async () => Buffer.from('{"name":"off the chain"}') }

  test('reads jettons and their wallets', async () => {
    const { JettonMinter, JettonWallet } = sdk()
    const minter = open(JettonMinter.createFromAddress(parse(jetton.address), resolver))
    const data = await minter.getData()
    expect([
      data.totalSupply,
      data.mintable,
      rawOf(data.adminAddress),
      hashOf(data.jettonWalletCode),
    ]).toEqual([...[BigInt(jetton.total_supply), true, jetton.admin, jetton.wallet_code_hash]])
    expect(await minter.getContent()).toMatchObject({
      name: jetton.content_parsed.fields.name,
      type: 'onchain',
    })
    expect(rawOf(await minter.getWalletAddress(parse(holding.owner)))).toBe(holding.address)
    expect(rawOf((await minter.getWallet(parse(holding.owner))).address)).toBe(holding.address)
    expect((await minter.getActions({ limit: 3 })).length).toBeGreaterThan(0)
    const wallet = open(JettonWallet.createFromAddress(parse(holding.address)))
    const held = await wallet.getData()
    expect([held.balance, rawOf(held.owner), rawOf(held.jettonMaster)]).toEqual([
      ...[BigInt(holding.balance), holding.owner, jetton.address],
    ])
    expect((await wallet.getActions({ limit: 3 })).length).toBeGreaterThan(0)
    expectAllCalled(JettonMinter)
    expectAllCalled(JettonWallet)
  })

  test('reads collections, items and sales', async () => {
    const { NftCollection, NftItem, NftSale } = sdk()
    const fact = named(facts.nft_collections, 'nft-collection')
    const collection = open(NftCollection.createFromAddress(parse(fact.address), resolver))
    const data = await collection.getData()
    expect([data.nextItemIndex, rawOf(data.owner)]).toEqual([BigInt(fact.next_item_index), fact.owner])
    expect(await collection.getRoyaltyParams()).toMatchObject({
      numerator: BigInt(fact.royalty.numerator),
      denominator: BigInt(fact.royalty.denominator),
    })
    expect(await collection.getContent()).toMatchObject({ type: 'offchain', name: 'off the chain' })
    const [one] = fact.items
    expect(rawOf(await collection.getItemAddress(BigInt(one.index)))).toBe(one.address)
    expect(rawOf((await collection.getItem(BigInt(one.index))).address)).toBe(one.address)
    expect((await collection.getActions({ limit: 2 })).length).toBeGreaterThan(0)
    const item = open(NftItem.createFromAddress(parse(one.address), resolver))
    const itemData = await item.getData()
    expect([itemData.initialized, itemData.index, rawOf(itemData.collection), rawOf(itemData.owner)]).toEqual(
      [...[true, BigInt(one.index), fact.address, one.owner]],
    )
    const full = await collection.getItemContent(BigInt(one.index), itemData.individualContent)
    expect(full.beginParse().loadUint(8)).toBe(1)
    expect(await item.getContent()).toMatchObject({ type: 'offchain', name: 'off the chain' })
    expect((await item.getActions({ limit: 2 })).length).toBeGreaterThan(0)
    expectAllCalled(NftCollection)
    const sale = facts.nft_sales.find((sold: Any) => sold.kind === 'nft_sale' && sold.state === 'active')
    const sold = await open(NftSale.createFromAddress(parse(sale.address))).getData()
    expect(rawOf(sold.nft)).toMatch(/^0:/)
    expectAllCalled(NftSale)
  })
})

describe.runIf(areInstalled)('ston.fi', () => {
  test('reads router, pool and liquidity of v1', async () => {
    const { DEX } = load('@ston-fi/sdk')
    const { Router, Pool, LpAccount } = DEX.v1
    const pool = named(facts.jettons, 'dex-pool')
    const router = open(Router.create(parse(pool.admin)))
    const routerData = await router.getRouterData()
    expect(routerData.isLocked).toBe(false)
    const [token0, token1] = ['jetton-onchain', 'jetton-semichain'].map((name) => named(facts.jettons, name))
    const accounts = Object.entries(facts.accounts) as [string, Any][]
    const addressOf = (name: string): string => accounts.find(([, account]) => account.name === name)![0]
    const opened = open(Pool.create(parse(pool.address)))
    const data = await opened.getPoolData()
    const wallets = [data.token0WalletAddress, data.token1WalletAddress]
    expect(wallets.map(rawOf)).toContain(addressOf('jetton-semichain/dex-router'))
    const tokens = { token0: wallets[0], token1: wallets[1] }
    expect(rawOf(await router.getPoolAddress(tokens))).toBe(pool.address)
    const minters = { token0: parse(token0.address), token1: parse(token1.address) }
    expect(rawOf(await router.getPoolAddressByJettonMinters(minters))).toBe(pool.address)
    expect(rawOf((await router.getPool(minters)).address)).toBe(pool.address)
    const reserves = [data.reserve0, data.reserve1]
    expect(reserves.every((reserve) => reserve > 0n)).toBe(true)
    const jettonData = await opened.getJettonData()
    expect(jettonData.totalSupply).toBe(BigInt(pool.total_supply))
    const half = await opened.getExpectedLiquidity({ jettonAmount: jettonData.totalSupply / 2n })
    expect([half.amount0 - reserves[0]! / 2n, half.amount1 - reserves[1]! / 2n].map(Number)).toEqual([
      expect.closeTo(0, -1),
      expect.closeTo(0, -1),
    ])
    const out = await opened.getExpectedOutputs({ amount: 1000n, jettonWallet: data.token0WalletAddress })
    expect(out.jettonToReceive).toBeGreaterThan(0n)
    const [amount0, amount1] = reserves.map((reserve) => reserve / 10n)
    expect(await opened.getExpectedTokens({ amount0, amount1 })).toBeGreaterThan(0n)
    const [lp] = pool.wallets
    const owner = { ownerAddress: parse(lp.owner) }
    expect(rawOf(await opened.getWalletAddress(owner.ownerAddress))).toBe(lp.address)
    expect(rawOf((await opened.getJettonWallet(owner)).address)).toBe(lp.address)
    const address = addressOf('dex-lp-account')
    const account = await open(LpAccount.create(parse(address))).getLpAccountData()
    expect(rawOf(account.poolAddress)).toBe(pool.address)
    const held = { ownerAddress: account.userAddress }
    expect(rawOf(await opened.getLpAccountAddress(held))).toBe(address)
    expect(rawOf((await opened.getLpAccount(held)).address)).toBe(address)
    for (const kind of [Router, Pool, LpAccount]) expectAllCalled(kind)
  })
})

describe.runIf(areInstalled)('dedust', () => {
  test('reads jettons; its exchange is not on the sample, which it reports', async () => {
    const { Asset, Factory, JettonRoot, JettonWallet, MAINNET_FACTORY_ADDR, PoolType } = load('@dedust/sdk')
    const root = open(JettonRoot.createFromAddress(parse(jetton.address)))
    const data = await root.getJettonData()
    expect([data.totalSupply, data.isMintable, rawOf(data.adminAddress), hashOf(data.walletCode)]).toEqual([
      ...[BigInt(jetton.total_supply), true, jetton.admin, jetton.wallet_code_hash],
    ])
    expect(rawOf(await root.getWalletAddress(parse(holding.owner)))).toBe(holding.address)
    expect(rawOf((await root.getWallet(parse(holding.owner))).address)).toBe(holding.address)
    const wallet = open(JettonWallet.createFromAddress(parse(holding.address)))
    expect(await wallet.getBalance()).toBe(BigInt(holding.balance))
    expect(rawOf((await wallet.getWalletData()).ownerAddress)).toBe(holding.owner)
    const factory = open(Factory.createFromAddress(parse(MAINNET_FACTORY_ADDR.toRawString())))
    const assets = [Asset.native(), Asset.jetton(parse(jetton.address))]
    await expect(factory.getPoolAddress({ poolType: PoolType.VOLATILE, assets })).rejects.toThrow(
      'exit_code: -13',
    )
    for (const kind of [JettonRoot, JettonWallet]) expectAllCalled(kind)
  })
})

describe.runIf(areInstalled)('blueprint', () => {
  test('its network provider reads through a custom endpoint, and receives refusals', async () => {
    const { createNetworkProvider } = load('@ton/blueprint/dist/network/createNetworkProvider.js')
    const { mnemonicNew } = load('@ton/crypto')
    const written: string[] = []
    const ui = {
      write: (text: string) => void written.push(text),
      setActionPrompt: () => {},
      clearActionPrompt: () => {},
    }
    vi.stubEnv('WALLET_MNEMONIC', (await mnemonicNew()).join(' '))
    vi.stubEnv('WALLET_VERSION', 'v4')
    try {
      const args = { '--custom': `${api.base}/jsonRPC`, '--custom-version': 'v2', '--mnemonic': true }
      const provider = await createNetworkProvider(ui, args)
      expect([provider.network(), provider.explorer()]).toEqual(['custom', 'tonscan'])
      expect(await provider.isContractDeployed(parse(WALLET_V4))).toBe(true)
      expect(await provider.isContractDeployed(parse(`0:${'12'.repeat(32)}`))).toBe(false)
      await provider.waitForDeploy(parse(WALLET_V4), 1)
      expect(written.join()).toContain('Contract deployed at address')
      const contract = provider.provider(parse(WALLET_V4))
      const { balance, last } = await contract.getState()
      expect(balance).toBe(2997161137569n)
      expect((await contract.get('seqno', [])).stack.readNumber()).toBeGreaterThan(0)
      expect(await contract.getTransactions(parse(WALLET_V4), last.lt, last.hash, 2)).toHaveLength(2)
      expect(await provider.api().getBalance(parse(WALLET_V4))).toBe(2997161137569n)
      // Its wallet is new, and nobody has paid for it.
      const transfer = provider.sender().send({ to: parse(WALLET_V4), value: core.toNano('0.1') })
      await expect(transfer).rejects.toMatchObject({ response: { status: 500, data: { ok: false } } })
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

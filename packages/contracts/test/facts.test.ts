import { lookup, parseBoc, serializeBoc } from '@shardwalk/cells'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { loadStateInit } from '@shardwalk/tlb'
import { type LoadedContract, slimConfig, TvmContractReader, TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ContractState,
  contentAttributes,
  type Detected,
  type DetectedKind,
  type DnsZone,
  detectContract,
  findDnsZones,
  interfacesOf,
  methodIdsOf,
  nativeGetter,
  storeStack,
  walletState,
} from '../src/index.ts'
import { type FinalAccount, finalStates, readFacts } from './final-states.ts'
import { traceMessages } from './trace-fixtures.ts'

/**
 * Every contract of the sample network at its last block, compared with results of get-methods that a node
 * ran.
 */
const facts = readFacts()
const states = finalStates()
const pool = new TvmPool({ threads: 1 })
let dnsZones: DnsZone[] = []
const found = new Map<string, readonly Detected[]>()

const lower = (address: RawAddress | undefined): string | null =>
  address ? formatRawAddress(address).toLowerCase() : null
const parse = (text: string): RawAddress => {
  const [workchain, hash] = text.split(':') as [string, string]
  return { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') }
}
const detected = <K extends DetectedKind>(address: string, kind: K): Extract<Detected, { kind: K }> => {
  const one = found.get(address.toUpperCase())?.find((entry) => entry.kind === kind)
  if (!one) throw new Error(`${address} is no ${kind}`)
  return one as Extract<Detected, { kind: K }>
}
const cellHash = (boc: string): string => {
  const bag = parseBoc(Buffer.from(boc, 'base64'))
  return bag.hash(bag.root).toString('hex')
}
const all = (kind: DetectedKind): string[] =>
  [...found]
    .filter(([, list]) => list.some((one) => one.kind === kind))
    .map(([address]) => address.toLowerCase())

/** Contracts in the state in which a message of the traces deployed them. */
function* deployedByTraces(): Generator<Pick<FinalAccount, 'address' | 'codeHash' | 'code' | 'data'>> {
  for (const { initState } of traceMessages()) {
    const bag = initState && parseBoc(initState)
    const { code, data } = bag ? loadStateInit(bag.slice(bag.root)) : {}
    if (!code || !data) continue
    const address = { workchain: 0, hash: Buffer.alloc(32) }
    yield { address, codeHash: code.refHash(), code: code.preloadRefCell(), data: data.preloadRefCell() }
  }
}

const load = (account: FinalAccount | undefined): LoadedContract | undefined =>
  account && { ...account, code: serializeBoc(account.code), data: serializeBoc(account.data) }

beforeAll(async () => {
  const { libraries } = states
  const environment = pool.environment({ config: slimConfig(states.config), ...(libraries && { libraries }) })
  const reader = new TvmContractReader({
    pool,
    environmentFor: () => environment,
    findLibrary: (hash) => lookup(libraries?.slice(), 256, hash)?.loadRefCell(),
    load: async (address) => load(states.accounts.get(formatRawAddress(address))),
  })
  dnsZones = await findDnsZones((await reader.find(parse(facts.dns.root))) as ContractState, reader)
  for (const [address, account] of states.accounts) {
    const contract = reader.open(load(account) as LoadedContract)
    found.set(address, await detectContract(contract, reader, { dnsZones }))
  }
})
afterAll(() => pool.close())

describe('accounts', () => {
  test('wallets have the seqno that their get-method returned', () => {
    let checked = 0
    for (const [address, fact] of Object.entries<{ seqno?: number; code_hash?: string }>(facts.accounts)) {
      const account = states.accounts.get(address.toUpperCase())
      const wallet = account && walletState(account.codeHash, account.data)
      if (!wallet || fact.seqno === undefined) continue
      expect(wallet.seqno, address).toBe(fact.seqno)
      checked++
    }
    expect(checked).toBeGreaterThan(50)
  })

  test('interfaces come from the code hash or from the methods in the code', () => {
    const of = (address: string) => {
      const account = states.accounts.get(address.toUpperCase()) as FinalAccount
      return interfacesOf({ codeHash: account.codeHash, methods: methodIdsOf(account.code) ?? [] })
    }
    expect(of(facts.jettons[0].address)).toEqual(['jetton_master'])
    expect(of(facts.multisigs[0].address)).toEqual(['multisig_v2'])
    expect(of(facts.vesting[0].address)).toEqual(['wallet_vesting'])
    expect(of(facts.nft_collections[1].items[0].address)).toEqual(['editable', 'nft_item'])
  })
})

describe('jettons', () => {
  test('every master has the supply, admin and content of the facts', () => {
    for (const fact of facts.jettons) {
      if (fact.only) continue
      const master = detected(fact.address, 'jetton_master')
      const parsed = fact.content_parsed
      expect({
        supply: String(master.totalSupply),
        mintable: master.mintable,
        admin: lower(master.admin),
        walletCode: master.walletCodeHash.toString('hex'),
        layout: master.content.layout,
        content: { ...contentAttributes(master.content) },
      }).toEqual({
        supply: fact.total_supply,
        mintable: fact.mintable,
        admin: fact.admin,
        walletCode: fact.wallet_code_hash,
        layout: parsed.layout,
        content: parsed.fields ?? { uri: parsed.uri },
      })
    }
  })

  test('every wallet has its balance and owner, and no other contract is a wallet of these masters', () => {
    const expected = facts.jettons.flatMap((jetton: { wallets: { address: string }[]; address: string }) =>
      jetton.wallets.map((wallet) => ({ ...wallet, jetton: jetton.address })),
    )
    for (const fact of expected) {
      const wallet = detected(fact.address, 'jetton_wallet')
      expect([String(wallet.balance), lower(wallet.owner), lower(wallet.jetton)]).toEqual([
        fact.balance,
        fact.owner,
        fact.jetton,
      ])
    }
    const masters = new Set(
      facts.jettons
        .filter((jetton: { only?: string }) => !jetton.only)
        .map((jetton: { address: string }) => jetton.address),
    )
    const ours = all('jetton_wallet').filter((address) =>
      masters.has(lower(detected(address, 'jetton_wallet').jetton)),
    )
    const listed = expected.filter((one: { jetton: string }) => masters.has(one.jetton))
    expect(ours.length).toBeGreaterThanOrEqual(listed.length)
  })
})

describe('results without a run', () => {
  test('native getters give the results of TVM for real wallets of traces and sample network', async () => {
    const { libraries } = states
    const environment = pool.environment({
      config: slimConfig(states.config),
      ...(libraries && { libraries }),
    })
    const wallets = [...states.accounts.values(), ...deployedByTraces()]
    const seen = new Set<string>()
    for (const { codeHash, code, data, address } of wallets) {
      const key = `${codeHash.toString('hex')} ${data.hash().toString('hex')}`
      const native = nativeGetter({ codeHash, code, data, method: 'get_wallet_data' })
      if (!native || seen.has(key)) continue
      const bocs = { code: serializeBoc(code), data: serializeBoc(data) }
      const run = await pool.run({ environment, ...bocs, address, method: 'get_wallet_data', now: 1 })
      // The network lacks the library that one of the three codes refers to.
      if (run.ok && run.missingLibrary) continue
      expect(run.ok && run.exitCode, key).toBe(0)
      expect(storeStack(native).hash().toString('hex'), key).toBe(
        run.ok && storeStack(run.stack).hash().toString('hex'),
      )
      seen.add(key)
    }
    expect(new Set([...seen].map((key) => key.slice(0, 64))).size).toBe(2)
    expect(seen.size).toBeGreaterThan(80)
  })
})

describe('NFTs', () => {
  const items = [
    ...facts.nft_collections.flatMap((one: { items?: object[] }) => one.items ?? []),
    ...facts.nft_items,
  ]

  test('collections have their next index, owner and content', () => {
    for (const fact of facts.nft_collections) {
      if (fact.only) continue
      const collection = detected(fact.address, 'nft_collection')
      expect([
        String(collection.nextItemIndex),
        lower(collection.owner),
        collection.content.attributes.get('uri'),
      ]).toEqual([fact.next_item_index, fact.owner, fact.content_parsed.uri])
    }
  })

  test('items have index, collection, owner and content; contracts without state are not items', () => {
    expect(items.length).toBeGreaterThan(10)
    for (const fact of items) {
      if (fact.state !== 'active' || fact.owner === undefined) {
        expect(found.get(fact.address.toUpperCase())?.some((one) => one.kind === 'nft_item') ?? false).toBe(
          false,
        )
        continue
      }
      const item = detected(fact.address, 'nft_item')
      const content = fact.content_uri
        ? { uri: fact.content_uri }
        : (fact.content_parsed.fields ?? { uri: fact.content_parsed.uri })
      expect([
        item.init,
        String(item.index),
        lower(item.collection),
        lower(item.owner),
        { ...contentAttributes(item.content) },
      ]).toEqual([fact.init, fact.index, fact.collection, fact.owner, content])
    }
  })

  test('sales and auctions have the values of their get-methods', () => {
    for (const fact of facts.nft_sales) {
      if (fact.state !== 'active' || fact.kind === 'nft_offer') continue
      const kind = fact.kind as 'nft_sale' | 'nft_auction'
      const sale = detected(fact.address, kind)
      const stack = fact.get_auction_data_v4 ?? fact.get_fix_price_data_v4 ?? fact.get_sale_data
      const at = (i: number) => stack[i].int ?? stack[i].address ?? null
      if (sale.kind === 'nft_sale') {
        const from = sale.version === 'v4' ? 0 : 1
        expect(sale.version).toBe(fact.sale_type.includes('v4') ? 'v4' : 'v3')
        expect([
          sale.isComplete ? '-1' : '0',
          String(sale.createdAt),
          lower(sale.marketplace),
          lower(sale.nft),
          lower(sale.nftOwner),
          String(sale.fullPrice),
        ]).toEqual([0, 1, 2, 3, 4, 5].map((i) => at(from + i)))
        expect([lower(sale.royaltyAddress), String(sale.royalty)]).toEqual([at(from + 8), at(from + 9)])
      } else {
        expect([
          sale.end ? '-1' : '0',
          String(sale.endTime),
          lower(sale.marketplace),
          lower(sale.nft),
          lower(sale.nftOwner),
          String(sale.lastBid),
          lower(sale.lastMember),
        ]).toEqual([1, 2, 3, 4, 5, 6, 7].map(at))
        expect([
          String(sale.maxBid),
          String(sale.minBid),
          String(sale.createdAt),
          String(sale.lastBidAt),
        ]).toEqual([15, 16, 17, 18].map(at))
      }
    }
    const jettonPrices = facts.nft_sales.map(
      (fact: { address: string; sale_type: string }) =>
        fact.sale_type === 'fix_price_v4r1' && detected(fact.address, 'nft_sale').jettonPrices?.size,
    )
    expect(jettonPrices).toContain(1)
  })
})

describe('DNS', () => {
  test('the root names the collections of both zones', () => {
    expect(
      dnsZones.map(({ suffix, collection }) => ({ zone: suffix, collection: lower(collection) })),
    ).toEqual(facts.dns.zones)
  })

  test('domains have their names, owners and records', () => {
    for (const fact of facts.dns.items) {
      if (fact.state !== 'active') continue
      const dns = detected(fact.address, 'dns_item')
      expect([dns.domain, dns.lastFillUpTime]).toEqual([`${fact.domain}.ton`, fact.last_fill_up_time])
      expect(lower(detected(fact.address, 'nft_item').owner)).toBe(fact.owner)
      const { max_bid_address, max_bid_amount, end_time } = fact.auction
      expect(dns.auction && { ...dns.auction, bidder: lower(dns.auction.bidder) }).toEqual(
        max_bid_address === null
          ? undefined
          : { bidder: max_bid_address, bid: BigInt(max_bid_amount), endTime: BigInt(end_time) },
      )
      expect({
        site: dns.records?.site !== undefined,
        storage: dns.records?.storage !== undefined,
        wallet: dns.records?.wallet !== undefined,
      }).toEqual({
        site: 'site' in fact.records,
        storage: 'storage' in fact.records,
        wallet: 'wallet' in fact.records,
      })
    }
    const domains = all('dns_item').map((address) => detected(address, 'dns_item').domain)
    expect(domains).toContain('alice-scenario.ton')
    expect(domains).toContain('longname.t.me')
  })
})

describe('multisig, vesting, pools', () => {
  test('multisigs have threshold, signers, proposers and next order number', () => {
    for (const fact of facts.multisigs) {
      const multisig = detected(fact.address, 'multisig')
      expect([
        String(multisig.nextOrderSeqno),
        multisig.threshold,
        multisig.signers.map(lower),
        multisig.proposers.map(lower),
      ]).toEqual([
        fact.next_order_seqno,
        fact.threshold,
        fact.signers.map((one: { address: string }) => one.address),
        fact.proposers.map((one: { address: string } | string) =>
          typeof one === 'string' ? one : one.address,
        ),
      ])
    }
  })

  test('orders have their approvals, signers, expiry and contents', () => {
    for (const fact of facts.multisigs.flatMap((one: { orders: object[] }) => one.orders)) {
      if (fact.state !== 'active' || fact.threshold === undefined) continue
      const order = detected(fact.address, 'multisig_order')
      expect([
        String(order.orderSeqno),
        order.threshold,
        order.sentForExecution,
        order.signers.map(lower),
        String(order.approvalsMask),
        order.approvalsNum,
        order.expirationDate,
        order.order.hash().toString('hex'),
      ]).toEqual([
        fact.order_seqno,
        fact.threshold,
        fact.sent_for_execution,
        fact.signers,
        fact.approvals_mask,
        fact.approvals_num,
        fact.expiration_date,
        cellHash(fact.order),
      ])
    }
  })

  test('vesting contracts have their schedule and whitelist', () => {
    for (const fact of facts.vesting) {
      const { kind: _, sender, owner, whitelist, totalAmount, ...times } = detected(fact.address, 'vesting')
      expect(times).toEqual({
        startTime: fact.start_time,
        totalDuration: fact.total_duration,
        unlockPeriod: fact.unlock_period,
        cliffDuration: fact.cliff_duration,
      })
      expect([String(totalAmount), lower(sender), lower(owner), whitelist.map(lower)]).toEqual([
        fact.total_amount,
        fact.sender,
        fact.owner,
        fact.whitelist,
      ])
    }
  })

  test('the nominator pool has its nominators', () => {
    const fact = facts.nominator_pool
    const pool = detected(fact.address, 'nominator_pool')
    expect([pool.state, pool.nominatorsCount, String(pool.validatorAmount)]).toEqual([
      fact.state,
      fact.nominators_count,
      fact.validator_amount,
    ])
    expect(
      pool.nominators.map((one) => ({
        address: lower(one.address),
        amount: String(one.amount),
        pending_deposit: String(one.pendingDeposit),
        withdraw_requested: one.withdrawRequested,
      })),
    ).toEqual(fact.nominators)
  })

  test('the exchange pool is a jetton master and a pool of its router', () => {
    const [pool] = all('stonfi_pool')
    expect(pool).toBe(facts.jettons.find((jetton: { name: string }) => jetton.name === 'dex-pool').address)
    expect(detected(pool as string, 'jetton_master').mintable).toBe(true)
  })
})

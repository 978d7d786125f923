import { Builder, buildDict, type Cell, EMPTY_CELL } from '@shardwalk/cells'
import { formatRawAddress, type RawAddress, sameAddress } from '@shardwalk/model'
import { describe, expect, test } from 'vitest'
import {
  type ContractReader,
  type ContractState,
  detectContract,
  MAINNET_DNS_ZONES,
  methodId,
  type StackValue,
} from '../index.ts'
import { addressValue, intValue } from './stack-values.ts'

type Answers = Readonly<Record<string, readonly StackValue[]>>

const at = (byte: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, byte) })
const SELF = at(1)
const OTHER = at(2)
const OWNER = at(3)
const cell = (value: Cell): StackValue => ({ type: 'cell', cell: value })
const slice = (value: Cell): StackValue => ({ type: 'slice', cell: value })
const text = (value: string): StackValue => slice(new Builder().storeBytes(Buffer.from(value)).endCell())
const NONE = slice(new Builder().storeUint(0, 2).endCell())
const NULL: StackValue = { type: 'null' }
const CONTENT = cell(new Builder().storeUint(1, 8).storeBytes(Buffer.from('https://a.test/1.json')).endCell())

/** Returns prepared answers and records every call. */
class ScriptedReader implements ContractReader {
  readonly calls: string[] = []

  constructor(
    private readonly contracts: ReadonlyMap<
      string,
      { readonly answers: Answers; readonly codeHash?: string }
    >,
  ) {}

  state(address: RawAddress, knowsMethods = true): ContractState {
    const { answers, codeHash } = this.contracts.get(formatRawAddress(address)) ?? { answers: {} }
    return {
      address,
      codeHash: codeHash ? Buffer.from(codeHash, 'hex') : Buffer.alloc(32),
      dataHash: Buffer.alloc(32),
      methods: knowsMethods ? new Set(Object.keys(answers).map(methodId)) : undefined,
    }
  }

  async find(address: RawAddress): Promise<ContractState | undefined> {
    return this.contracts.has(formatRawAddress(address)) ? this.state(address) : undefined
  }

  async run(contract: ContractState, method: string): Promise<readonly StackValue[] | undefined> {
    this.calls.push(method)
    return this.contracts.get(formatRawAddress(contract.address))?.answers[method]
  }
}

const network = (...contracts: readonly (readonly [RawAddress, Answers, string?])[]): ScriptedReader =>
  new ScriptedReader(
    new Map(
      contracts.map(([address, answers, codeHash]) => [
        formatRawAddress(address),
        { answers, ...(codeHash && { codeHash }) },
      ]),
    ),
  )
const kinds = async (reader: ScriptedReader): Promise<string[]> =>
  (await detectContract(reader.state(SELF), reader)).map((one) => one.kind)

const WALLET: Answers = {
  get_wallet_data: [intValue(5), addressValue(OWNER), addressValue(OTHER), cell(EMPTY_CELL)],
}
const ITEM = (individual = CONTENT): Answers => ({
  get_nft_data: [intValue(-1), intValue(7), addressValue(OTHER), addressValue(OWNER), individual],
})

describe('confirmation', () => {
  test('a jetton wallet counts only when its master confirms it', async () => {
    const honest = network([SELF, WALLET], [OTHER, { get_wallet_address: [addressValue(SELF)] }])
    expect(await detectContract(honest.state(SELF), honest)).toEqual([
      { kind: 'jetton_wallet', balance: 5n, owner: OWNER, jetton: OTHER, isClaimed: undefined },
    ])
    expect(
      await kinds(network([SELF, WALLET], [OTHER, { get_wallet_address: [addressValue(OWNER)] }])),
    ).toEqual([])
    expect(await kinds(network([SELF, WALLET], [OTHER, {}]))).toEqual([])
    expect(await kinds(network([SELF, WALLET]))).toEqual([])
  })

  test('a wallet confirmed before is not confirmed again', async () => {
    const reader = network([SELF, WALLET], [OTHER, { get_wallet_address: [addressValue(OWNER)] }])
    const found = await detectContract(reader.state(SELF), reader, {
      isKnownJettonWallet: ({ owner, master }) =>
        sameAddress(owner, OWNER) && sameAddress(master.address, OTHER),
    })
    expect(found).toHaveLength(1)
    expect(reader.calls).not.toContain('get_wallet_address')
  })

  test('an item counts only when its collection confirms it and gives its content', async () => {
    const collection = { get_nft_address_by_index: [addressValue(SELF)], get_nft_content: [CONTENT] }
    expect(await kinds(network([SELF, ITEM()], [OTHER, collection]))).toEqual(['nft_item'])
    const elsewhere = { ...collection, get_nft_address_by_index: [addressValue(OWNER)] }
    expect(await kinds(network([SELF, ITEM()], [OTHER, elsewhere]))).toEqual([])
    expect(
      await kinds(network([SELF, ITEM()], [OTHER, { get_nft_address_by_index: [addressValue(SELF)] }])),
    ).toEqual([])
  })

  test('an order counts only when its multisig confirms it', async () => {
    const signers = buildDict([[0n, new Builder().storeAddress(OWNER)]], 8) as Cell
    const order: Answers = {
      get_order_data: [
        addressValue(OTHER),
        intValue(3),
        intValue(1),
        intValue(0),
        cell(signers),
        intValue(1),
        intValue(1),
        intValue(99),
        cell(EMPTY_CELL),
      ],
    }
    expect(await kinds(network([SELF, order], [OTHER, { get_order_address: [addressValue(SELF)] }]))).toEqual(
      ['multisig_order'],
    )
    expect(
      await kinds(network([SELF, order], [OTHER, { get_order_address: [addressValue(OTHER)] }])),
    ).toEqual([])
  })
})

describe('types of answers', () => {
  test('a contract without readable content is not a master; one without admin is', async () => {
    const data = (content: StackValue, admin = NONE) => ({
      get_jetton_data: [intValue(1), intValue(-1), admin, content, cell(EMPTY_CELL)],
    })
    const reader = network([SELF, data(CONTENT)])
    expect(await detectContract(reader.state(SELF), reader)).toMatchObject([
      { kind: 'jetton_master', admin: undefined, mintable: true },
    ])
    expect(await kinds(network([SELF, data(cell(EMPTY_CELL))]))).toEqual([])
    expect(await kinds(network([SELF, data(NULL)]))).toEqual([])
    expect(await kinds(network([SELF, data(CONTENT, intValue(0))]))).toEqual([])
  })

  test('the airdrop root of a mintless master is a hash, read only if the code has the method', async () => {
    const master = (root: StackValue) => ({
      get_jetton_data: [intValue(1), intValue(-1), NONE, CONTENT, cell(EMPTY_CELL)],
      get_mintless_airdrop_hashmap_root: [root],
    })
    const rootOf = async (root: StackValue, knowsMethods = true) => {
      const reader = network([SELF, master(root)])
      const [found] = await detectContract(reader.state(SELF, knowsMethods), reader)
      return found?.kind === 'jetton_master' ? found.airdropRoot : 'no master'
    }
    expect(await rootOf(intValue(0x0a0bn))).toEqual(Buffer.from('0a0b'.padStart(64, '0'), 'hex'))
    expect(await rootOf(intValue(2n ** 256n - 1n))).toEqual(Buffer.alloc(32, 0xff))
    for (const none of [intValue(0), intValue(-1), NULL, CONTENT]) expect(await rootOf(none)).toBeUndefined()
    expect(await rootOf(intValue(1), false)).toBeUndefined()
  })

  test('methods that the code lacks are not run', async () => {
    const reader = network([SELF, WALLET], [OTHER, {}])
    await detectContract(reader.state(SELF), reader)
    expect(reader.calls).toEqual(['get_wallet_data'])
    const unknownCode = network([SELF, WALLET], [OTHER, {}])
    await detectContract(unknownCode.state(SELF, false), unknownCode)
    expect(new Set(unknownCode.calls).size).toBe(10)
  })

  test('no method of a plain wallet is run', async () => {
    const v4 = 'feb5ff6820e2ff0d9483e7e0d62c817d846789fb4ae580c878866d959dabd5c0'
    const reader = network([SELF, WALLET, v4], [OTHER, { get_wallet_address: [addressValue(SELF)] }])
    expect(await detectContract(reader.state(SELF, false), reader)).toEqual([])
    expect(reader.calls).toEqual([])
  })
})

describe('Telegram items', () => {
  const telemint: Answers = {
    ...ITEM(),
    get_telemint_token_name: [text('durov')],
    get_telemint_auction_config: [NULL, intValue(0), intValue(0), intValue(0), intValue(0), intValue(0)],
    royalty_params: [intValue(5), intValue(100), addressValue(OWNER)],
    get_full_domain: [text('me\0t\0durov\0')],
  }
  const zone = MAINNET_DNS_ZONES[1]!.collection
  const inZone = {
    ...telemint,
    get_nft_data: [intValue(-1), intValue(7), addressValue(zone), addressValue(OWNER), CONTENT],
  }
  const collection = { get_nft_address_by_index: [addressValue(SELF)], get_nft_content: [CONTENT] }

  test('an item whose auction has ended is still detected, without an auction', async () => {
    const reader = network([SELF, telemint], [OTHER, collection])
    const found = await detectContract(reader.state(SELF), reader)
    expect(found).toMatchObject([
      { kind: 'nft_item' },
      { kind: 'telemint', tokenName: 'durov', auction: undefined },
    ])
  })

  test('a running auction has its bidder, bid and end', async () => {
    const state = [addressValue(OWNER), intValue(10), intValue(20), intValue(30), intValue(40)]
    const reader = network([SELF, { ...telemint, get_telemint_auction_state: state }], [OTHER, collection])
    const found = await detectContract(reader.state(SELF), reader)
    expect(found[1]).toMatchObject({
      auction: { bidder: OWNER, bid: 10n, bidAt: 20n, minBid: 30n, endTime: 40n },
    })
  })

  test('the name of a t.me item is reversed', async () => {
    const reader = network([SELF, inZone], [zone, collection])
    const found = await detectContract(reader.state(SELF), reader)
    expect(found).toContainEqual({
      kind: 'dns_item',
      domain: 'durov.t.me',
      records: undefined,
      lastFillUpTime: undefined,
    })
  })
})

describe('vesting and exchange pools', () => {
  test('a vesting contract with an empty whitelist is detected', async () => {
    const data = [...[1, 2, 3, 4, 5].map(intValue), addressValue(OWNER), addressValue(OTHER), NULL]
    const codeHash = 'b48b531abec3b714638291f7d77ed6dc9f6a2729efca20477137374d4ae8b590'
    const reader = network([SELF, { get_vesting_data: data }, codeHash])
    expect(await detectContract(reader.state(SELF), reader)).toMatchObject([
      { kind: 'vesting', whitelist: [], sender: OWNER },
    ])
    expect(await kinds(network([SELF, { get_vesting_data: data }]))).toEqual([])
  })

  test('a DeDust pool counts only when the factory confirms it', async () => {
    const factory = {
      workchain: 0,
      hash: Buffer.from('5f0564fb5f604783db57031ce1cf668a88d4d4d6da6de4db222b4b920d6fd800', 'hex'),
    }
    const native = slice(new Builder().storeUint(0, 4).endCell())
    const jetton = slice(new Builder().storeUint(1, 4).storeInt(0, 8).storeBytes(OTHER.hash).endCell())
    const pool: Answers = {
      get_assets: [native, jetton],
      is_stable: [intValue(0)],
      get_reserves: [intValue(10), intValue(20)],
      get_trade_fee: [intValue(4), intValue(1000)],
    }
    const codeHash = '1275095b6da3911292406f4f4386f9e780099b854c6dee9ee2895ddce70927c1'
    const reader = network([SELF, pool, codeHash], [factory, { get_pool_address: [addressValue(SELF)] }])
    expect(await detectContract(reader.state(SELF), reader)).toEqual([
      {
        kind: 'dedust_pool',
        isStable: false,
        assets: [undefined, OTHER],
        reserves: [10n, 20n],
        tradeFee: 0.004,
      },
    ])
    expect(
      await kinds(network([SELF, pool, codeHash], [factory, { get_pool_address: [addressValue(OTHER)] }])),
    ).toEqual([])
  })

  test('dictionaries that describe 2^256 entries are refused', async () => {
    let edge = new Builder().storeUint(0, 2).storeAddress(OWNER).endCell()
    for (let i = 0; i < 264; i++) edge = new Builder().storeUint(0, 2).storeRef(edge).storeRef(edge).endCell()
    const data = [...[1, 2, 3, 4, 5].map(intValue), addressValue(OWNER), addressValue(OTHER), cell(edge)]
    const codeHash = 'b48b531abec3b714638291f7d77ed6dc9f6a2729efca20477137374d4ae8b590'
    expect(await kinds(network([SELF, { get_vesting_data: data }, codeHash]))).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { areInstalled, load } from './installed.ts'

// Applications keep the major of `@ton/ton` that they were written with. Each has its own schemas of replies,
// which were stricter before: 13 refuses a page of transactions with a message that has no `message`.

// biome-ignore lint/suspicious/noExplicitAny: each library has its own version of the types
type Any = any

const facts: Any = JSON.parse(readFileSync(`${FIXTURE_CHAIN_FOLDER}/facts.json`, 'utf8'))
const accounts = Object.entries(facts.accounts) as [string, Any][]
const NOBODY = `0:${'12'.repeat(32)}`
const PAGE = 7

const MAJORS = [
  { client: 'ton', core: 'ton-core' },
  { client: '@ton/ton-14', core: '@ton/core' },
  { client: '@ton/ton-15', core: '@ton/core' },
]

let api: RunningApi
beforeAll(async () => {
  if (!areInstalled) return
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api?.close())

describe.runIf(areInstalled).each(MAJORS)('$client', ({ client: name, core: coreName }) => {
  let client: Any
  let library: Any
  let core: Any
  beforeAll(() => {
    library = load(name)
    core = load(coreName)
    client = new library.TonClient({ endpoint: `${api.base}/jsonRPC` })
  })
  const parse = (raw: string) => core.Address.parse(raw)

  /** Reads a history to its end. The library omits the transaction that a page starts at. */
  async function history(raw: string): Promise<Any[]> {
    const read: Any[] = []
    for (;;) {
      const last = read.at(-1)
      const from = last && { lt: String(last.lt), hash: last.hash().toString('base64') }
      const page = await client.getTransactions(parse(raw), { limit: PAGE, ...from })
      read.push(...page)
      if (page.length < PAGE) return read
    }
  }

  test('reads states and histories of every kind of contract', async () => {
    const kinds = new Map(accounts.map((entry) => [entry[1].kind, entry]).reverse() as [string, Any][])
    for (const [raw, fact] of kinds.values()) {
      const { state, balance } = await client.getContractState(parse(raw))
      const expected = fact.state === 'active' ? 'active' : 'uninitialized'
      expect([fact.name, state, String(balance)]).toEqual([fact.name, expected, fact.balance])
      expect(await client.isContractDeployed(parse(raw))).toBe(fact.state === 'active')
      // Histories of thousands of transactions take too long; what does not exist has none.
      if (fact.state !== 'active' || fact.transactions > 100) continue
      const read = await history(raw)
      expect([fact.name, new Set(read.map(({ lt }) => lt)).size]).toEqual([fact.name, fact.transactions])
    }
  })

  test('finds a transaction, and none of another hash', async () => {
    const [raw, { last_transaction: last }] = accounts.find(([, fact]) => fact.name === 'multisig-a')!
    const hash = Buffer.from(last.hash, 'hex').toString('base64')
    expect(String((await client.getTransaction(parse(raw), last.lt, hash)).lt)).toBe(last.lt)
    const other = client.getTransaction(parse(raw), last.lt, Buffer.alloc(32).toString('base64'))
    await expect(other).rejects.toMatchObject({ response: { data: { ok: false } } })
  })

  test('runs get-methods with arguments of every type, and receives exit codes', async () => {
    const [jetton, collection] = [facts.jettons[0], facts.nft_collections[0]]
    const [holding, item] = [jetton.wallets[0], collection.items[0]]
    const cell = core.beginCell().storeAddress(parse(holding.owner)).endCell()
    const wallet = await client.runMethod(parse(jetton.address), 'get_wallet_address', [
      { type: 'slice', cell },
    ])
    expect(wallet.stack.readAddress().toRawString()).toBe(holding.address)
    const index = [{ type: 'int', value: BigInt(item.index) }]
    const nft = await client.runMethod(parse(collection.address), 'get_nft_address_by_index', index)
    expect(nft.stack.readAddress().toRawString()).toBe(item.address)
    const { JettonMaster, JettonWallet } = library
    const master = client.open(JettonMaster.create(parse(jetton.address)))
    expect(String((await master.getJettonData()).totalSupply)).toBe(jetton.total_supply)
    const opened = client.open(JettonWallet.create(await master.getWalletAddress(parse(holding.owner))))
    expect(String(await opened.getBalance())).toBe(holding.balance)
    const missing = await client.runMethodWithError(parse(jetton.address), 'no_such_method', [])
    expect(missing.exit_code).toBe(11)
    await expect(client.runMethod(parse(NOBODY), 'seqno')).rejects.toThrow('exit_code: -13')
  })

  test('reads the head, shards and their transactions', async () => {
    const { latestSeqno, workchain } = await client.getMasterchainInfo()
    expect([latestSeqno, workchain]).toEqual([529, -1])
    const [shard] = await client.getWorkchainShards(300)
    const listed = await client.getShardTransactions(shard.workchain, shard.seqno, shard.shard)
    expect(listed.length).toBeGreaterThan(0)
    for (const { account, lt, hash } of listed) {
      const found = await client.getTransaction(account, lt, hash)
      expect(String(found.lt)).toBe(lt)
    }
  })

  test('estimates and sends a message', async () => {
    const [raw] = accounts.find(([, fact]) => fact.name === 'multisig-a')!
    const body = core.beginCell().storeUint(1, 32).endCell()
    const fees = await client.estimateExternalMessageFee(parse(raw), {
      ...{ body, initCode: null, initData: null, ignoreSignature: true },
    })
    expect(fees.source_fees.in_fwd_fee).toBeGreaterThan(0)
    const message = core.external({ to: parse(raw), body })
    const boc = core.beginCell().store(core.storeMessage(message)).endCell().toBoc()
    await client.sendFile(boc)
    expect(api.replays[0]!.sentMessages.length).toBeGreaterThan(0)
    await expect(client.sendFile(Buffer.from('b5ee9c72', 'hex'))).rejects.toMatchObject({
      response: { status: 422 },
    })
  })
})

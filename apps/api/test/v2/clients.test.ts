import { Address, beginCell, Cell, external, internal, SendMode, storeMessage, toNano } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { TonClient, WalletContractV4 } from '@ton/ton'
import TonWeb from 'tonweb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

/** Facts of the sample chain at its last block. */
const WALLET_V4 = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const JETTON = '0:ffaad08a85a2637aa7a61bd4c7f699822e73e98f3d142d593cc7e940ee5a1a57'
const NOBODY = '0:bcc5fc44c1b638c5270bb96b429dadc5ad4bf0678fd23a80893fdc192338fa3b'
const LAST_SEQNO = 529
const MASTERCHAIN_SHARD = '-9223372036854775808'

const { HttpProvider } = TonWeb as unknown as {
  // biome-ignore lint/suspicious/noExplicitAny: the library's types omit the provider.
  HttpProvider: (new (endpoint: string) => any) & { prototype: object }
}

/** Names of the methods called by tests. */
const called = { client: new Set<string>(), provider: new Set<string>() }

/** The same object, recording which of its methods are called from outside. */
const watched = <T extends object>(target: T, names: Set<string>): T =>
  new Proxy(target, {
    get(_, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      names.add(String(name))
      return value.bind(target)
    },
  })

/** Names of all methods of a class. */
const methodsOf = ({ prototype }: { prototype: object }): string[] =>
  Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')

let api: RunningApi
let client: TonClient
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
  client = watched(new TonClient({ endpoint: `${api.base}/jsonRPC` }), called.client)
})
afterAll(() => api.close())

const sent = () => api.replays[0]!.sentMessages

describe('TonClient of @ton/ton', () => {
  const wallet = Address.parse(WALLET_V4)

  test('reads the state of a contract', async () => {
    const state = await client.getContractState(wallet)
    expect(state).toMatchObject({ state: 'active', balance: 2997161137569n })
    expect(Cell.fromBoc(state.code!)[0]!.hash().toString('base64')).toBe(
      '/rX/aCDi/w2Ug+fg1iyBfYRniftK5YDIeIZtlZ2r1cA=',
    )
    expect(await client.getBalance(wallet)).toBe(2997161137569n)
    expect(await client.isContractDeployed(wallet)).toBe(true)
    expect(await client.isContractDeployed(Address.parse(NOBODY))).toBe(false)
  })

  test('runs get-methods, with arguments and without', async () => {
    const data = await client.runMethod(Address.parse(JETTON), 'get_jetton_data')
    expect(data.stack.readBigNumber()).toBe(0x754263a440000n)
    const owner = beginCell().storeAddress(wallet).endCell()
    const { stack } = await client.callGetMethod(Address.parse(JETTON), 'get_wallet_address', [
      { type: 'slice', cell: owner },
    ])
    expect(stack.readAddress()).toBeInstanceOf(Address)
  })

  test('returns exit codes unchanged', async () => {
    await expect(client.runMethod(wallet, 'no_such_method')).rejects.toThrow('exit_code: 11')
    expect(await client.runMethodWithError(wallet, 'no_such_method')).toMatchObject({ exit_code: 11 })
    expect(await client.callGetMethodWithError(Address.parse(NOBODY), 'seqno')).toMatchObject({
      exit_code: -13,
    })
  })

  test('pages through transactions and finds single ones', async () => {
    const first = await client.getTransactions(wallet, { limit: 5 })
    expect(first.length).toBe(5)
    const { lt, hash } = { lt: String(first[4]!.lt), hash: first[4]!.hash().toString('base64') }
    const next = await client.getTransactions(wallet, { limit: 3, lt, hash })
    expect(next[0]!.lt).toBe(first[4]!.prevTransactionLt)
    const inclusive = await client.getTransactions(wallet, {
      limit: 3,
      lt,
      hash,
      inclusive: true,
      archival: true,
    })
    expect(inclusive[0]!.hash()).toEqual(first[4]!.hash())
    const newer = await client.getTransactions(wallet, { limit: 10, to_lt: lt })
    expect(newer.map((transaction) => transaction.lt)).toEqual(
      first.slice(0, 4).map((transaction) => transaction.lt),
    )
    const one = await client.getTransaction(wallet, lt, hash)
    expect(one?.hash()).toEqual(first[4]!.hash())
  })

  test('follows messages from one transaction to the next', async () => {
    const transactions = await client.getTransactions(wallet, { limit: 20 })
    const sender = transactions.find(({ outMessages }) =>
      outMessages.values().some(({ info }) => info.type === 'internal'),
    )!
    const { info } = sender.outMessages.values().find((message) => message.info.type === 'internal')!
    if (info.type !== 'internal') throw new Error('unreachable')
    const lt = String(info.createdLt)
    const result = await client.tryLocateResultTx(info.src, info.dest, lt)
    expect(result.inMessage?.info).toMatchObject({ type: 'internal', createdLt: info.createdLt })
    const source = await client.tryLocateSourceTx(info.src, info.dest, lt)
    expect(source.hash()).toEqual(sender.hash())
    await expect(client.tryLocateResultTx(info.dest, info.src, lt)).rejects.toThrow('404')
  })

  test('reads the chain of blocks', async () => {
    const info = await client.getMasterchainInfo()
    expect(info).toEqual({ workchain: -1, shard: MASTERCHAIN_SHARD, initSeqno: 0, latestSeqno: LAST_SEQNO })
    const shards = await client.getWorkchainShards(LAST_SEQNO)
    expect(shards).toEqual([{ workchain: 0, shard: MASTERCHAIN_SHARD, seqno: 487 }])
    const transactions = await client.getShardTransactions(0, 100, MASTERCHAIN_SHARD)
    for (const { account } of transactions) expect(account.workChain).toBe(0)
  })

  test('a transfer from a wallet reaches the lite server byte for byte', async () => {
    // The signature is not valid: the replay server runs no contracts and does not check signatures.
    const { stack } = await client.runMethod(wallet, 'get_public_key')
    const publicKey = Buffer.from(stack.readBigNumber().toString(16).padStart(64, '0'), 'hex')
    const own = client.open(WalletContractV4.create({ workchain: 0, publicKey }))
    expect(own.address.equals(wallet)).toBe(true)
    const transfer = own.createTransfer({
      seqno: await own.getSeqno(),
      secretKey: keyPairFromSeed(Buffer.alloc(32, 7)).secretKey,
      sendMode: SendMode.PAY_GAS_SEPARATELY,
      messages: [internal({ to: Address.parse(NOBODY), value: toNano('0.1'), body: 'hello', bounce: false })],
    })
    await own.send(transfer)
    const message = beginCell()
      .store(storeMessage(external({ to: own.address, body: transfer })))
      .endCell()
    expect(sent().at(-1)!.body.equals(message.toBoc())).toBe(true)
  })

  test('the normalised hash of a sent message is that of TEP-467', async () => {
    const body = beginCell().storeUint(1, 32).endCell()
    const message = external({ to: wallet, body })
    // The body is inline: another encoding of the same message.
    const given = beginCell()
      .store(storeMessage(message, { forceRef: false }))
      .endCell()
    const normal = beginCell()
      .store(storeMessage(message, { forceRef: true }))
      .endCell()
    const reply = await fetch(`${api.base}/sendBocReturnHash`, {
      method: 'POST',
      body: JSON.stringify({ boc: given.toBoc().toString('base64') }),
    })
    expect(await reply.json()).toMatchObject({
      ok: true,
      result: {
        '@type': 'raw.extMessageInfo',
        hash: given.hash().toString('base64'),
        hash_norm: normal.hash().toString('base64'),
      },
    })
  })

  test('sends messages in each of its ways, byte for byte', async () => {
    const message = (n: number) => external({ to: wallet, body: beginCell().storeUint(n, 64).endCell() })
    const bytesOf = (n: number) =>
      beginCell()
        .store(storeMessage(message(n)))
        .endCell()
        .toBoc()
    await client.sendMessage(message(1))
    expect(sent().at(-1)!.body).toEqual(bytesOf(1))
    await client.sendFile(bytesOf(2))
    expect(sent().at(-1)!.body).toEqual(bytesOf(2))
    const contract = { address: wallet }
    await client.sendExternalMessage(contract, message(3).body)
    expect(sent().at(-1)!.body).toEqual(bytesOf(3))
    await client.provider(wallet).external(message(4).body)
    expect(sent().at(-1)!.body).toEqual(bytesOf(4))
  })

  test('gives contracts a working provider', async () => {
    const provider = client.provider(wallet)
    const { balance, state, last } = await provider.getState()
    expect({ balance, type: state.type }).toEqual({ balance: 2997161137569n, type: 'active' })
    expect((await provider.get('seqno', [])).stack.readNumber()).toBeGreaterThan(0)
    expect(await provider.getTransactions(wallet, last!.lt, last!.hash, 3)).toHaveLength(3)
  })

  test('estimates the fee of a message', async () => {
    const fees = await client.estimateExternalMessageFee(wallet, {
      body: beginCell().endCell(),
      initCode: null,
      initData: null,
      ignoreSignature: true,
    })
    expect(fees.source_fees).toMatchObject({ in_fwd_fee: 400000, gas_fee: 0, fwd_fee: 0 })
  })

  test('has no method that is not called here', () => {
    expect([...called.client].sort()).toEqual(methodsOf(TonClient).sort())
  })
})

describe('HttpProvider of tonweb', () => {
  const provider = () => watched(new HttpProvider(`${api.base}/jsonRPC`), called.provider)

  test('reads accounts', async () => {
    expect(await provider().getAddressInfo(WALLET_V4)).toMatchObject({
      state: 'active',
      balance: '2997161137569',
    })
    expect(await provider().getExtendedAddressInfo(WALLET_V4)).toMatchObject({ revision: 2 })
    expect(await provider().getWalletInfo(WALLET_V4)).toMatchObject({
      wallet: true,
      wallet_type: 'wallet v4 r2',
    })
    expect(await provider().getBalance(WALLET_V4)).toBe('2997161137569')
    expect(await provider().getTransactions(WALLET_V4, 3)).toHaveLength(3)
  })

  test('runs get-methods', async () => {
    expect(String(await provider().call2(WALLET_V4, 'seqno'))).toMatch(/^\d+$/)
    expect(await provider().call(WALLET_V4, 'seqno')).toMatchObject({ exit_code: 0 })
    await expect(provider().call2(WALLET_V4, 'no_such_method')).rejects.toThrow()
  })

  test('reads blocks and configuration', async () => {
    expect((await provider().getConfigParam(0)).bits.array).toBeInstanceOf(Uint8Array)
    expect(await provider().getMasterchainInfo()).toMatchObject({ last: { seqno: LAST_SEQNO } })
    expect(await provider().getBlockShards(LAST_SEQNO)).toMatchObject({ '@type': 'blocks.shards' })
    expect(await provider().getMasterchainBlockHeader(LAST_SEQNO)).toMatchObject({ '@type': 'blocks.header' })
    expect(await provider().getBlockHeader(0, MASTERCHAIN_SHARD, 100)).toMatchObject({ id: { seqno: 100 } })
    expect(await provider().getMasterchainBlockTransactions(LAST_SEQNO)).toMatchObject({ incomplete: false })
    expect(await provider().getBlockTransactions(0, MASTERCHAIN_SHARD, 100)).toMatchObject({
      id: { seqno: 100 },
    })
  })

  test('reports refusals as errors', async () => {
    await expect(provider().getBalance('nonsense')).rejects.toMatch(/Failed to parse ton_addr/)
    await expect(provider().sendBoc('AAAA')).rejects.toMatch(/INVALID_BAG_OF_CELLS/)
    // A method of the 2.0 line that its documentation calls deprecated.
    await expect(provider().sendQuery({ address: WALLET_V4, body: 'te6cckEBAQEAAgAAAEysuc0=' })).rejects.toBe(
      'Unknown method: sendQuerySimple',
    )
  })

  test('sends, and estimates fees', async () => {
    const message = external({ to: Address.parse(WALLET_V4), body: beginCell().storeUint(5, 64).endCell() })
    const boc = beginCell().store(storeMessage(message)).endCell().toBoc()
    expect(await provider().sendBoc(boc.toString('base64'))).toEqual({ '@type': 'ok' })
    expect(sent().at(-1)!.body).toEqual(boc)
    const query = { address: WALLET_V4, body: message.body.toBoc().toString('base64') }
    expect(await provider().getEstimateFee(query)).toMatchObject({
      '@type': 'query.fees',
      destination_fees: [],
    })
  })

  test('calls methods for which it has no name', async () => {
    expect(await provider().send('getAddressState', { address: WALLET_V4 })).toBe('active')
    const request = { id: 1, jsonrpc: '2.0', method: 'getAddressState', params: { address: WALLET_V4 } }
    expect(await provider().sendImpl(`${api.base}/jsonRPC`, request)).toBe('active')
  })

  test('has no method that is not called here', () => {
    expect([...called.provider].sort()).toEqual(methodsOf(HttpProvider).sort())
  })
})

describe('plain JSON-RPC', () => {
  const call = async (body: object) => {
    const reply = await fetch(`${api.base}/jsonRPC`, { method: 'POST', body: JSON.stringify(body) })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }

  test('echoes exactly what the caller sent', async () => {
    const { body } = await call({
      method: 'getAddressBalance',
      params: { address: WALLET_V4, seqno: '529', '@extra': 'mine' },
    })
    expect(body).toEqual({ ok: true, result: '2997161137569', '@extra': 'mine' })
    const params = { address: WALLET_V4, seqno: 529, '@extra': null }
    const none = await call({ method: 'getAddressBalance', params })
    expect(none.body).toMatchObject({ ok: true, result: '2997161137569' })
    const rpc = await call({ id: 7, jsonrpc: '2.0', method: 'detectHash', params: { hash: '00'.repeat(32) } })
    expect(rpc.body).toMatchObject({ ok: true, id: '7', jsonrpc: '2.0' })
    expect(rpc.body['@extra']).toMatch(/^\d+:_:\d+\.\d+$/)
  })

  test('refuses with the status of the method', async () => {
    expect((await call({ method: 'getAddressBalance', params: { address: 'abc' } })).body).toMatchObject({
      ok: false,
      error: "failed to parse post request: Failed to parse ton_addr: 'abc'",
      code: 422,
    })
    expect(await call({ method: '../v3/blocks' })).toMatchObject({
      status: 404,
      body: { error: 'Unknown method: ../v3/blocks' },
    })
    expect(await call({ method: 'getAddressBalance', params: { address: WALLET_V4, foo: 1 } })).toMatchObject(
      {
        status: 422,
      },
    )
    expect((await fetch(`${api.base}/jsonRPC`)).status).toBe(405)
  })
})

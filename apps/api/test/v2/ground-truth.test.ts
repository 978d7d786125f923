import { createHash } from 'node:crypto'
import type { V2MethodName } from '@shardwalk/api-schema'
import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'
import { isLong, swept } from '@shardwalk/testkit/runs'
import {
  Address,
  beginCell,
  Cell,
  Dictionary,
  external,
  loadShardAccount,
  loadTransaction,
  parseTuple,
  storeMessage,
} from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  boc,
  hashOf,
  type Json,
  type Listed,
  legacyEntry,
  plain,
  plainItem,
  sameAsCore,
  shardRoots,
  typedEntry,
} from './core-reading.ts'
import { COMPARED_WITH, exchangesWith, FACTS } from './recorded-truth.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

const asked = new Set<string>()

let api: RunningApi
let recording: Recording
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  api = await startApi()
  await warmUp(api)
})
afterAll(async () => {
  await api.close()
  await recording.close()
})

async function call<T = Json>(method: V2MethodName, params: object): Promise<T> {
  asked.add(method)
  const reply = await fetch(`${api.base}/jsonRPC`, {
    method: 'POST',
    body: JSON.stringify({ method, params }),
  })
  const body = (await reply.json()) as { ok: boolean; result: T; error?: string; code?: number }
  if (!body.ok) throw new Error(`${method} ${JSON.stringify(params)}: ${body.code} ${body.error}`)
  return body.result
}

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
const NO_TRANSACTION = { lt: '0', hash: '0'.repeat(64) }
const STATES = {
  active: 'active',
  uninit: 'uninitialized',
  frozen: 'frozen',
  nonexist: 'uninitialized',
} as const
const rawAddress = ({ workchain, id }: { workchain: number; id: Buffer }) =>
  `${workchain}:${id.toString('hex')}`
const signed = (shard: bigint): string => String(BigInt.asIntN(64, shard))
interface Id {
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}
const shownId = ({ workchain, shard, seqno, rootHash, fileHash }: Id) => ({
  '@type': 'ton.blockIdExt',
  workchain,
  shard: signed(shard),
  seqno,
  root_hash: rootHash.toString('base64'),
  file_hash: fileHash.toString('base64'),
})

describe('accounts', () => {
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
      const info = await call('getAddressInformation', { address })
      expect(info, address).toMatchObject({ balance, state: STATES[fact.state], last_transaction_id: last })
      expect(
        (info['extra_currencies'] as { id: number; amount: string }[]).map(({ id, amount }) => [id, amount]),
      ).toEqual(currencies)
      expect(info['code'] === '' ? undefined : hashOf(info['code'])).toBe(fact.code_hash)
      expect(info['data'] === '' ? undefined : hashOf(info['data'])).toBe(fact.data_hash)
      expect(await call('getAddressBalance', { address })).toBe(balance)
      expect(await call('getAddressState', { address })).toBe(STATES[fact.state])
      expect(await call('getExtendedAddressInformation', { address })).toMatchObject({
        address: { account_address: Address.parse(address).toString() },
        balance,
        last_transaction_id: last,
      })
      const wallet = await call('getWalletInformation', { address })
      expect(wallet).toMatchObject({ balance, account_state: STATES[fact.state], last_transaction_id: last })
      // The data of every wallet before version 5 starts with its seqno.
      if (wallet['wallet'] && !String(wallet['wallet_type']).includes('v5'))
        expect(wallet['seqno']).toBe(
          Cell.fromBase64(info['data'] as string)
            .beginParse()
            .loadInt(32),
        )
      const cell = await call<{ bytes: string }>('getShardAccountCell', { address })
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
      const data = await call('getTokenData', { address })
      expect(data).toMatchObject({
        contract_type: 'jetton_master',
        ...(mintable !== undefined && { mintable }),
      })
      expect(String(data['total_supply'])).toBe(total_supply)
      expect(rawOf(data['admin_address'])).toBe(admin)
      for (const { owner, address: wallet, balance } of wallets.slice(0, 5)) {
        const holding = await call('getTokenData', { address: wallet })
        expect([holding['contract_type'], String(holding['balance'])]).toEqual(['jetton_wallet', balance])
        expect([rawOf(holding['owner']), rawOf(holding['jetton'])]).toEqual([owner, address])
      }
    }
    for (const { address, next_item_index, owner } of FACTS.nft_collections) {
      if (next_item_index === undefined) continue
      const data = await call('getTokenData', { address })
      expect([data['contract_type'], String(data['next_item_index'])]).toEqual([
        'nft_collection',
        next_item_index,
      ])
      expect(rawOf(data['owner_address'])).toBe(owner)
    }
    for (const { address, index, owner } of FACTS.nft_items) {
      if (index === undefined) continue
      const data = await call('getTokenData', { address })
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
      const { entries } = await call<{ entries: { name: string; entry: Json }[] }>('dnsResolve', {
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
      const { entries } = await call<{ entries: { name: string }[] }>('dnsResolve', { address, name })
      expect(entries.map((entry) => entry.name)).toEqual(Object.keys(records!).map(() => '.'))
    }
  })
})

describe('blocks', () => {
  const steps = () =>
    [2, 18, 100, 135, 160, 200, 266, 300, 356, 400, 487, 529].map((seqno) => recording.step(seqno)!)

  test('the newest block, the zerostate and the state are those of the node', async () => {
    const [{ answer }] = exchangesWith('masterchain-info', 'liteServer.getMasterchainInfo') as [never]
    const { last, init, stateRootHash } = answer as {
      last: Id
      init: { rootHash: Buffer; fileHash: Buffer }
      stateRootHash: Buffer
    }
    expect(await call('getMasterchainInfo', {})).toMatchObject({
      last: shownId(last),
      state_root_hash: stateRootHash.toString('base64'),
      init: { root_hash: init.rootHash.toString('base64'), file_hash: init.fileHash.toString('base64') },
    })
    expect(await call('getConsensusBlock', {})).toMatchObject({ consensus_block: recording.last })
  })

  test('lookups find the same blocks as the node', async () => {
    const lookups = exchangesWith('blocks', 'liteServer.lookupBlock')
    expect(lookups.length).toBeGreaterThan(7)
    for (const { args, answer, name } of lookups) {
      const { id, lt, utime } = args
      const by =
        lt !== undefined
          ? { lt: String(lt) }
          : utime !== undefined
            ? { unixtime: utime }
            : { seqno: id.seqno }
      const found = await call('lookupBlock', { workchain: id.workchain, shard: signed(id.shard), ...by })
      expect(found, name).toEqual(shownId(answer.id))
    }
  })

  test('shards and headers are those of the blocks themselves', async () => {
    for (const { block, shards, shardTops } of swept(steps(), 2)) {
      const { seqno } = block.id
      const listed = await call<{ shards: Json[] }>('getShards', { seqno })
      expect(listed.shards, String(seqno)).toEqual(shardTops.map(shownId))
      for (const one of [block, ...shards]) {
        const { id } = one
        const place = { workchain: id.workchain, shard: signed(id.shard), seqno: id.seqno }
        expect(await call('lookupBlock', place)).toEqual(shownId(id))
        expect(await call('getBlockHeader', place)).toMatchObject({
          id: shownId(id),
          gen_utime: one.genUtime,
          start_lt: String(one.startLt),
          end_lt: String(one.endLt),
        })
        const { data } = await call<{ data: string }>('getBlock', place)
        const fileHash = createHash('sha256').update(Buffer.from(data, 'base64')).digest()
        expect(fileHash.equals(id.fileHash)).toBe(true)
      }
    }
    for (const { args, answer } of exchangesWith('shards', 'liteServer.getAllShardsInfo')) {
      const { shards } = await call<{ shards: { root_hash: string }[] }>('getShards', {
        seqno: args.id.seqno,
      })
      const roots = shardRoots(Cell.fromBoc(answer.data)[0]!)
      expect(shards.map(({ root_hash }) => root_hash)).toEqual(roots)
    }
  })

  test('proofs are the bytes that the node returned', async () => {
    for (const { args, answer, name } of exchangesWith('shards', 'liteServer.getShardBlockProof')) {
      const { workchain, shard, seqno } = args.id
      const from_seqno = answer.masterchainId.seqno
      const shown = await call('getShardBlockProof', { workchain, shard: signed(shard), seqno, from_seqno })
      expect(shown, name).toMatchObject({
        mc_id: shownId(answer.masterchainId),
        links: answer.links.map(({ id, proof }) => ({ id: shownId(id), proof: proof.toString('base64') })),
        mc_proof: [],
      })
    }
    let compared = 0
    for (const { answer } of exchangesWith('block-proofs', 'liteServer.getBlockProof'))
      for (const link of answer.steps) {
        if (link.kind !== 'liteServer.blockLinkForward' || compared > 8) continue
        const shown = await call('getMasterchainBlockSignatures', { seqno: link.to.seqno })
        expect(shown).toMatchObject({
          id: shownId(link.to),
          signatures: link.signatures.signatures.map(({ nodeIdShort, signature }) => ({
            node_id_short: nodeIdShort.toString('base64'),
            signature: signature.toString('base64'),
          })),
        })
        compared++
      }
    expect(compared).toBeGreaterThan(4)
  })

  test('a proof from a block that does not exist says which of the two blocks is missing', async () => {
    const block = { workchain: -1, shard: String(-(2n ** 63n)), seqno: 100 }
    const missing = 'LITE_SERVER_NOTREADY: cannot find block (-1,8000000000000000)'
    await expect(call('getShardBlockProof', { ...block, from_seqno: 99_999 })).rejects.toThrow(
      `500 lookup from block error: ${missing} seqno=99999`,
    )
    await expect(call('getShardBlockProof', { ...block, seqno: 99_999 })).rejects.toThrow(
      `500 ${missing} seqno=99999`,
    )
  })

  test('out message queues have the lengths that the node returned', async () => {
    const { answer } = exchangesWith('queues', 'liteServer.getOutMsgQueueSizes')[0]!
    expect(await call('getOutMsgQueueSize', {})).toMatchObject({
      shards: answer.shards.map(({ id, size }) => ({ id: shownId(id), size })),
      ext_msg_queue_size_limit: answer.extMsgQueueSizeLimit,
    })
  })
})

describe('transactions', () => {
  test('the history of an account has the cells that the node returned', async () => {
    const histories = exchangesWith('transactions', 'liteServer.getTransactions')
    expect(histories.length).toBeGreaterThan(15)
    for (const { args, answer, name } of histories) {
      const address = rawAddress(args.account)
      const from = { address, lt: String(args.lt), hash: args.hash.toString('hex'), limit: args.count }
      const hashes = Cell.fromBoc(answer.transactions).map((cell) => cell.hash().toString('base64'))
      const list = await call<Listed[]>('getTransactions', from)
      expect(list.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length), name).toEqual(
        hashes,
      )
      const { transactions } = await call<{ transactions: Listed[] }>('getTransactionsStd', from)
      expect(transactions.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length)).toEqual(
        hashes,
      )
      for (const one of swept([...list, ...transactions], 7)) sameAsCore(one)
    }
  })

  test('the transactions of a block are those that the node lists', async () => {
    for (const { args, answer, name } of exchangesWith('transactions', 'liteServer.listBlockTransactions')) {
      const { workchain, shard, seqno } = args.id
      const all = { workchain, shard: signed(shard), seqno, count: 10_000 }
      const { transactions } = await call<{ transactions: Json[] }>('getBlockTransactions', all)
      const shown = transactions.map(({ account, lt, hash }) => [account, lt, hash])
      for (const { account, lt, hash } of answer.ids)
        if (account && lt !== undefined && hash)
          expect(shown, name).toContainEqual([
            `${workchain}:${account.toString('hex')}`,
            String(lt),
            hash.toString('base64'),
          ])
      if (!answer.incomplete && !args.after) expect(shown.length, name).toBe(answer.ids.length)
    }
    for (const { args, answer } of exchangesWith('transactions', 'liteServer.listBlockTransactionsExt')) {
      const { workchain, shard, seqno } = args.id
      const params = { workchain, shard: signed(shard), seqno, count: args.count }
      const { transactions } = await call<{ transactions: Listed[] }>('getBlockTransactionsExt', params)
      const hashes = Cell.fromBoc(answer.transactions).map((cell) => cell.hash().toString('base64'))
      expect(transactions.map(({ transaction_id }) => transaction_id.hash).slice(0, hashes.length)).toEqual(
        hashes,
      )
      for (const one of transactions) sameAsCore(one)
    }
  })

  test('messages lead to the transactions that contain them', async () => {
    const { transactions } = await call<{ transactions: Listed[] }>('getTransactionsStd', {
      address: FACTS.jettons[0]!.address,
      limit: 60,
    })
    let followed = 0
    for (const { data, transaction_id } of transactions) {
      const { inMessage } = loadTransaction(Cell.fromBase64(data).beginParse())
      if (inMessage?.info.type !== 'internal' || followed >= 5) continue
      const { src, dest, createdLt } = inMessage.info
      const query = { source: src.toRawString(), destination: dest.toString(), created_lt: String(createdLt) }
      for (const name of ['tryLocateTx', 'tryLocateResultTx'] as const)
        expect((await call<Listed>(name, query)).transaction_id).toEqual(transaction_id)
      const source = await call<Listed>('tryLocateSourceTx', query)
      const { outMessages } = loadTransaction(Cell.fromBase64(source.data).beginParse())
      const sent = outMessages.values().map(({ info }) => info.type === 'internal' && info.createdLt)
      expect(sent).toContain(createdLt)
      followed++
    }
    expect(followed).toBe(5)
  })
})

const TESTER = '0:52809cc3529e8ba5db81edcabaf9f565d9bec3ab7891b4c2c208c3060c31d5b3'

describe('get-methods', () => {
  /** Different by design: see docs/compatibility.md. */
  const DIFFERENT = new Set([
    'no-account',
    'uninit',
    'frozen',
    'builder',
    'nan',
    'now',
    'unknown',
    'throw',
    'too-few-arguments',
  ])
  const runs = exchangesWith('run-methods', 'liteServer.runSmcMethod').filter(
    ({ answer }) => answer.result !== undefined,
  )

  test.each(runs.filter(({ name }) => !DIFFERENT.has(name)).map((run) => [run.name, run] as const))(
    '%s gives the stack that the node computed',
    async (_, { args, answer }) => {
      const stack = parseTuple(Cell.fromBoc(args.params)[0]!)
      const params = {
        address: rawAddress(args.account),
        method: Number(args.methodId),
        seqno: args.id.seqno,
      }
      const legacy = await call<{ stack: unknown[]; exit_code: number }>('runGetMethod', {
        ...params,
        stack: stack.map(legacyEntry),
      })
      expect(legacy.exit_code).toBe(answer.exitCode)
      const typed = await call<{ stack: Json[]; exit_code: number }>('runGetMethodStd', {
        ...params,
        stack: stack.map(typedEntry),
      })
      const truth = parseTuple(Cell.fromBoc(answer.result!)[0]!)
      expect(typed.stack.map(plain)).toEqual(truth.map(plainItem))
      expect(legacy.stack).toHaveLength(truth.length)
    },
  )

  test('enough calls are compared', () => expect(runs.length).toBeGreaterThan(35))
})

describe('configuration', () => {
  test('is the dictionary in the state of the node', async () => {
    const { args, answer } = exchangesWith('config', 'liteServer.getConfigAll').find(
      ({ name }) => name === 'getConfigAll',
    )!
    const state = Cell.fromBoc(answer.configProof)[0]!.refs[0]!
    // Source: block.tlb
    // `masterchain_state_extra#cc26 shard_hashes config_addr:bits256 config:^(Hashmap 32 ^Cell)`.
    const extra = state.refs.at(-1)!.beginParse()
    expect(extra.loadUint(16)).toBe(0xcc26)
    extra.loadMaybeRef()
    const config = extra.skip(256).loadRef()
    const { seqno } = args.id
    const all = await call<{ config: { bytes: string } }>('getConfigAll', { seqno })
    expect(hashOf(all.config.bytes)).toBe(config.hash(0).toString('hex'))
    const parameters = Dictionary.loadDirect(
      Dictionary.Keys.Uint(32),
      Dictionary.Values.Cell(),
      config.beginParse(),
    )
    expect(parameters.size).toBeGreaterThan(20)
    // Negative ones are rejected in requests.
    for (const [index, value] of parameters) {
      if (index > 0x7fff_ffff) continue
      const shown = await call<{ config: { bytes: string } }>('getConfigParam', { config_id: index, seqno })
      expect(hashOf(shown.config.bytes), String(index)).toBe(value.hash(0).toString('hex'))
    }
  })

  test('libraries are the cells that the node returned', async () => {
    for (const { args, answer } of exchangesWith('libraries', 'liteServer.getLibraries')) {
      const libraries = args.libraryList.map((hash) => hash.toString('hex'))
      const { result } = await call<{ result: { hash: string; data: string }[] }>('getLibraries', {
        libraries,
      })
      const shown = result.map(({ hash, data }) => [hash, hashOf(data)]).sort()
      const truth = answer.result.map(({ hash, data }) => [
        hash.toString('base64'),
        Cell.fromBoc(data)[0]!.hash().toString('hex'),
      ])
      expect(shown).toEqual(truth.sort())
    }
  })
})

describe('messages and addresses', () => {
  test('a message reaches the lite server unchanged, and its hashes are those of its cells', async () => {
    const body = beginCell().storeUint(77, 32).endCell()
    const message = external({ to: Address.parse(TESTER), body })
    const given = beginCell()
      .store(storeMessage(message, { forceRef: false }))
      .endCell()
    const normal = beginCell()
      .store(storeMessage(message, { forceRef: true }))
      .endCell()
    const hashes = { hash: given.hash().toString('base64'), hash_norm: normal.hash().toString('base64') }
    for (const name of ['sendBoc', 'sendBocReturnHash', 'sendBocReturnHashNoError'] as const) {
      const result = await call(name, { boc: boc(given) })
      expect(result).toMatchObject(name === 'sendBoc' ? { '@type': 'ok' } : hashes)
      expect(api.replays[0]!.sentMessages.at(-1)!.body).toEqual(given.toBoc())
    }
    const fees = await call('estimateFee', { address: TESTER, body: boc(beginCell().endCell()) })
    // Source: parameter 25 of the chain. A message that is a single cell costs only the lump price of
    // 400,000.
    expect(fees).toMatchObject({ source_fees: { in_fwd_fee: 400_000 } })
  })

  test('addresses and hashes are the same in every form', async () => {
    for (const raw of Object.keys(FACTS.accounts).slice(0, 20)) {
      const address = Address.parse(raw)
      const bounceable = address.toString()
      const plainForm = address.toString({ bounceable: false })
      expect(await call('detectAddress', { address: plainForm })).toMatchObject({
        raw_form: raw,
        bounceable: { b64url: bounceable, b64: address.toString({ urlSafe: false }) },
        non_bounceable: { b64url: plainForm },
        given_type: 'friendly_non_bounceable',
        test_only: false,
      })
      expect(await call('packAddress', { address: raw })).toBe(bounceable)
      expect(String(await call('unpackAddress', { address: plainForm })).toLowerCase()).toBe(raw)
      const hash = createHash('sha256').update(raw).digest()
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(await call('detectHash', { hash: hash.toString(form) })).toMatchObject({
          hex: hash.toString('hex'),
          b64: hash.toString('base64'),
          b64url: hash.toString('base64url').padEnd(43),
        })
    }
  })
})

test('every method of the catalogue is compared', () => {
  expect([...asked].sort()).toEqual(Object.keys(COMPARED_WITH).sort())
})

import { createHash } from 'node:crypto'
import { Address, beginCell, Cell, Dictionary, external, parseTuple, storeMessage } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boc, hashOf, type Json, legacyEntry, plain, plainItem, typedEntry } from './core-reading.ts'
import { accountFacts } from './ground-truth/accounts.ts'
import { blockFacts } from './ground-truth/blocks.ts'
import { ComparedNode, rawAddress } from './ground-truth/compared-node.ts'
import { transactionFacts } from './ground-truth/transactions.ts'
import { COMPARED_WITH, exchangesWith, FACTS } from './recorded-truth.ts'

let node: ComparedNode
beforeAll(async () => {
  node = await ComparedNode.start()
})
afterAll(() => node?.close())
const compared = () => node

describe('accounts', () => accountFacts(compared))
describe('blocks', () => blockFacts(compared))
describe('transactions', () => transactionFacts(compared))

const TESTER = '0:52809cc3529e8ba5db81edcabaf9f565d9bec3ab7891b4c2c208c3060c31d5b3'

describe('get-methods', () => {
  /** Different by design: see docs/compatibility-v2.md. */
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
      const legacy = await node.call<{ stack: unknown[]; exit_code: number }>('runGetMethod', {
        ...params,
        stack: stack.map(legacyEntry),
      })
      expect(legacy.exit_code).toBe(answer.exitCode)
      const typed = await node.call<{ stack: Json[]; exit_code: number }>('runGetMethodStd', {
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
    const all = await node.call<{ config: { bytes: string } }>('getConfigAll', { seqno })
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
      const shown = await node.call<{ config: { bytes: string } }>('getConfigParam', {
        config_id: index,
        seqno,
      })
      expect(hashOf(shown.config.bytes), String(index)).toBe(value.hash(0).toString('hex'))
    }
  })

  test('libraries are the cells that the node returned', async () => {
    for (const { args, answer } of exchangesWith('libraries', 'liteServer.getLibraries')) {
      const libraries = args.libraryList.map((hash) => hash.toString('hex'))
      const { result } = await node.call<{ result: { hash: string; data: string }[] }>('getLibraries', {
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
      const result = await node.call(name, { boc: boc(given) })
      expect(result).toMatchObject(name === 'sendBoc' ? { '@type': 'ok' } : hashes)
      expect(node.api.replays[0]!.sentMessages.at(-1)!.body).toEqual(given.toBoc())
    }
    const fees = await node.call('estimateFee', { address: TESTER, body: boc(beginCell().endCell()) })
    // Source: parameter 25 of the chain. A message that is a single cell costs only the lump price of
    // 400,000.
    expect(fees).toMatchObject({ source_fees: { in_fwd_fee: 400_000 } })
  })

  test('addresses and hashes are the same in every form', async () => {
    for (const raw of Object.keys(FACTS.accounts).slice(0, 20)) {
      const address = Address.parse(raw)
      const bounceable = address.toString()
      const plainForm = address.toString({ bounceable: false })
      expect(await node.call('detectAddress', { address: plainForm })).toMatchObject({
        raw_form: raw,
        bounceable: { b64url: bounceable, b64: address.toString({ urlSafe: false }) },
        non_bounceable: { b64url: plainForm },
        given_type: 'friendly_non_bounceable',
        test_only: false,
      })
      expect(await node.call('packAddress', { address: raw })).toBe(bounceable)
      expect(String(await node.call('unpackAddress', { address: plainForm })).toLowerCase()).toBe(raw)
      const hash = createHash('sha256').update(raw).digest()
      for (const form of ['hex', 'base64', 'base64url'] as const)
        expect(await node.call('detectHash', { hash: hash.toString(form) })).toMatchObject({
          hex: hash.toString('hex'),
          b64: hash.toString('base64'),
          b64url: hash.toString('base64url').padEnd(43),
        })
    }
  })
})

test('every method of the catalogue is compared', () => {
  expect([...node.asked].sort()).toEqual(Object.keys(COMPARED_WITH).sort())
})

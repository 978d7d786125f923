import { decodeBlock } from '@shardwalk/blocks'
import { formatFriendlyAddress, hasFriendlyForm } from '@shardwalk/cells'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { type GeneratedMessage, generatedChain } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { GeneratedApi, type Json, placeOf } from './generated-api.ts'

// Replies over a chain with transactions and messages of kinds that no recorded chain has.

// No network has workchain -2^31, node `workchainInvalid`: the executor refuses its configuration.
const OPTIONS = {
  ...{ seed: 73, steps: 5, workchains: [0, 70_000, -(2 ** 31) + 1], accounts: 40, transactions: 12 },
  ...{ keyBlocks: 0.4, rarity: 0.1, simplexFrom: 3 },
}
const steps = [...generatedChain(OPTIONS)]
const blocks = steps.flatMap(({ masterchain, shards }) => [...shards, masterchain])

let api: GeneratedApi
beforeAll(async () => {
  api = await GeneratedApi.start(OPTIONS, steps)
})
afterAll(() => api?.close())

const call = <T = Json>(method: string, params: object) => api.call<T>(method, params)

const base64 = (bytes: Buffer) => bytes.toString('base64')
/** A workchain beyond 8 bits has no user-friendly form. */
const shown = (address: RawAddress | undefined): string => {
  if (!address) return ''
  return hasFriendlyForm(address)
    ? formatFriendlyAddress(address, { bounceable: true, testOnly: false })
    : formatRawAddress(address)
}
const addressIn = (value: unknown) => (value as { account_address: string }).account_address

function expectMessage(row: Json | undefined, put: GeneratedMessage): void {
  expectSame(
    [row!['hash'], row!['body_hash'], addressIn(row!['source'])],
    [base64(put.cell.hash()), base64(put.bodyHash), shown(put.source)],
  )
  expectSame([row!['value'], row!['created_lt']], [String(put.value ?? 0n), String(put.createdLt ?? 0n)])
  if (put.kind !== 'external_out') expectSame(addressIn(row!['destination']), shown(put.destination))
}

test('blocks have the transactions and messages that were put into them', async () => {
  let large = 0
  for (const { raw, transactions } of blocks) {
    const reply = await call<{ transactions: Json[] }>('getBlockTransactionsExt', {
      ...placeOf(raw.id),
      count: 256,
    })
    const rows = new Map(reply.transactions.map((row) => [(row['transaction_id'] as Json)['hash'], row]))
    expectSame(rows.size, transactions.length)
    for (const { cell, now, inMsg, outMsgs } of transactions) {
      const row = rows.get(base64(cell.hash()))!
      const sent = row['out_msgs'] as Json[]
      expectSame([row['utime'], sent.length], [now, outMsgs.length])
      if (inMsg) expectMessage(row['in_msg'] as Json, inMsg)
      for (const [i, message] of outMsgs.entries()) expectMessage(sent[i], message)
    }
    const { workchain, shard, seqno } = placeOf(raw.id)
    expect(await call('lookupBlock', { workchain, shard, seqno })).toMatchObject(placeOf(raw.id))
    const { header } = decodeBlock(raw)
    expect(await call('getBlockHeader', placeOf(raw.id))).toMatchObject({
      id: placeOf(raw.id),
      gen_utime: header.genUtime,
      // As signed numbers, which TON Center prints.
      validator_list_hash_short: header.validatorListHashShort | 0,
      min_ref_mc_seqno: header.minRefMcSeqno | 0,
    })
    if (header.minRefMcSeqno > 0x7fffffff) large++
  }
  expect(large).toBeGreaterThan(0)
})

/** An account without code is uninitialised to TON Center. */
const STATES = { active: 'active', uninit: 'uninitialized', frozen: 'frozen', nonexist: 'uninitialized' }

test('accounts are as the last block left them, with the transactions that led there', async () => {
  const last = new Map(
    blocks.flatMap(({ raw: { id }, states }) =>
      [...states].map(([hash, state]) => [`${id.workchain}:${hash}`, state] as const),
    ),
  )
  for (const [address, { status, balance, code }] of last) {
    const info = await call('getAddressInformation', { address })
    expectSame(
      [info['balance'], info['state']],
      [String(balance), status === 'active' && !code ? STATES.uninit : STATES[status]],
    )
    expectSame((await call('getWalletInformation', { address }))['balance'], String(balance))
    expectSame((await call('getExtendedAddressInformation', { address }))['balance'], String(balance))
    const newest = (info['last_transaction_id'] as Json)['hash']
    const [first] = await call<Json[]>('getTransactions', { address, limit: 1, archival: true })
    if (status !== 'nonexist') expectSame((first!['transaction_id'] as Json)['hash'], newest)
  }
})

test('signatures of masterchain blocks have the form in which they were made', async () => {
  // Lite servers find no block 0, from which the signatures of the first one would be asked for.
  for (const { mcSeqno, masterchain } of steps.slice(1)) {
    const reply = await call('getMasterchainBlockSignatures', { seqno: mcSeqno })
    const isSimplex = mcSeqno >= OPTIONS.simplexFrom
    expect(reply['@type']).toBe(isSimplex ? 'blocks.blockSignatures.simplex' : 'blocks.blockSignatures')
    expect(reply).toMatchObject({ id: placeOf(masterchain.raw.id) })
    expect(reply['signatures']).toHaveLength(3)
    if (isSimplex) expect(reply['slot']).toBe(3 * mcSeqno)
  }
})

test('every shard block is proven from the last masterchain block', async () => {
  const newest = steps.at(-1)!.mcSeqno
  for (const { mcSeqno, masterchain, shards } of steps)
    for (const { raw } of shards) {
      const { workchain, shard, seqno } = placeOf(raw.id)
      const reply = await call('getShardBlockProof', { workchain, shard, seqno, from_seqno: newest })
      expect(reply).toMatchObject({ mc_id: placeOf(masterchain.raw.id) })
      expect((reply['links'] as Json[]).at(-1)).toMatchObject({ id: placeOf(raw.id) })
      expect(reply['mc_proof']).toHaveLength(mcSeqno === newest ? 0 : 1)
    }
})

/** The empty cell. */
const BODY = 'te6ccgEBAQEAAgAAAA=='

async function estimate(address: string, init: object): Promise<Json> {
  const body = JSON.stringify({ address, body: BODY, ...init })
  const headers = { 'Content-Type': 'application/json' }
  const reply = await fetch(`${api.base}/estimateFee`, { method: 'POST', body, headers })
  return { ...((await reply.json()) as Json), status: reply.status }
}

test('fees in a workchain beyond 8 bits are estimated unless code has to run, which is refused', async () => {
  const wide = blocks.flatMap(({ raw: { id }, states }) =>
    [...states.keys()]
      .filter(() => id.workchain !== (id.workchain << 24) >> 24)
      .map((hex) => `${id.workchain}:${hex}`),
  )
  const statuses = new Set<unknown>()
  for (const address of new Set([...wide, `70000:${'07'.repeat(32)}`]))
    for (const init of [{}, { init_code: BODY, init_data: BODY }]) {
      const { status, error } = await estimate(address, init)
      statuses.add(status)
      if (status !== 200)
        expect({ status, error }).toEqual({ status: 422, error: expect.stringContaining('exceeds 8 bits') })
    }
  expect(statuses).toEqual(new Set([200, 422]))
})

test('fees in the other workchains are estimated, also of code that a message brings along', async () => {
  const fresh = [0, -1].map((workchain) => [`${workchain}:${'07'.repeat(32)}`, undefined] as const)
  const touched = blocks.flatMap(({ raw: { id }, states }) =>
    [...states].map(([hex, state]) => [`${id.workchain}:${hex}`, state.extraCurrencies] as const),
  )
  let asked = 0
  for (const [address, currencies] of new Map([...fresh, ...touched])) {
    const workchain = Number(address.split(':')[0])
    if (workchain !== (workchain << 24) >> 24) continue
    // Nodes keep no amounts of nothing, block.tlb `VarUIntegerPos` of the node: the executor refuses them.
    if ([...(currencies?.values() ?? [])].includes(0n)) continue
    asked++
    for (const init of [{}, { init_code: BODY, init_data: BODY }]) {
      const { status, error } = await estimate(address, init)
      expectSame([address, status, error], [address, 200, undefined])
    }
  }
  expect(asked).toBeGreaterThan(10)
})

test.each([1, 127, 128, -129, 2 ** 31 - 1])(
  'fees in workchain %d, which is not there, are refused',
  async (workchain) => {
    for (const init of [{}, { init_code: BODY, init_data: BODY }])
      expect(await estimate(`${workchain}:${'07'.repeat(32)}`, init)).toMatchObject({
        status: 422,
        error: expect.stringContaining(`no shard block of workchain ${workchain}`),
      })
  },
)

import { InvalidEmulation } from '@shardwalk/api-schema'
import { Builder, parseRoot, serializeBoc } from '@shardwalk/cells'
import { codeHashOf, readRequestedMessages, readTelegramRequest, TELEGRAM_WALLET } from '@shardwalk/contracts'
import { describe, expect, test } from 'vitest'
import type { NodeChain } from '../node-chain.ts'
import { readTonConnectRequest, readTraceRequest } from './read-requests.ts'

const ADDRESS = `0:${'11'.repeat(32)}`
const MESSAGE = { address: ADDRESS, amount: '1' }
const REQUEST = { from: ADDRESS, messages: [MESSAGE] }

const bytesOf = (body: object) => Buffer.from(JSON.stringify(body))
const tonConnect = (body: object) => readTonConnectRequest(bytesOf(body))

describe('null counts as absent', () => {
  test.each<[object, string]>([
    [{ ...REQUEST, from: null }, 'from address is required for emulation'],
    [{ ...REQUEST, messages: null }, 'messages array cannot be empty'],
    [{ ...REQUEST, messages: [null] }, 'message at index 0 cannot be empty'],
    [{ ...REQUEST, messages: [{ ...MESSAGE, address: null }] }, 'message at index 0 cannot be empty'],
    [
      { ...REQUEST, messages: [MESSAGE, { ...MESSAGE, amount: null }] },
      'amount in message at index 1 cannot be empty',
    ],
  ])('in %j', (body, problem) => {
    expect(() => tonConnect(body)).toThrow(`invalid request: ${problem}`)
  })

  test('in members that need not be there', () => {
    const nothing = { with_actions: null, include_code_data: null, include_metadata: null }
    const parts = { payload: null, stateInit: null }
    const request = { ...REQUEST, ...nothing, valid_until: null, from_state_init: null, mc_block_seqno: null }
    expect(tonConnect({ ...request, messages: [{ ...MESSAGE, ...parts }] })).toMatchObject({
      ...{ withActions: false, include_code_data: false, include_metadata: false, mcBlockSeqno: undefined },
    })
    const trace = bytesOf({ boc: null, ignore_chksig: null })
    expect(() => readTraceRequest(trace)).toThrow('invalid request: boc is required')
  })
})

test('a body of another shape is refused', () => {
  expect(() => tonConnect({ ...REQUEST, messages: {} })).toThrow('messages: Invalid input: expected array')
  expect(() => tonConnect({ ...REQUEST, messages: [5] })).toThrow(
    'messages.0: Invalid input: expected object',
  )
  expect(() => readTonConnectRequest(Buffer.from('null'))).toThrow('Invalid input: expected object')
})

describe('a request to a Telegram wallet', () => {
  const code = { hash: () => Buffer.from(codeHashOf('tg_wallet'), 'base64') }
  const data = new Builder().storeUint(0, 8).storeUint(7, 32).storeUint(0x7fff7f11, 32).storeUint(5, 256)
  const chain = {
    account: async () => ({ code, data: data.endCell() }),
    utime: 1_700_000_000,
  } as unknown as NodeChain
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, index) => `0:${index.toString(16).padStart(64, '0')}`.toUpperCase())
  const bodyFor = async (count: number) => {
    const messages = addresses(count).map((address) => ({ address, amount: '1' }))
    const { message } = await tonConnect({ ...REQUEST, messages, valid_until: 1_800_000_000 }).message(chain)
    return parseRoot(message.body)
  }

  test.each([1, 2, 4, 5, 8, 255])('of %i messages has all of them, in their order', async (count) => {
    const body = await bodyFor(count)
    const asked = readRequestedMessages(() => body.slice())
    expect(asked?.map((message) => message?.destination)).toEqual(addresses(count))
    expect(readTelegramRequest(body.slice())?.opcode).toBe(
      count === 1 ? TELEGRAM_WALLET.sendOneExternal : TELEGRAM_WALLET.sendBulkExternal,
    )
    const header = body.slice().skip(512 + 32)
    expect([1, 2, 3].map(() => header.loadUint(32))).toEqual([0x7fff7f11, 1_800_000_000, 7])
  })

  test('of more is refused', async () => {
    await expect(bodyFor(256)).rejects.toThrow('messages array cannot contain more than 255 messages')
  })
})

describe('what no wallet can send is refused as wrong', () => {
  /** Of a wallet of the kind; its code is never run. */
  function chainWith(kind: 'wallet_v3r2' | 'wallet_v4r2' | 'wallet_v5r1') {
    const code = { hash: () => Buffer.from(codeHashOf(kind), 'base64') }
    const data = new Builder().storeUint(1, 32).storeUint(1, 32).storeBytes(Buffer.alloc(32)).storeUint(0, 8)
    const account = async () => ({ code, data: data.endCell() })
    return { account, utime: 1_700_000_000 } as unknown as NodeChain
  }
  const composed = (kind: Parameters<typeof chainWith>[0], body: object) =>
    tonConnect({ ...REQUEST, ...body }).message(chainWith(kind))
  /** Whether a message is composed, or the request is refused as a wrong one. */
  const outcomeOf = (sending: Promise<unknown>) =>
    sending.then(
      () => 'composed',
      (error: unknown) => error instanceof InvalidEmulation && 'refused',
    )

  test.each(['wallet_v4r2', 'wallet_v5r1'] as const)('a time of more than 32 bits by a %s', async (kind) => {
    expect(await outcomeOf(composed(kind, { valid_until: 4_294_967_295 }))).toBe('composed')
    const late = composed(kind, { valid_until: 4_294_967_296 })
    await expect(late).rejects.toThrow('invalid request: the message cannot be composed: ')
    expect(await outcomeOf(late)).toBe('refused')
    expect(await outcomeOf(composed('wallet_v3r2', { valid_until: 4_294_967_296 }))).toBe('composed')
  })

  test('an address of a workchain that no address names', () => {
    const far = (workchain: number) => `${workchain}:${'11'.repeat(32)}`
    for (const workchain of [128, -129, 300]) {
      const error = `Invalid address format: ${far(workchain)}`
      const messages = [{ ...MESSAGE, address: far(workchain) }]
      expect(() => tonConnect({ ...REQUEST, messages })).toThrow(error)
      expect(() => tonConnect({ ...REQUEST, from: far(workchain) })).toThrow(error)
    }
    for (const workchain of [-128, 127]) tonConnect({ ...REQUEST, from: far(workchain) })
  })

  test('a state of a new wallet that is none', async () => {
    const state = new Builder().storeUint(31, 5).endCell()
    const from = `0:${state.hash().toString('hex')}`
    const from_state_init = serializeBoc(state).toString('base64')
    const chain = { account: async () => ({}), utime: 1 } as unknown as NodeChain
    const sending = tonConnect({ ...REQUEST, from, from_state_init }).message(chain)
    expect(await outcomeOf(sending)).toBe('refused')
  })
})

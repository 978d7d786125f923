import { describe, expect, test } from 'vitest'
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

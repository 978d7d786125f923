import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const NOBODY = '0:bcc5fc44c1b638c5270bb96b429dadc5ad4bf0678fd23a80893fdc192338fa3b'
const TESTER = '0:52809cc3529e8ba5db81edcabaf9f565d9bec3ab7891b4c2c208c3060c31d5b3'
const FROZEN = '-1:fd7d40faadc27eb50cd1f2ae5d6152db9e57551f776a5e880866b19e43f0b9d7'
const NO_HASH = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='
const EMPTY_CELL = 'te6cckEBAQEAAgAAAEysuc0='

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api.close())

const call = async (path: string, body?: object) => {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const reply = await fetch(`${api.base.replace('/v2', '/v3')}/${path}`, init)
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

describe('addressInformation', () => {
  test.each(['addressInformation', 'account'])('%s has all seven keys', async (name) => {
    const { status, body } = await call(`${name}?address=${WALLET}`)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual([
      'balance',
      'code',
      'data',
      'last_transaction_lt',
      'last_transaction_hash',
      'frozen_hash',
      'status',
    ])
    expect(body).toMatchObject({ balance: '2997161137569', frozen_hash: null, status: 'active' })
  })

  test('an account that never existed is uninit', async () => {
    expect((await call(`addressInformation?address=${NOBODY}`)).body).toEqual({
      balance: '0',
      code: null,
      data: null,
      last_transaction_lt: '0',
      last_transaction_hash: NO_HASH,
      frozen_hash: null,
      status: 'uninit',
    })
    const { body } = await call(`addressInformation?address=${NOBODY}&use_v2=true`)
    expect(body['status']).toBe('uninitialized')
  })

  test('a frozen account has its frozen hash', async () => {
    const { body } = await call(`addressInformation?address=${FROZEN}`)
    expect(body).toMatchObject({ status: 'frozen', frozen_hash: expect.stringMatching(/^.{43}=$/) })
  })

  test('parameters that wallets add are ignored; other unknown parameters are refused', async () => {
    expect((await call(`addressInformation?address=${NOBODY}&include_boc=true&seqno=5`)).status).toBe(200)
    expect(await call(`account?adress=${NOBODY}`)).toEqual({
      status: 422,
      body: { error: 'unknown parameter "adress"; did you mean "address"?', code: 422 },
    })
  })

  test('refusals have the statuses of the live service', async () => {
    expect(await call('addressInformation')).toEqual({
      status: 401,
      body: { error: 'address of account is required', code: 401 },
    })
    expect((await call('addressInformation?address=nonsense')).status).toBe(422)
    const elsewhere = await call(`addressInformation?address=5:${'00'.repeat(32)}`)
    expect(elsewhere.status).toBe(422)
    expect(elsewhere.body['error']).toMatch(/^VALIDATE_ACCOUNT_STATE: .*workchain 5/)
  })
})

test('walletInformation returns wallets and refuses other accounts', async () => {
  expect((await call(`walletInformation?address=${WALLET}`)).body).toMatchObject({
    balance: '2997161137569',
    wallet_type: 'wallet v4 r2',
    seqno: expect.any(Number),
    wallet_id: 698983191,
    status: 'active',
  })
  expect(await call(`wallet?address=${TESTER}`)).toEqual({
    status: 409,
    body: { error: 'not a wallet', code: 409 },
  })
  expect(await call(`wallet?address=${NOBODY}`)).toMatchObject({ status: 200, body: { status: 'uninit' } })
})

test.each(['walletInformation', 'wallet'])('%s of API v2 says uninitialized', async (name) => {
  expect(await call(`${name}?address=${NOBODY}&use_v2=true`)).toMatchObject({
    status: 200,
    body: { status: 'uninitialized' },
  })
})

test('runGetMethod accepts and returns objects', async () => {
  const stack = [
    { type: 'num', value: '0x28' },
    { type: 'num', value: '2' },
  ]
  expect((await call('runGetMethod', { address: TESTER, method: 'get_sum', stack })).body).toEqual({
    gas_used: 709,
    exit_code: 0,
    stack: [{ type: 'num', value: '0x2a' }],
  })
  expect((await call('runGetMethod', { method: 'seqno', stack: [] })).status).toBe(401)
  expect((await call('runGetMethod', { address: TESTER, method: 5, stack: [] })).status).toBe(422)
  const strange = [{ type: 'builder', value: '' }]
  expect((await call('runGetMethod', { address: TESTER, method: 'seqno', stack: strange })).status).toBe(422)
})

test('members of a JSON body match in any case, exact names before others', async () => {
  const Stack = ['40', '2'].map((VALUE) => ({ Type: 'num', VALUE }))
  expect((await call('runGetMethod', { Address: TESTER, METHOD: 'get_sum', Stack })).body).toEqual({
    gas_used: 709,
    exit_code: 0,
    stack: [{ type: 'num', value: '0x2a' }],
  })
  expect(await call('message', { Boc: 'AAAA' })).toEqual(await call('message', { boc: 'AAAA' }))
  expect(await call('message', { BOC: 'x', boc: 'AAAA' })).toEqual(await call('message', { boc: 'AAAA' }))
  expect(await call('estimateFee', { Address: WALLET, Body: EMPTY_CELL, Init_Code: '' })).toEqual(
    await call('estimateFee', { address: WALLET, body: EMPTY_CELL, init_code: '' }),
  )
})

describe('bodies that are not JSON', () => {
  const stack = [
    { type: 'num', value: '40' },
    { type: 'num', value: '2' },
  ]
  const fields = stack.flatMap(({ type, value }, index) => [
    [`stack[${index}][type]`, type],
    [`stack[${index}][value]`, value],
  ])
  const run = { address: TESTER, method: 'get_sum', stack }
  const fee = { address: WALLET, body: EMPTY_CELL, ignore_chksig: true }
  const xmlOf = (members: object): string =>
    Object.entries(members)
      .flatMap(([name, value]) =>
        [value].flat().map((one) => {
          const tag = (name[0]!.toUpperCase() + name.slice(1)).replace(/_(.)/, (_, c: string) =>
            c.toUpperCase(),
          )
          return `<${tag}>${typeof one === 'object' ? xmlOf(one) : one}</${tag}>`
        }),
      )
      .join('')
  const form = (members: readonly (readonly string[])[]) =>
    new URLSearchParams(members.map(([a, b]) => [a!, b!]))
  const multipart = (members: readonly (readonly string[])[]) => {
    const data = new FormData()
    for (const [name, value] of members) data.append(name!, value!)
    return data
  }
  const runFields = [['address', TESTER], ['Method', 'get_sum'], ...fields]
  const feeFields = [
    ['Address', WALLET],
    ['body', EMPTY_CELL],
    ['IgnoreChksig', 'true'],
    ['init_code', ''],
  ]
  const post = async (path: string, body: NonNullable<RequestInit['body']>, type?: string) => {
    const init = { method: 'POST', body, ...(type && { headers: { 'Content-Type': type } }) }
    const reply = await fetch(`${api.base.replace('/v2', '/v3')}/${path}`, init)
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }

  const SAME = [
    ['runGetMethod', run, form(runFields), undefined],
    ['runGetMethod', run, multipart(runFields), undefined],
    ['runGetMethod', run, `<a>${xmlOf(run)}</a>`, 'application/xml'],
    ['runGetMethod', run, JSON.stringify(run), 'application/x-www-form-urlencoded'],
    ['estimateFee', fee, form(feeFields), undefined],
    ['estimateFee', fee, multipart(feeFields), undefined],
    ['estimateFee', fee, `<a>${xmlOf(fee)}</a>`, 'text/xml; charset=utf-8'],
    ['message', { boc: 'AAAA' }, form([['boc', 'AAAA']]), undefined],
    ['message', { boc: 'AAAA' }, multipart([['BOC', 'AAAA']]), undefined],
    ['message', { boc: 'AAAA' }, '<V2SendMessageRequest><BOC>AAAA</BOC></V2SendMessageRequest>', 'text/xml'],
    ['message', {}, form([]), 'application/x-www-form-urlencoded'],
    [
      'message',
      { boc: 'b' },
      form([
        ['boc', 'a'],
        ['boc', 'b'],
      ]),
      undefined,
    ],
  ] as const
  test.each(SAME)('%s answers as for JSON: %#', async (path, json, body, type) => {
    expect(await post(path, body, type)).toEqual(await call(path, json))
  })

  test.each([
    ['<a><BOC>AAAA</BOC>', 'text/xml', /^XML: /],
    ['<!DOCTYPE a><a/>', 'text/xml', /^XML: document types/],
    ['--x\r\n', 'multipart/form-data; boundary=x', /^multipart: /],
  ])('a body that ends early or declares entities is refused: %s', async (text, type, error) => {
    expect(await post('message', text, type)).toMatchObject({
      status: 422,
      body: { code: 422, error: expect.stringMatching(error) },
    })
  })
})

test('estimateFee and message use the terms of v3', async () => {
  const fees = await call('estimateFee', { address: WALLET, body: EMPTY_CELL })
  expect(fees.body).toEqual({
    source_fees: { in_fwd_fee: 400000, storage_fee: expect.any(Number), gas_fee: 0, fwd_fee: 0 },
    destination_fees: [],
  })
  expect(await call('message', {})).toEqual({ status: 401, body: { error: 'boc is required', code: 401 } })
  expect((await call('message', { boc: EMPTY_CELL })).status).toBe(500)
  expect((await call('message', { boc: 'AAAA' })).status).toBe(422)
})

import { Builder } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { bodyFields, dataFields, optional, payloadFields, typeFields } from './body-fields.ts'

const HASH = Buffer.alloc(32, 0xab)
const ADDRESS = `0:${'AB'.repeat(32)}`

const storeAddress = (to: Builder): Builder => to.storeUint(0b100, 3).storeUint(0, 8).storeBytes(HASH)
const coins = (to: Builder, amount: number): Builder => to.storeUint(1, 4).storeUint(amount, 8)

test('fields are read by name, those between them passed over', () => {
  const body = storeAddress(coins(new Builder().storeUint(7, 64), 5))
  const read = bodyFields('jetton_transfer', { amount: 'amount', destination: 'address' })
  expect(read(body.endCell().slice())).toEqual({ amount: 5n, destination: ADDRESS })
})

test('a body that ends behind the last wanted field is read, one that ends before it is refused', () => {
  const body = coins(new Builder().storeUint(7, 64), 5).endCell()
  expect(bodyFields('jetton_transfer', { amount: 'amount' })(body.slice())).toEqual({ amount: 5n })
  const read = bodyFields('jetton_transfer', { destination: 'address' })
  expect(() => read(body.slice())).toThrow(DecodeError)
})

test('fields of a record without a name count as those of the body', () => {
  const inner = new Builder()
  for (const amount of [1, 2]) storeAddress(coins(inner, amount))
  const body = new Builder().storeUint(7, 64)
  for (let i = 0; i < 3; i++) storeAddress(body)
  const whole = body
    .storeUint(200, 32)
    .storeUint(0, 1)
    .storeRef(coins(new Builder(), 9).storeSlice(inner.endCell().slice()).endCell())
    .endCell()
  const read = bodyFields('stonfi_pay_to_v2', {
    exit_code: 'number',
    amount0_out: 'amount',
    amount1_out: 'amount',
  })
  expect(read(whole.slice())).toEqual({ exit_code: 200, amount0_out: 1n, amount1_out: 2n })
})

test('the rest of a record in line is passed over before the next field', () => {
  const pool = new Builder().storeUint(0, 2).storeUint(0, 2).storeUint(0, 3).storeUint(0, 1)
  const body = storeAddress(
    coins(new Builder().storeUint(7, 64), 5).storeSlice(pool.endCell().slice()),
  ).endCell()
  const read = bodyFields('coffee_create_pool', {
    params: { first: (slice) => slice.loadUint(2) },
    creation_params: { public: { recipient: 'address' } },
  })
  expect(read(body.slice())).toEqual({
    params: { first: 0 },
    creation_params: { public: { recipient: ADDRESS } },
  })
})

test('an optional reference is undefined when its bit is not set', () => {
  const head = () =>
    new Builder()
      .storeUint(7, 64)
      .storeUint(0, 2)
      .storeUint(0, 2)
      .storeUint(0, 32 + 64 - 64)
  const read = bodyFields('tonco_router_pay_to_normal', {
    coinsinfo_cell: optional({ amount0: 'amount' }),
  })
  const without = head().storeUint(0, 64).storeUint(0, 1).endCell()
  const within = head().storeUint(0, 64).storeUint(1, 1).storeRef(coins(new Builder(), 3).endCell()).endCell()
  expect(read(without.slice())).toEqual({ coinsinfo_cell: undefined })
  expect(read(within.slice())).toEqual({ coinsinfo_cell: { amount0: 3n } })
})

test('a name that the schema lacks, or another type, is refused when the reader is declared', () => {
  expect(() => bodyFields('no_such_body', {})).toThrow('no_such_body is not laid out')
  expect(() => payloadFields('jetton_transfer', {})).toThrow('is not laid out')
  expect(() => dataFields('jetton_transfer', {})).toThrow('is not laid out')
  expect(() => typeFields('CoffeeAsset', {})).toThrow('one constructor')
  expect(() => bodyFields('jetton_transfer', { sum: 'amount' })).toThrow('jetton_transfer has no sum')
  expect(() => bodyFields('jetton_transfer', { amount: 'address' })).toThrow('is varuint, not address')
  expect(() => bodyFields('jetton_transfer', { amount: optional({}) })).toThrow('is no optional reference')
})

test('nothing can be wanted behind a field without a known end', () => {
  expect(() => typeFields('TelemintUnsignedDeploy', { valid_till: 'number' })).not.toThrow()
  expect(() => typeFields('TelemintUnsignedDeploy', { content: 'cell' })).toThrow(
    'telemint_unsigned_deploy.token_name cannot be passed over',
  )
})

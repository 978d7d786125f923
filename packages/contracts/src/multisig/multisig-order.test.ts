import { readFileSync } from 'node:fs'
import { Builder, buildDict, type Cell, parseBoc, serializeBoc } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { parseMultisigOrder } from '../index.ts'

const facts = JSON.parse(
  readFileSync(new URL('../../../../fixtures/chain/facts.json', import.meta.url), 'utf8'),
)
const cellOf = (boc: string): Cell => {
  const bag = parseBoc(Buffer.from(boc, 'base64'))
  return bag.cell(bag.root)
}
const TO = { workchain: 0, hash: Buffer.alloc(32, 0xab) }
const orderOf = (...bodies: Builder[]): Cell => {
  const message = (body: Builder): Builder =>
    new Builder()
      .storeUint(0b0110, 4)
      .storeAddress(undefined)
      .storeAddress(TO)
      .storeCoins(5n)
      .storeBit(0)
      .storeCoins(0n)
      .storeCoins(0n)
      .storeUint(0, 96)
      .storeUint(0b01, 2)
      .storeRef(body.endCell())
  const action = (body: Builder): Builder =>
    new Builder().storeUint(0xf1381e5b, 32).storeUint(3, 8).storeRef(message(body).endCell())
  return buildDict(
    bodies.map((body, i) => [BigInt(i), new Builder().storeRef(action(body).endCell())]),
    8,
  ) as Cell
}

describe('orders', () => {
  test('every order of the sample network is parsed', () => {
    const types = new Set<string>()
    for (const { orders } of facts.multisigs) {
      for (const { order } of orders.filter((one: { order?: string }) => one.order)) {
        const actions = parseMultisigOrder(cellOf(order)) ?? []
        expect(actions.length).toBeGreaterThan(0)
        for (const action of actions) {
          expect(action.error).toBeNull()
          types.add(action.parsedBodyType)
        }
      }
    }
    expect([...types]).toEqual(
      expect.arrayContaining(['jetton_transfer', 'multisig_update_params', 'ton_transfer']),
    )
  })

  test('an executed order moves jettons with a comment', () => {
    const [action] = parseMultisigOrder(cellOf(facts.multisigs[0].orders[0].order)) ?? []
    expect(action).toMatchObject({
      sendMode: 1,
      parsedBodyType: 'jetton_transfer',
      parsedBody: {
        comment: 'jettons from the multisig',
        encrypted_comment: false,
        payload_sum_type: 'TextComment',
      },
    })
  })

  test('bodies have the names and fields of their opcodes, in key order', () => {
    const head = (opcode: number): Builder => new Builder().storeUint(opcode, 32).storeUint(7, 64)
    const actions = parseMultisigOrder(
      orderOf(
        new Builder().storeUint(0, 32).storeBytes(Buffer.from('hello')),
        new Builder(),
        head(0x595f07bc).storeCoins(9n).storeAddress(TO),
        head(0x235caf52).storeAddress(TO).storeCoins(1n).storeRef(head(0xeed236d3).endCell()),
        head(0xdeadbeef),
        new Builder().storeUint(0x595f07bc, 32),
      ),
    )
    const to = `0:${'AB'.repeat(32)}`
    expect(actions?.map(({ parsedBodyType, parsedBody }) => [parsedBodyType, parsedBody])).toEqual([
      ['ton_transfer', { comment: 'hello', encrypted: false }],
      ['ton_transfer', { comment: '', encrypted: false }],
      ['jetton_burn', { query_id: 7, amount: '9', response_destination: to }],
      [
        'jetton_call_to',
        {
          query_id: 7,
          to_address: to,
          ton_amount: '1',
          action_type: 'JettonSetStatus',
          action_data: expect.any(String),
        },
      ],
      ['unknown', { opcode: 0xdeadbeef, data: expect.stringMatching(/^te6cck/) }],
      ['unknown', { opcode: 0, data: expect.stringMatching(/^te6cck/) }],
    ])
    expect(actions?.[0]).toMatchObject({ destination: to, value: 5n, sendMode: 3 })
  })

  test('an unknown or broken action has an error; what is not an order gives undefined', () => {
    const odd = buildDict([[0n, new Builder().storeRef(new Builder().storeUint(7, 32).endCell())]], 8) as Cell
    expect(parseMultisigOrder(odd)).toMatchObject([
      { error: 'failed to parse order action: unknown order action type: 7', parsedBodyType: 'unknown' },
    ])
    const short = buildDict(
      [[0n, new Builder().storeRef(new Builder().storeUint(0xf1381e5b, 32).endCell())]],
      8,
    ) as Cell
    expect(parseMultisigOrder(short)?.[0]?.error).toMatch(/^failed to parse order action: /)
    expect(parseMultisigOrder(new Builder().storeUint(3, 2).endCell())).toBeUndefined()
    expect(serializeBoc(odd).length).toBeGreaterThan(0)
  })
})

import { readFileSync } from 'node:fs'
import { Builder, buildDict, type Cell, parseRoot, serializeBoc } from '@shardwalk/cells'
import { multisigOrder, orderAction } from '@shardwalk/testkit'
import { describe, expect, test } from 'vitest'
import { type OrderAction, parseMultisigOrder } from '../index.ts'

const facts = JSON.parse(
  readFileSync(new URL('../../../../fixtures/chain/facts.json', import.meta.url), 'utf8'),
)
const cellOf = (boc: string): Cell => {
  return parseRoot(Buffer.from(boc, 'base64'))
}
const parse = (order: Cell): OrderAction[] | undefined => {
  const actions = parseMultisigOrder(order)
  return actions && [...actions]
}
const TO = { workchain: 0, hash: Buffer.alloc(32, 0xab) }
const orderOf = (...bodies: Builder[]): Cell =>
  multisigOrder(bodies.map((body) => orderAction(TO, body.endCell())))

describe('orders', () => {
  test('every order of the sample network is parsed', () => {
    const types = new Set<string>()
    for (const { orders } of facts.multisigs) {
      for (const { order } of orders.filter((one: { order?: string }) => one.order)) {
        const actions = parse(cellOf(order)) ?? []
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
    const [action] = parse(cellOf(facts.multisigs[0].orders[0].order)) ?? []
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
    const actions = parse(
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

  test('a query id is an integer, whatever its size', () => {
    const top = (queryId: bigint): Builder => new Builder().storeUint(0x00009fd3, 32).storeUint(queryId, 64)
    const mint = new Builder()
      .storeUint(0x178d4519, 32)
      .storeUint(2n ** 64n - 1n, 64)
      .storeCoins(1n)
    const [safe, large, largest, minted] =
      parse(
        orderOf(
          top(2n ** 53n - 1n),
          top(2n ** 53n),
          top(2n ** 64n - 1n),
          new Builder()
            .storeUint(0x642b7d07, 32)
            .storeUint(2n ** 63n, 64)
            .storeAddress(TO)
            .storeCoins(2n)
            .storeRef(mint.endCell()),
        ),
      ) ?? []
    expect(safe?.parsedBody).toEqual({ query_id: Number.MAX_SAFE_INTEGER })
    expect(large?.parsedBody).toEqual({ query_id: 9007199254740992n })
    expect(largest?.parsedBody).toEqual({ query_id: 18446744073709551615n })
    expect(minted?.parsedBody).toMatchObject({
      query_id: 9223372036854775808n,
      master_msg_query_id: 18446744073709551615n,
    })
  })

  test('every other opcode of the API has its name and fields', () => {
    const parsed = parse(orderOf(...OTHER_BODIES.map(([body]) => body)))
    expect(parsed?.map(({ parsedBodyType, parsedBody }) => [parsedBodyType, parsedBody])).toEqual(
      OTHER_BODIES.map(([, type, fields]) => [type, fields]),
    )
  })

  test('an unknown or broken action has an error; what is not an order gives undefined', () => {
    const odd = buildDict([[0n, new Builder().storeRef(new Builder().storeUint(7, 32).endCell())]], 8) as Cell
    expect(parse(odd)).toMatchObject([
      { error: 'failed to parse order action: unknown order action type: 7', parsedBodyType: 'unknown' },
    ])
    const short = buildDict(
      [[0n, new Builder().storeRef(new Builder().storeUint(0xf1381e5b, 32).endCell())]],
      8,
    ) as Cell
    expect(parse(short)?.[0]?.error).toMatch(/^failed to parse order action: /)
    expect(parse(new Builder().storeUint(3, 2).endCell())).toBeUndefined()
    expect(serializeBoc(odd).length).toBeGreaterThan(0)
  })

  test('a body that all actions share is serialised once, and only when one of them is asked for', () => {
    const shared = new Builder().storeUint(1, 8).endCell()
    let reads = 0
    Object.defineProperty(shared, 'data', {
      get: () => {
        reads++
        return Buffer.from([1])
      },
    })
    const body = new Builder().storeUint(0xdeadbeef, 32).storeRef(shared).endCell()
    const actionCells = Array<Cell>(255).fill(orderAction(TO, body))
    const order = multisigOrder(actionCells)
    const actions = parseMultisigOrder(order)?.[Symbol.iterator]()
    expect(reads).toBe(0)
    expect(actions?.next().value).toMatchObject({ parsedBodyType: 'unknown' })
    const once = reads
    expect(once).toBeGreaterThan(0)
    for (let i = 1; i < actionCells.length; i++) expect(actions?.next().value.body).toMatch(/^te6cck/)
    expect(reads).toBe(once)
  })
})

const op = (opcode: number): Builder => new Builder().storeUint(opcode, 32).storeUint(7, 64)
const text = (opcode: number, words: string): Builder =>
  new Builder().storeUint(opcode, 32).storeBytes(Buffer.from(words))
const transfer = (payload: Builder): Builder =>
  op(0x0f8a7ea5)
    .storeCoins(9n)
    .storeAddress(TO)
    .storeAddress(TO)
    .storeBit(false)
    .storeCoins(1n)
    .storeBit(true)
    .storeRef(payload.endCell())

const MINT = new Builder().storeUint(0x178d4519, 32).storeUint(8, 64).storeCoins(100n).endCell()
const SWAP = new Builder()
  .storeUint(0x25938561, 32)
  .storeAddress(TO)
  .storeCoins(1_500_000_000n)
  .storeAddress(TO)
/** Out of a vesting contract, with a comment. */
const RENT = new Builder()
  .storeUint(0b010000, 6)
  .storeAddress(TO)
  .storeCoins(5n)
  .storeUint(0, 1 + 4 + 4 + 64 + 32 + 2)
  .storeUint(0, 32)
  .storeBytes(Buffer.from('rent'))
  .endCell()

const query_id = 7
const to = `0:${'AB'.repeat(32)}`
const boc = expect.stringMatching(/^te6cck/)
const transferred = {
  ...{ query_id, amount: '9', destination: to, response: to, custom_payload: null },
  ...{ forward_amount: '1', forward_payload: boc, comment: '', encrypted_comment: false },
}
const noSwap = { ...transferred, stonfi_swap_body: null }

const OTHER_BODIES: readonly (readonly [body: Builder, type: string, fields: object])[] = [
  [
    op(0x642b7d07).storeAddress(TO).storeCoins(2n).storeRef(MINT),
    'jetton_mint',
    {
      ...{ opcode: 0x642b7d07, query_id, to_address: to, ton_amount: '2' },
      ...{ master_msg_query_id: 8, master_msg_jetton_amount: '100' },
    },
  ],
  [op(0x15).storeAddress(TO).storeCoins(2n).storeRef(MINT), 'unknown', { opcode: 0, data: boc }],
  [
    op(0x5fcc3d14).storeAddress(TO).storeAddress(TO).storeBit(false).storeCoins(1n).storeBit(false),
    'nft_transfer',
    {
      ...{ query_id, new_owner: to, response_destination: to, custom_payload: null },
      ...{ forward_amount: '1', forward_payload: null },
    },
  ],
  [text(0x2167da4b, 'sealed'), 'ton_transfer', { comment: 'sealed', encrypted: true }],
  [op(0x9fd3), 'jetton_top_up', { query_id }],
  [op(0x6501f354).storeAddress(TO), 'jetton_change_admin', { query_id, new_admin_address: to }],
  [op(0xfb88e119), 'jetton_claim_admin', { query_id }],
  [
    op(0xcb862902).storeBytes(Buffer.from('https://a')),
    'jetton_change_content',
    { query_id, new_metadata_url: 'https://a' },
  ],
  [op(0xeed236d3).storeUint(3, 4), 'jetton_set_status', { query_id, new_status: 3 }],
  [op(0x1000).storeCoins(4n), 'single_nominator_withdraw', { query_id, coins: '4' }],
  [op(0x1001).storeAddress(TO), 'single_nominator_change_validator', { query_id, validator_address: to }],
  [
    op(0x75097f5d).storeUint(3, 8).storeRef(RENT),
    'vesting_internal_transfer',
    { query_id, send_mode: 3, destination: to, value: '5', message_body: boc, comment: 'rent' },
  ],
  [
    transfer(SWAP),
    'jetton_transfer',
    {
      ...{ ...transferred, payload_sum_type: 'StonfiSwap' },
      stonfi_swap_body: { jetton_wallet: to, min_amount: '1.5', user_address: to },
    },
  ],
  [transfer(new Builder().storeUint(1, 8)), 'jetton_transfer', { ...noSwap, payload_sum_type: 'Unknown' }],
  [transfer(text(0, 'hi')), 'jetton_transfer', { ...noSwap, comment: 'hi', payload_sum_type: 'TextComment' }],
  [transfer(new Builder()), 'jetton_transfer', { ...noSwap, payload_sum_type: '' }],
  [new Builder().storeUint(0, 31), 'ton_transfer', { comment: '', encrypted: false }],
]

import { toMultisigOrderReply } from '@shardwalk/api-schema'
import { Builder, type Cell, serializeBoc } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import { multisigOrder, orderAction } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ReplySize, UNLIMITED } from '../reply-size.ts'
import { expectOrders, readActionsOf } from './order-actions.ts'

const MEBIBYTE = 1_048_576
const TO: RawAddress = { workchain: 0, hash: Buffer.alloc(32, 0xab) }
const KEYS = Array.from({ length: 255 }, (_, i) => i)

/** 255 cells of 120 bytes, which all actions share. */
const large = KEYS.reduce<Cell>(
  (tail, i) => new Builder().storeBytes(Buffer.alloc(120, i)).storeRef(tail).endCell(),
  new Builder().endCell(),
)

/** An order with one action for each of the bodies. */
function rowOf(bodies: readonly Builder[]) {
  const order = multisigOrder(bodies.map((body) => orderAction(TO, body.endCell())))
  return {
    row_no: 1n,
    account_id: 1n,
    multisig_id: 2n,
    order_seqno: '0',
    threshold: 1,
    sent_for_execution: false,
    approvals_mask: '0',
    approvals_num: 0,
    expiration_date: 0n,
    order_boc: serializeBoc(order),
    signers: [],
    lt: 1n,
    code_hash: null,
    data_hash: null,
  }
}

const unknownBody = (i: number): Builder =>
  new Builder().storeUint(0xdeadbeef, 32).storeUint(i, 32).storeRef(large)
/** Prints about 10 MB. */
const expanding = rowOf(KEYS.slice(0, 120).map(unknownBody))

/** Notes what is held. */
function limited(size: ReplySize) {
  const held: number[] = []
  return { held, limits: { size, hold: (bytes: number) => void held.push(bytes) } }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

test('an order that prints hundreds of times its size is refused before all of it is read', async () => {
  const { held, limits } = limited(new ReplySize(MEBIBYTE))
  expect(expanding.order_boc.length).toBeLessThan(MEBIBYTE / 16)
  await expect(readActionsOf(limits, [expanding])).rejects.toMatchObject({
    name: 'ReplyTooLarge',
    message: expect.stringContaining('lower `limit` or leave out `parse_actions`'),
  })
  expect(sumOf(held)).toBeLessThan(MEBIBYTE)
})

test('the actions of many orders are bounded together, in exports too', async () => {
  const { limits } = limited(UNLIMITED)
  await expect(readActionsOf(limits, [expanding])).resolves.toBeDefined()
  await expect(readActionsOf(limits, [expanding, expanding])).rejects.toMatchObject({ name: 'ReplyTooLarge' })
})

test('memory is held for large actions, and none for small ones', async () => {
  const { held, limits } = limited(new ReplySize())
  await readActionsOf(limits, [rowOf([new Builder().storeUint(0, 32)])])
  expect(held).toEqual([])
  const { views } = await readActionsOf(limits, [expanding])
  const printed = JSON.stringify(views[0]!.actions).length
  expect(sumOf(held)).toBeGreaterThan(printed - 2 * 65_536)
})

test('others get their turn between the actions of an order', async () => {
  let turns = 0
  let isDone = false
  const next = () => {
    turns++
    if (!isDone) setImmediate(next)
  }
  setImmediate(next)
  await readActionsOf(limited(new ReplySize()).limits, [expanding])
  isDone = true
  expect(turns).toBeGreaterThan(5)
})

test('each address that actions name is given once, and an order that is none has no actions', async () => {
  const { limits } = limited(new ReplySize())
  const burn = new Builder().storeUint(0x595f07bc, 32).storeUint(7, 64).storeCoins(9n)
  const broken = { ...expanding, order_boc: serializeBoc(new Builder().storeUint(3, 2).endCell()) }
  const row = rowOf([burn.storeAddress({ workchain: -1, hash: TO.hash }), new Builder()])
  const { views, named } = await readActionsOf(limits, [row, broken])
  expect(named).toEqual([TO, { workchain: -1, hash: TO.hash }])
  expect(views.map(({ actions }) => actions?.length ?? null)).toEqual([2, null])
})

test('a query id beyond 2^53 is printed as an integer', async () => {
  const { limits } = limited(new ReplySize())
  const topUp = new Builder().storeUint(0x00009fd3, 32).storeUint(2n ** 64n - 1n, 64)
  const { views } = await readActionsOf(limits, [rowOf([topUp])])
  const reply = toMultisigOrderReply(views[0]!, String)
  expect(reply).toContain('"parsed_body":{"query_id":18446744073709551615}')
})

test('orders are refused by their number, their bags or their signers', () => {
  const { held, limits } = limited(UNLIMITED)
  const few = { orders: 1000, bocBytes: MEBIBYTE, signers: 2000 }
  expectOrders(limits, few, 'ask for less')
  expect(sumOf(held)).toBeGreaterThan(2 * MEBIBYTE)
  for (const much of [{ orders: 50_000 }, { bocBytes: 13 * MEBIBYTE }, { signers: 400_000 }])
    expect(() => expectOrders(limits, { ...few, ...much }, 'ask for less')).toThrow('ask for less')
})

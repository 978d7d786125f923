import { Builder, buildDict, type Cell, EMPTY_CELL } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { actionFees } from './action-fees.ts'

const SENDER = { workchain: 0, hash: Buffer.alloc(32) }
const SEND_MESSAGE = 0x0ec3c86d
const SET_CODE = 0xad4de08e

/** block.tlb `msg_forward_prices#ea` of the basechain: 400,000 for a message of one cell. */
const PRICES = new Builder().storeUint(0xea, 8).storeUint(400_000, 64).storeUint(0, 192).endCell()
const CONFIG = {
  configAddress: Buffer.alloc(32),
  root: buildDict([[25, new Builder().storeRef(PRICES)]], 32)!.slice(),
}
/** block.tlb `int_msg_info$0` without StateInit and body. */
const MESSAGE = new Builder()
  .storeUint(0b0110, 4)
  .storeAddress(undefined)
  .storeAddress(SENDER)
  .storeUint(0, 4 + 1 + 4 + 4 + 64 + 32 + 1 + 1)
  .endCell()
const send = () => new Builder().storeUint(SEND_MESSAGE, 32).storeUint(3, 8).storeRef(MESSAGE)
const setCode = () => new Builder().storeUint(SET_CODE, 32).storeRef(EMPTY_CELL)
/** block.tlb `out_list$_ prev:^(OutList n) action:OutAction`. */
const listOf = (actions: readonly Builder[]) =>
  actions.reduce((list, action) => new Builder().storeRef(list).storeBuilder(action).endCell(), EMPTY_CELL)
const feesOf = (list: Cell) => actionFees(CONFIG, SENDER, list)

test('every message of a list costs its fee, other actions nothing, up to the 255 that a node allows', () => {
  expect(feesOf(EMPTY_CELL)).toBe(0n)
  expect(feesOf(listOf([setCode(), send(), setCode(), send()]))).toBe(800_000n)
  const sends = Array.from({ length: 255 }, send)
  expect(feesOf(listOf(sends))).toBe(255n * 400_000n)
  expect(() => feesOf(listOf([...sends, setCode()]))).toThrow('too many actions')
})

test('a contract may leave anything in c5, which is refused and no fault of ours', () => {
  const junk = new Builder().storeRef(EMPTY_CELL)
  const cut = new Builder().storeRef(EMPTY_CELL).storeUint(SEND_MESSAGE, 32)
  for (const list of [junk, cut])
    expect(() => feesOf(list.endCell())).toThrow(expect.objectContaining({ code: 'fees_not_estimated' }))
})

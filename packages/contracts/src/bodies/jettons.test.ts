import { Builder, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { JETTON_MOVES, jettonBalanceChange } from '../index.ts'

const INTERNAL_TRANSFER = 0x178d4519
const BURN_NOTIFICATION = 0x7bdd97de
const body = (opcode: number, amount = 1_000n): Cell =>
  new Builder().storeUint(opcode, 32).storeUint(7, 64).storeCoins(amount).endCell()

const oldBounce = (sent: Cell): Cell => new Builder().storeUint(0xffffffff, 32).storeCell(sent).endCell()

/** block.tlb `new_bounce_body#fffffffe`, the original body whole or only its first cell. */
function newBounce(sent: Cell): Cell {
  const info = new Builder().storeCoins(5n).storeBit(false).storeUint(9, 64).storeUint(100, 32).endCell()
  return new Builder()
    .storeUint(0xfffffffe, 32)
    .storeRef(sent)
    .storeRef(info)
    .storeUint(1, 8)
    .storeInt(37, 32)
    .storeBit(false)
    .endCell()
}

test.each([
  ['its first 256 bits', oldBounce],
  ['a reference to its body', newBounce],
])('a wallet takes back what it sent from a message that bounces with %s', (_, bounce) => {
  const change = (sent: Cell) => jettonBalanceChange(bounce(sent).slice())
  expect(change(body(INTERNAL_TRANSFER))).toBe(1_000n)
  expect(change(body(BURN_NOTIFICATION))).toBe(1_000n)
  expect(change(body(0x0f8a7ea5))).toBeUndefined()
  expect(change(new Builder().storeUint(1, 8).endCell())).toBeUndefined()
  expect(JETTON_MOVES).toContain(bounce(body(INTERNAL_TRANSFER)).slice().loadUint(32))
})

import { Builder, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { readRootMessage } from './read-message.ts'

const address = { workchain: 0, hash: Buffer.alloc(32, 7) }

/** block.tlb `int_msg_info$0`, bounceable, with that source. */
const internal = (source: typeof address | undefined): Cell =>
  new Builder()
    .storeUint(0b0110, 4)
    .storeAddress(source)
    .storeAddress(address)
    .storeCoins(5n)
    .storeBit(false)
    .storeCoins(0n)
    .storeCoins(0n)
    .storeUint(0, 64 + 32)
    .storeUint(0, 2)
    .endCell()

test('an internal message without a source is read as one from the address of zeros', () => {
  const zeros = { workchain: 0, hash: Buffer.alloc(32) }
  const { cell, message } = readRootMessage(internal(undefined))
  expect(cell.hash()).toEqual(internal(zeros).hash())
  expect(message).toMatchObject({ source: zeros, destination: address, bounce: true, value: 5n })
  expect(readRootMessage(internal(address)).message.source).toEqual(address)
})

test('what is no message to an account is refused', () => {
  const code = (cell: Cell) => {
    try {
      return readRootMessage(cell)
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  // block.tlb `ext_out_msg_info$11`
  const out = new Builder()
    .storeUint(0b11, 2)
    .storeAddress(address)
    .storeUint(0, 2 + 96 + 2)
    .endCell()
  const nowhere = new Builder()
    .storeUint(0b1000, 4)
    .storeUint(0, 2 + 4 + 2)
    .endCell()
  let deep = new Builder().endCell()
  for (let depth = 0; depth < 512; depth++) deep = new Builder().storeUint(8, 4).storeRef(deep).endCell()
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
  expect(code(out)).toBe('message_out')
  expect(
    [new Builder().endCell(), nowhere, deep, library, new Builder().storeUint(1, 4).endCell()].map(code),
  ).toEqual(Array(5).fill('message_malformed'))
})

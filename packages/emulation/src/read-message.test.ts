import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { readRootMessage } from './read-message.ts'

const address = { workchain: 0, hash: Buffer.alloc(32, 7) }

interface Rest {
  readonly currencies?: Cell | undefined
  readonly createdLt?: bigint
  readonly init?: Cell
  readonly body?: Cell | undefined
}

/** block.tlb `int_msg_info$0`, bounceable, with that source. */
const internal = (
  source: typeof address | undefined,
  { currencies, createdLt = 0n, init, body }: Rest = {},
): Cell => {
  const builder = new Builder()
    .storeUint(0b0110, 4)
    .storeAddress(source)
    .storeAddress(address)
    .storeCoins(5n)
    .storeMaybeRef(currencies)
    .storeCoins(0n)
    .storeCoins(0n)
    .storeUint(createdLt, 64)
    .storeUint(0, 32)
    .storeBit(init !== undefined)
  if (init) builder.storeBit(true).storeRef(init)
  return builder.storeMaybeRef(body).endCell()
}

const codeOf = (cell: Cell): unknown => {
  try {
    return readRootMessage(cell)
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('an internal message without a source is read as one from the address of zeros', () => {
  const zeros = { workchain: 0, hash: Buffer.alloc(32) }
  const { cell, message } = readRootMessage(internal(undefined))
  expect(cell.hash()).toEqual(internal(zeros).hash())
  expect(message).toMatchObject({ source: zeros, destination: address, bounce: true, value: 5n })
  expect(readRootMessage(internal(address)).message.source).toEqual(address)
})

test('what is no message to an account is refused', () => {
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
  expect(codeOf(out)).toBe('message_out')
  expect(
    [new Builder().endCell(), nowhere, deep, library, new Builder().storeUint(1, 4).endCell()].map(codeOf),
  ).toEqual(Array(5).fill('message_malformed'))
})

test('what no node would make of a message to an account is refused before it is run', () => {
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
  const currencies = (amount: bigint) => buildDict([[100, new Builder().storeVarUint(amount, 5)]], 32)
  const init = (bits: number) => new Builder().storeUint(0, bits).endCell()
  const possible: readonly Rest[] = [
    { createdLt: 1n << 62n },
    { currencies: currencies(1n) },
    { init: init(5) },
    { body: new Builder().storeRef(library).endCell() },
  ]
  for (const rest of possible) expect(codeOf(internal(address, rest))).toHaveProperty('message')
  const impossible: readonly Rest[] = [
    { createdLt: (1n << 64n) - 1n },
    { currencies: currencies(0n) },
    ...[library, init(4), init(6)].map((cell) => ({ init: cell })),
    { body: library },
  ]
  expect(impossible.map((rest) => codeOf(internal(address, rest)))).toEqual(
    Array(impossible.length).fill('message_malformed'),
  )
})

import { Builder, buildDict, type Cell, EMPTY_CELL } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { buildExtraCurrencies } from '@shardwalk/tlb'
import { describe, expect, test } from 'vitest'
import { messageFee } from './message-fee.ts'

const account = (workchain: number): RawAddress => ({ workchain, hash: Buffer.alloc(32, 7) })
const BASE = account(0)
const MASTER = account(-1)

/** block.tlb `msg_forward_prices#ea`, as on mainnet: of each fee, a third is taken at once. */
const prices = (lump: bigint, bit: bigint, cell: bigint) =>
  new Builder()
    .storeUint(0xea, 8)
    .storeUint(lump, 64)
    .storeUint(bit << 16n, 64)
    .storeUint(cell << 16n, 64)
    .storeUint(98304, 32)
    .storeUint(21845, 16)
    .storeUint(21845, 16)
    .endCell()
const CONFIG = {
  configAddress: Buffer.alloc(32),
  root: buildDict(
    [
      [24n, new Builder().storeRef(prices(10_000_000n, 4000n, 1_000_000n))],
      [25n, new Builder().storeRef(prices(400_000n, 400n, 100_000n))],
    ],
    32,
  )!.slice(),
}
const BIT = 400n
const CELL = 100_000n
const LUMP = 400_000n

const bits = (count: number): Builder => {
  const builder = new Builder()
  for (let i = 0; i < count; i++) builder.storeBit(i % 3 === 0)
  return builder
}

interface Message {
  readonly from?: RawAddress
  readonly to?: RawAddress
  readonly extra?: Cell
  readonly init?: Builder
  /** The bit before it included. */
  readonly body?: Builder
}

/** block.tlb `int_msg_info$0` with a value of one TON, as contracts make it: without fee and time. */
function internal({ from, to = BASE, extra, init, body }: Message): Cell {
  const info = new Builder()
    .storeUint(0b0110, 4)
    .storeAddress(from)
    .storeAddress(to)
    .storeCoins(1_000_000_000n)
  info.storeMaybeRef(extra).storeCoins(0n).storeCoins(0n).storeUint(0, 96)
  if (init) info.storeUint(0b10, 2).storeBuilder(init)
  else info.storeBit(0)
  return info.storeBuilder(body ?? bits(0).storeBit(0)).endCell()
}
const inLine = (content: Builder) => new Builder().storeBit(0).storeBuilder(content)
const aside = (content: Builder) => new Builder().storeBit(1).storeRef(content.endCell())
/** block.tlb `StateInit` with code and data. */
const INIT = new Builder().storeUint(0b00110, 5).storeRef(bits(30).endCell()).storeRef(bits(40).endCell())
const INIT_CELLS = 2n * CELL + 70n * BIT

const fee = (message: Cell, sender = BASE): bigint => messageFee(CONFIG, sender, message)

describe('the fee of a message', () => {
  test('is for what is below its root cell, where equal cells count once', () => {
    expect(fee(internal({ body: inLine(bits(100)) }))).toBe(LUMP)
    const twice = bits(50).storeRef(bits(20).endCell()).storeRef(bits(20).endCell())
    expect(fee(internal({ body: aside(twice) }))).toBe(LUMP + 2n * CELL + 70n * BIT)
  })

  test('is that of the masterchain on either side of it', () => {
    for (const [from, to] of [
      [BASE, MASTER],
      [MASTER, BASE],
      [MASTER, MASTER],
    ] as const)
      expect(fee(internal({ to }), from)).toBe(10_000_000n)
  })

  test('does not depend on extra currencies', () => {
    const extra = buildExtraCurrencies(new Map([[100, 5n]]))!
    const body = aside(bits(60))
    expect(fee(internal({ extra, body }))).toBe(fee(internal({ body })))
  })

  test('of an event is that of the chain of its sender', () => {
    const event = new Builder().storeUint(0b11, 2).storeUint(0, 2).storeUint(0, 2).storeUint(0, 96)
    const message = event
      .storeBit(0)
      .storeBuilder(aside(bits(80)))
      .endCell()
    expect(fee(message)).toBe(LUMP + CELL + 80n * BIT)
    expect(fee(message, MASTER)).toBe(11_320_000n)
  })
})

describe('what has no room once source and fee are filled in is moved to a cell, which is paid for', () => {
  /** Flags, addresses, value, no extra currencies, extra flags, a fee of three bytes, lt, time, no init. */
  const COMPLETE = 4 + 267 + 267 + (4 + 32) + 1 + 4 + (4 + 24) + 64 + 32 + 1
  const room = 1023 - COMPLETE - 1

  test('a body', () => {
    expect(fee(internal({ body: inLine(bits(room)) }))).toBe(LUMP)
    const longer = LUMP + CELL + BigInt(room + 1) * BIT
    expect(fee(internal({ body: inLine(bits(room + 1)) }))).toBe(longer)
    expect(fee(internal({ from: BASE, body: inLine(bits(room + 1)) }))).toBe(longer)
  })

  test('a StateInit with several references, and the body only if that is not enough', () => {
    const saved = 5
    const initAside = LUMP + INIT_CELLS + CELL + 5n * BIT
    const of = (count: number) => fee(internal({ init: INIT, body: inLine(bits(count)) }))
    expect(of(room - 1 - saved)).toBe(LUMP + INIT_CELLS)
    expect(of(room - saved)).toBe(initAside)
    expect(of(room - 1)).toBe(initAside)
    expect(of(room)).toBe(initAside + CELL + BigInt(room) * BIT)
  })

  test('the body alone if the StateInit has one reference', () => {
    const init = new Builder().storeUint(0b00100, 5).storeRef(bits(30).endCell())
    const [count, code] = [room, CELL + 30n * BIT]
    const longer = LUMP + code + CELL + BigInt(count) * BIT
    expect(fee(internal({ init, body: inLine(bits(count)) }))).toBe(longer)
  })

  test('as the recorded one with a body of 409 bits, 1,417,600 instead of 1,214,000', () => {
    const cheap = {
      ...CONFIG,
      root: buildDict([[25n, new Builder().storeRef(prices(LUMP, BIT, 40_000n))]], 32)!,
    }
    const chain = Array.from({ length: 8 }).reduce<Cell>(
      (below, _, i) =>
        bits(120 + i)
          .storeRef(below)
          .endCell(),
      bits(147).endCell(),
    )
    const sizes = { ...cheap, root: cheap.root.slice() }
    const message = (content: Builder) => messageFee(sizes, BASE, internal({ body: inLine(content) }))
    expect(message(bits(300).storeRef(chain))).toBe(1_214_000n)
    expect(message(bits(409).storeRef(chain))).toBe(1_417_600n)
  })
})

test.each([EMPTY_CELL, bits(300).endCell(), internal({ body: new Builder().storeBit(1) })])(
  'a message that cannot be read is none',
  (message) => {
    expect(() => fee(message)).toThrow(DecodeError)
  },
)

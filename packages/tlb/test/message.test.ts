import { Builder, buildDict, type Cell, parseBoc, serializeBoc } from '@shardwalk/cells'
import type { DecodedMessage } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { loadMessage } from '../src/index.ts'

const DESTINATION = { workchain: 0, hash: Buffer.alloc(32, 0x5a) }
const BODY = new Builder().storeUint(0x7369676e, 32).storeUint(42, 64)

interface ExternalIn {
  readonly inlineBody: boolean
  readonly importFee?: bigint
  readonly init?: 'inline' | 'referenced'
}

const INIT = () =>
  new Builder()
    .storeUint(0b00110, 5)
    .storeRef(new Builder().storeUint(1, 8).endCell())
    .storeRef(new Builder().storeUint(2, 8).endCell())

function externalIn({ inlineBody, importFee = 0n, init }: ExternalIn): Cell {
  const builder = new Builder()
    .storeUint(0b10, 2)
    .storeAddress(undefined)
    .storeAddress(DESTINATION)
    .storeCoins(importFee)
  builder.storeBit(init !== undefined)
  if (init === 'inline') builder.storeBit(0).storeBuilder(INIT())
  if (init === 'referenced') builder.storeBit(1).storeRef(INIT().endCell())
  builder.storeBit(!inlineBody)
  return (inlineBody ? builder.storeBuilder(BODY) : builder.storeRef(BODY.endCell())).endCell()
}

/** The same message read from memory and from a file must not differ. */
function load(cell: Cell): DecodedMessage {
  const bag = parseBoc(serializeBoc(cell))
  const message = loadMessage(bag.slice(bag.root))
  expect(loadMessage(cell.slice())).toEqual(message)
  return message
}

const PLAIN = externalIn({ inlineBody: false })

test('all forms of an external message have one normalised hash; the normal form has only that', () => {
  const normal = load(PLAIN)
  expect(normal.hash).toEqual(PLAIN.hash())
  expect(normal.hashNorm).toBeUndefined()
  const forms: readonly ExternalIn[] = [
    { inlineBody: true },
    { inlineBody: false, importFee: 12345n },
    { inlineBody: true, init: 'inline' },
    { inlineBody: false, init: 'referenced' },
  ]
  for (const form of forms) {
    const message = load(externalIn(form))
    expect(message.hash).not.toEqual(PLAIN.hash())
    expect(message.hashNorm).toEqual(PLAIN.hash())
    expect(message).toMatchObject({ kind: 'external_in', destination: DESTINATION, opcode: 0x7369676e })
    expect(message.bodyHash).toEqual(BODY.endCell().hash())
  }
})

test('a state init has the same hash and bytes in line and in a reference', () => {
  const inline = load(externalIn({ inlineBody: true, init: 'inline' }))
  const referenced = load(externalIn({ inlineBody: true, init: 'referenced' }))
  expect(inline.initStateHash).toEqual(INIT().endCell().hash())
  expect(inline.initState).toEqual(serializeBoc(INIT().endCell()))
  expect(referenced.initState).toEqual(inline.initState)
})

test('an exotic body is kept unchanged and has no opcode', () => {
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32, 7)).endCell({ exotic: true })
  const cell = new Builder()
    .storeUint(0b10, 2)
    .storeAddress(undefined)
    .storeAddress(DESTINATION)
    .storeCoins(0n)
    .storeUint(0b01, 2)
    .storeRef(library)
    .endCell()
  const message = load(cell)
  expect(message.opcode).toBeUndefined()
  expect(message.bodyHash).toEqual(library.hash())
  expect(message.body).toEqual(serializeBoc(library))
})

test('an exotic state init is kept unchanged', () => {
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32, 7)).endCell({ exotic: true })
  const builder = new Builder()
    .storeUint(0b10, 2)
    .storeAddress(undefined)
    .storeAddress(DESTINATION)
    .storeCoins(0n)
  const message = load(builder.storeUint(0b11, 2).storeRef(library).storeBit(0).storeUint(5, 31).endCell())
  expect(message.initStateHash).toEqual(library.hash())
  expect(message.opcode).toBeUndefined()
})

test('an external-out message keeps the bits of its destination', () => {
  const bits = { bits: 11, bytes: Buffer.from([0xab, 0xc0]) }
  const builder = new Builder()
    .storeUint(0b11, 2)
    .storeAddress(DESTINATION)
    .storeAddress({ type: 'extern', bits })
  const message = load(builder.storeUint(77n, 64).storeUint(88, 32).storeUint(0, 2).endCell())
  expect(message).toMatchObject({
    kind: 'external_out',
    source: DESTINATION,
    externalDestination: bits,
    createdLt: 77n,
    createdAt: 88,
  })
  expect(message.destination).toBeUndefined()
})

test('an internal message with every field set is read field by field', () => {
  const anycast = { bits: 4, bytes: Buffer.from([0xf0]) }
  const currencies = buildDict([[239, new Builder().storeVarUint(5n, 5)]], 32)
  const builder = new Builder()
    .storeUint(0b0101, 4)
    .storeAddress(DESTINATION)
    .storeAddress({ type: 'std', address: { workchain: -1, hash: Buffer.alloc(32) }, anycast })
    .storeCoins(10n ** 18n)
    .storeMaybeRef(currencies)
    .storeCoins(3n)
    .storeCoins(400000n)
    .storeUint((1n << 63n) + 5n, 64)
    .storeUint(0xffffffff, 32)
    .storeUint(0, 2)
  expect(load(builder.endCell())).toMatchObject({
    kind: 'internal',
    ihrDisabled: true,
    bounce: false,
    bounced: true,
    source: DESTINATION,
    destination: { workchain: -1, hash: Buffer.concat([Buffer.from([0xf0]), Buffer.alloc(31)]) },
    value: 10n ** 18n,
    valueExtraCurrencies: new Map([[239, 5n]]),
    ihrFeeOrExtraFlags: 3n,
    fwdFee: 400000n,
    createdLt: (1n << 63n) + 5n,
    createdAt: 0xffffffff,
  })
})

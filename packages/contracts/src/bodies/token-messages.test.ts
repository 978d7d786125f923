import { Builder, type Cell, parseBoc } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { traceMessages } from '../../test/trace-fixtures.ts'
import {
  decodeBody,
  readComment,
  readJettonBurn,
  readJettonNotification,
  readJettonTransfer,
  readNftTransfer,
} from '../index.ts'

const OWNER = { workchain: 0, hash: Buffer.alloc(32, 7) }
const comment = (text: string): Cell => new Builder().storeUint(0, 32).storeBytes(Buffer.from(text)).endCell()
const transferHead = (): Builder =>
  new Builder()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(9, 64)
    .storeCoins(1000n)
    .storeAddress(OWNER)
    .storeAddress(undefined)
    .storeMaybeRef(comment('custom'))
    .storeCoins(5n)

describe('token messages', () => {
  test('a jetton transfer gives every field, the payload from its reference', () => {
    const transfer = readJettonTransfer(transferHead().storeBit(1).storeRef(comment('hi')).endCell().slice())
    expect(transfer).toMatchObject({
      queryId: 9n,
      amount: 1000n,
      destination: OWNER,
      forwardTonAmount: 5n,
      isIrregular: false,
    })
    expect(transfer?.responseDestination).toBeUndefined()
    expect(readComment(transfer!.customPayload!)).toEqual({ text: 'custom' })
    expect(readComment(transfer!.forwardPayload!)).toEqual({ text: 'hi' })
  })

  test('an inline payload becomes a cell of its own; an empty one counts as none', () => {
    const inline = readJettonTransfer(
      transferHead().storeBit(0).storeUint(0, 32).storeBytes(Buffer.from('in')).endCell().slice(),
    )
    expect(readComment(inline!.forwardPayload!)).toEqual({ text: 'in' })
    expect(readJettonTransfer(transferHead().storeBit(0).endCell().slice())?.forwardPayload).toBeUndefined()
  })

  test('a body without the selector bit, or with a missing reference, is irregular', () => {
    expect(readJettonTransfer(transferHead().endCell().slice())).toMatchObject({
      isIrregular: true,
      forwardPayload: undefined,
    })
    const promised = readJettonTransfer(transferHead().storeBit(1).endCell().slice())
    expect(promised).toMatchObject({ isIrregular: true, forwardPayload: undefined })
  })

  test('another opcode, or a body that ends early, is not such a message', () => {
    expect(readJettonBurn(transferHead().storeBit(0).endCell().slice())).toBeUndefined()
    expect(
      readNftTransfer(new Builder().storeUint(0x5fcc3d14, 32).storeUint(1, 64).endCell().slice()),
    ).toBeUndefined()
    expect(readJettonNotification(new Builder().storeUint(1, 8).endCell().slice())).toBeUndefined()
  })

  test('reading does not advance the body', () => {
    const body = transferHead().storeBit(0).endCell().slice()
    readJettonTransfer(body)
    expect(body.loadUint(32)).toBe(0x0f8a7ea5)
  })
})

describe('real messages', () => {
  test('the readers and the table of bodies agree on every recorded transfer and notification', () => {
    let checked = 0
    for (const { body } of traceMessages()) {
      const bag = parseBoc(body)
      if (bag.isExotic(bag.root)) continue
      const slice = bag.slice(bag.root)
      const message = readJettonTransfer(slice) ?? readJettonNotification(slice) ?? readNftTransfer(slice)
      if (!message) continue
      const decoded = decodeBody({ body }) as Record<string, { value?: string; '@type'?: string } & string>
      expect(decoded['query_id']).toBe(String(message.queryId))
      if ('amount' in message) expect(decoded['amount']?.value).toBe(String(message.amount))
      const either = decoded['forward_payload']?.['@type']
      expect(either).toMatch(/_from_either$/)
      expect(message.isIrregular).toBe(false)
      checked++
    }
    expect(checked).toBeGreaterThan(250)
  })
})

describe('comments', () => {
  test('text is made storable, and encrypted bytes are base64', () => {
    const raw = (opcode: number, ...bytes: number[]): Cell =>
      new Builder().storeUint(opcode, 32).storeBytes(Buffer.from(bytes)).endCell()
    expect(readComment(raw(0, 0x41, 0, 0xff))).toEqual({ text: 'A\uFFFD' })
    expect(readComment(raw(0x2167da4b, 1, 2, 3))).toEqual({ encrypted: 'AQID' })
    expect(readComment(raw(1, 0x41))).toBeUndefined()
    expect(readComment(new Builder().storeUint(0, 8).endCell())).toBeUndefined()
    expect(readComment(new Builder().storeUint(0, 33).endCell())).toBeUndefined()
  })

  test('a comment continues in references', () => {
    const tail = new Builder().storeBytes(Buffer.from(' world')).endCell()
    const body = new Builder().storeUint(0, 32).storeBytes(Buffer.from('hello')).storeRef(tail).endCell()
    expect(readComment(body)).toEqual({ text: 'hello world' })
  })
})

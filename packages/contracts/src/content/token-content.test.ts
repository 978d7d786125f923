import { createHash } from 'node:crypto'
import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { contentAttributes, parseTokenContent } from '../index.ts'

const key = (name: string): Buffer => createHash('sha256').update(name).digest()
const snake = (bytes: Buffer, prefix = Buffer.alloc(0)): Cell => {
  const all = Buffer.concat([prefix, bytes])
  const builder = new Builder().storeBytes(all.subarray(0, 120))
  return (all.length > 120 ? builder.storeRef(snake(all.subarray(120))) : builder).endCell()
}
const SNAKE = Buffer.from([0])
const text = (value: string): Builder => new Builder().storeRef(snake(Buffer.from(value), SNAKE))
const onChain = (values: Record<string, Builder>): Cell =>
  new Builder()
    .storeUint(0, 8)
    .storeMaybeRef(
      buildDict(
        Object.entries(values).map(([name, value]) => [key(name), value]),
        256,
      ),
    )
    .endCell()

describe('TEP-64 content', () => {
  test('off-chain content is one address, however many cells it takes', () => {
    const uri = `https://example.test/${'x'.repeat(300)}.json`
    const content = parseTokenContent(snake(Buffer.from(uri), Buffer.from([1])))
    expect(content).toMatchObject({ layout: 'offchain', truncated: [] })
    expect({ ...contentAttributes(content!) }).toEqual({ uri })
  })

  test('on-chain attributes are found by the hashes of their names; unknown ones are kept by hash', () => {
    const content = parseTokenContent(
      onChain({ name: text('Coin'), symbol: text('C'), strange: text('kept') }),
    )
    expect({ ...contentAttributes(content!) }).toEqual({ name: 'Coin', symbol: 'C' })
    expect([...content!.unknown]).toEqual([
      [key('strange').toString('hex'), Buffer.from('kept').toString('base64')],
    ])
    expect(content?.layout).toBe('onchain')
  })

  test('an on-chain dictionary with a uri is semi-chain', () => {
    expect(parseTokenContent(onChain({ uri: text('https://a.test'), decimals: text('9') }))?.layout).toBe(
      'semichain',
    )
  })

  test('chunked values are joined in order and refused if there is a gap', () => {
    const chunks = (...indices: number[]): Builder =>
      new Builder().storeRef(
        new Builder()
          .storeUint(1, 8)
          .storeMaybeRef(
            buildDict(
              indices.map((i) => [BigInt(i), new Builder().storeRef(snake(Buffer.from(`part${i} `)))]),
              32,
            ),
          )
          .endCell(),
      )
    const content = parseTokenContent(onChain({ description: chunks(0, 1, 2), name: chunks(0, 2) }))
    expect({ ...contentAttributes(content!) }).toEqual({ description: 'part0 part1 part2 ' })
  })

  test('image data is base64, NUL is removed, text that is not UTF-8 is omitted', () => {
    const bytes = (...values: number[]): Builder => new Builder().storeRef(snake(Buffer.from(values), SNAKE))
    const content = parseTokenContent(
      onChain({ image_data: bytes(0xff, 0xd8, 0), name: bytes(0x41, 0, 0x42), symbol: bytes(0xff, 0xfe) }),
    )
    expect({ ...contentAttributes(content!) }).toEqual({ image_data: '/9gA', name: 'AB' })
  })

  test('values without prefix, and values in the leaf itself, are read as in real tokens', () => {
    const content = parseTokenContent(
      onChain({
        name: new Builder().storeRef(snake(Buffer.from('Bare'))),
        symbol: new Builder().storeBytes(Buffer.from('\0IN')),
      }),
    )
    expect({ ...contentAttributes(content!) }).toEqual({ name: 'Bare', symbol: 'IN' })
  })

  test('a value beyond the limit is cut at a chunk and listed', () => {
    const chunk = snake(Buffer.alloc(100_000, 0x61))
    const chunks = buildDict(
      [0n, 1n, 2n].map((i) => [i, new Builder().storeRef(chunk)]),
      32,
    )
    const endless = new Builder().storeRef(new Builder().storeUint(1, 8).storeMaybeRef(chunks).endCell())
    const content = parseTokenContent(onChain({ name: endless, symbol: text('OK') }))
    expect(content?.truncated).toEqual(['name'])
    expect(content?.attributes.get('name')).toHaveLength(200_000)
    expect(content?.attributes.get('symbol')).toBe('OK')
  })

  test('shared cells that describe 2^32 chunks are not traversed', () => {
    let edge = new Builder().storeUint(0, 2).endCell()
    for (let i = 0; i < 32; i++) edge = new Builder().storeUint(0, 2).storeRef(edge).storeRef(edge).endCell()
    const chunks = new Builder().storeUint(1, 8).storeMaybeRef(edge).endCell()
    expect(parseTokenContent(onChain({ name: new Builder().storeRef(chunks) }))?.truncated).toEqual(['name'])
  })

  test('the record has no prototype, so no name can reach one', () => {
    const record = contentAttributes(
      parseTokenContent(onChain({ ['__proto__']: text('x'), name: text('n') }))!,
    )
    expect(Object.getPrototypeOf(record)).toBeNull()
    expect(Object.keys(record)).toEqual(['name'])
  })

  test('anything else gives undefined', () => {
    const exotic = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
    expect(parseTokenContent(new Builder().storeUint(7, 8).endCell())).toBeUndefined()
    expect(parseTokenContent(new Builder().endCell())).toBeUndefined()
    expect(parseTokenContent(exotic)).toBeUndefined()
    expect(parseTokenContent(new Builder().storeUint(0, 8).storeBit(1).endCell())).toBeUndefined()
    expect(parseTokenContent(new Builder().storeUint(1, 8).storeUint(0xff, 8).endCell())).toBeUndefined()
  })
})

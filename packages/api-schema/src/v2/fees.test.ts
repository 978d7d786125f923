import { Builder, EMPTY_CELL, serializeBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { readFeeRequest } from './fees.ts'

const address = { workchain: 0, hash: Buffer.alloc(32), isRaw: true, bounceable: true, testOnly: false }

/** A bag of `count` distinct cells. */
function bag(count: number): Buffer {
  let id = 0
  const leaf = () => new Builder().storeUint(id++, 32).endCell()
  let cell = leaf()
  for (let left = count - 1; left > 0; ) {
    const parent = new Builder().storeRef(cell)
    const leaves = Math.min(3, left - 1)
    for (let i = 0; i < leaves; i++) parent.storeRef(leaf())
    left -= leaves + 1
    cell = parent.endCell()
  }
  return serializeBoc(cell)
}

const request = (more: object) =>
  readFeeRequest({ address, body: serializeBoc(EMPTY_CELL), ignore_chksig: true, ...more } as never)

test('the bags of an estimate have at most 2048 cells and 65535 bytes; the excess one is named', () => {
  expect(request({ body: bag(2048) }).body.refs.length).toBeGreaterThan(0)
  expect(() => request({ body: bag(2049) })).toThrow(/^body: .* more than 2048 cells$/)
  const half = bag(1020)
  expect(request({ init_code: half, init_data: bag(1020) }).init).toBeDefined()
  expect(() => request({ init_code: half, init_data: bag(1100) })).toThrow(/^init_data: .* 2048 cells$/)
  expect(() => request({ init_code: half, body: Buffer.alloc(65_000) })).toThrow(
    /^INVALID_BAG_OF_CELLS: body/,
  )
  expect(() => request({ body: half, init_code: Buffer.alloc(65_000) })).toThrow(
    /^init_code: .* 65535 bytes$/,
  )
})

test('an estimate for a body that no node takes, an exotic cell, is refused by name', () => {
  const library = new Builder().storeUint(2, 8).storeBytes(Buffer.alloc(32)).endCell({ exotic: true })
  expect(() => request({ body: serializeBoc(library) })).toThrow('body: an exotic cell')
  expect(request({ body: serializeBoc(new Builder().storeRef(library).endCell()) })).toBeDefined()
})

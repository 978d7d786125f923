import { Builder, CELL, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { libraryReferences } from './library-references.ts'

const reference = (number: number): Cell =>
  new Builder().storeUint(CELL.library, 8).storeBytes(Buffer.alloc(32, number)).endCell({ exotic: true })

test('of hundreds of references that somebody puts into data, no more are kept than are fetched', () => {
  let data = new Builder().endCell()
  for (let number = 1; number <= 200; number++)
    data = new Builder().storeRef(reference(number)).storeRef(data).endCell()
  expect(libraryReferences(data).map((hash) => hash[0])).toEqual(
    Array.from({ length: 16 }, (_, i) => 200 - i),
  )
})

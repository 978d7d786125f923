import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BlockTable } from './block-table.ts'

const id = (n: number) => {
  const rootHash = hash('sha256', String(n), 'buffer')
  return { workchain: 0, shard: 1n << 63n, seqno: n, rootHash, fileHash: rootHash }
}

test('each of ten thousand blocks is found at its position, and no other', () => {
  const table = new BlockTable()
  for (let n = 0; n < 10_000; n++) table.add(id(n), { pack: n % 7, offset: n * 2 ** 24 })
  for (let n = 0; n < 10_000; n++)
    expect([...table.find(id(n))]).toEqual([{ pack: n % 7, offset: n * 2 ** 24 }])
  expect([...table.find(id(10_000))]).toEqual([])
})

test('a block at two positions has both; the same position counts once', () => {
  const table = new BlockTable()
  table.add(id(1), { pack: 0, offset: 4 })
  table.add(id(1), { pack: 0, offset: 4 })
  table.add(id(1), { pack: 1, offset: 4 })
  expect([...table.find(id(1))]).toHaveLength(2)
  expect(table.size).toBe(2)
})

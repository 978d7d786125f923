import { hash } from 'node:crypto'
import { masterchainId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { KeptBlocks } from './kept-blocks.ts'
import { KeptSlices } from './kept-slices.ts'

const sha256 = (bytes: Buffer) => hash('sha256', bytes, 'buffer')

function block(seqno: number, bytes: Buffer) {
  return {
    id: { ...masterchainId(seqno), rootHash: Buffer.alloc(32, seqno), fileHash: sha256(bytes) },
    bytes,
  }
}

test('a block of a broadcast does not keep the rest of the broadcast', () => {
  const broadcast = Buffer.alloc(100_000, 7)
  const kept = new KeptBlocks({ bytes: 1 << 20, ageMs: 1_000 })
  const small = block(1, broadcast.subarray(50_000, 53_000))
  const pooled = block(2, Buffer.from('a block of few bytes'))
  const whole = block(3, Buffer.alloc(3_000, 3))
  for (const { id, bytes } of [small, pooled, whole]) kept.add(id, bytes)
  for (const { id, bytes } of [small, pooled, whole]) {
    expect(kept.find(id)).toEqual(bytes)
    expect(kept.find(id)!.buffer.byteLength).toBe(bytes.length)
  }
  // One that has its memory for itself is not copied.
  expect(kept.find(whole.id)).toBe(whole.bytes)
})

test('blocks go when they are old or too many, the oldest first', () => {
  let now = 0
  const kept = new KeptBlocks({ bytes: 2_500, ageMs: 1_000 }, () => now)
  const blocks = [1, 2, 3, 4].map((seqno) => block(seqno, Buffer.alloc(1_000, seqno)))
  const add = (index: number) => kept.add(blocks[index]!.id, blocks[index]!.bytes)
  const held = () => blocks.filter(({ id }) => kept.find(id)).map(({ id }) => id.seqno)
  for (const index of [0, 1]) add(index)
  expect(held()).toEqual([1, 2])
  add(2)
  expect(held()).toEqual([2, 3])
  now = 1_001
  add(3)
  expect(held()).toEqual([4])
})

test('archive files go when there are too many, and when nothing is asked of them', () => {
  let now = 0
  const kept = new KeptSlices({ bytes: 250, idleMs: 1_000 }, () => now)
  const slices = [100, 200, 300].map((start) => {
    const { id, bytes } = block(start, Buffer.alloc(100, start / 100))
    const blocks = new Map([[id.fileHash.toString('latin1'), bytes]])
    return { start, ids: new Map([[start, id]]), blocks, size: 100, id }
  })
  const held = () => slices.filter(({ start }) => kept.findId(start)).map(({ start }) => start)
  for (const slice of slices) kept.add(slice)
  expect(held()).toEqual([200, 300])
  now = 900
  expect(kept.findBlock(slices[2]!.id)).toEqual(Buffer.alloc(100, 3))
  now = 1_100
  kept.dropIdle()
  expect(held()).toEqual([300])
})

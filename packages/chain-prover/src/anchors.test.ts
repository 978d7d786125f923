import { type BlockId, masterchainId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { AnchorMismatch, TrustAnchors } from './anchors.ts'

const block = (seqno: number, byte = seqno % 251): BlockId => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32, byte),
  fileHash: Buffer.alloc(32, byte),
})

test('a proof starts at the newest trusted block that is not newer than its target', () => {
  const anchors = new TrustAnchors([block(900), block(0), block(300)])
  anchors.add(block(600))
  const starts = [0, 1, 299, 300, 650, 899, 900, 5000].map((seqno) => anchors.nearest(seqno).seqno)
  expect(starts).toEqual([0, 0, 0, 300, 600, 600, 900, 900])
})

test('a target older than all trusted blocks is reached backwards from the oldest', () => {
  expect(new TrustAnchors([block(900), block(300)]).nearest(10).seqno).toBe(300)
})

test('a block is added once; two blocks with one seqno are a contradiction', () => {
  const anchors = new TrustAnchors([block(300)])
  expect(anchors.add(block(300))).toBe(false)
  expect(anchors.add(block(301))).toBe(true)
  expect(() => anchors.add(block(300, 7))).toThrow(AnchorMismatch)
})

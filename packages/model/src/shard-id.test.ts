import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  childShards,
  FULL_SHARD,
  parentShard,
  shardContains,
  shardContainsPrefix,
  shardFromPrefix,
  shardPrefixLength,
} from './index.ts'

const shards = fc
  .tuple(fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), fc.integer({ min: 0, max: 60 }))
  .map(([prefix, length]) => shardFromPrefix(prefix, length))

test('a parent has the shard among its children and contains both', () => {
  fc.assert(
    fc.property(shards, (shard) => {
      fc.pre(shard !== FULL_SHARD)
      const parent = parentShard(shard)
      expect(childShards(parent)).toContain(shard)
      expect(childShards(parent).every((child) => shardContains(parent, child))).toBe(true)
      expect(shardContains(shard, parent)).toBe(false)
      expect(shardPrefixLength(parent)).toBe(shardPrefixLength(shard) - 1)
    }),
  )
})

test('an address belongs to exactly one child', () => {
  fc.assert(
    fc.property(shards, fc.bigInt({ min: 0n, max: 0xffffffffffffffffn }), (shard, top) => {
      const inside = childShards(shard).filter((child) => shardContainsPrefix(child, top)).length
      expect(inside).toBe(shardContainsPrefix(shard, top) ? 1 : 0)
    }),
  )
})

import {
  BASECHAIN,
  childShards,
  deriveAccountId,
  FULL_SHARD,
  formatShard,
  MASTERCHAIN,
  shardFromPrefix,
  shardToSigned,
} from '@shardwalk/model'
import { fixtureChain } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { accountRange } from './shard-range.ts'

test('the accounts of a block are in the range of its shard, before and after a split', async () => {
  const shards = new Set<string>()
  for (const range of [
    { from: 20, to: 24 },
    { from: 300, to: 304 },
  ])
    for await (const { batch } of fixtureChain(range))
      for (const { id, transactions } of [batch.masterchain, ...batch.shards]) {
        const { from, to } = accountRange(id.workchain, shardToSigned(id.shard))
        shards.add(formatShard(id.shard))
        for (const { account } of transactions) {
          const accountId = deriveAccountId(account)
          expect(from <= accountId && accountId <= to, `${accountId} in ${from}..${to}`).toBe(true)
        }
      }
  // The masterchain or a whole basechain, and quarters of it.
  expect(shards).toContain('8000000000000000')
  expect(shards).toContain('e000000000000000')
})

test('children divide the range of their parent, and workchains share no id', () => {
  const shards = [FULL_SHARD, ...childShards(FULL_SHARD), shardFromPrefix(0b1011n << 60n, 4)]
  for (const workchain of [MASTERCHAIN, BASECHAIN])
    for (const shard of shards) {
      const parent = accountRange(workchain, shardToSigned(shard))
      const [left, right] = childShards(shard).map((child) => accountRange(workchain, shardToSigned(child)))
      expect([left!.from, right!.to]).toEqual([parent.from, parent.to])
      expect(right!.from).toBe(left!.to + 1n)
    }
  const whole = shardToSigned(FULL_SHARD)
  expect(accountRange(MASTERCHAIN, whole)).toEqual({ from: -(2n ** 63n), to: -1n })
  expect(accountRange(BASECHAIN, whole)).toEqual({ from: 0n, to: 2n ** 63n - 1n })
})

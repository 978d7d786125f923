import { EMPTY_CELL } from '@shardwalk/cells'
import type { DecodedMessage } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { readAccount } from './account-view.ts'
import { shardOf } from './shards.ts'
import { nextLt, VirtualBlocks } from './virtual-blocks.ts'
import { WorkList } from './work-list.ts'

const delivery = (round: number, createdLt: bigint, depth: number) => ({
  message: { createdLt } as DecodedMessage,
  cell: EMPTY_CELL,
  round,
  depth,
  parent: undefined,
})

test('messages are received by round, then by lt, then as they were sent', () => {
  const work = new WorkList()
  // They differ in `depth`.
  const sent = [
    delivery(1, 5n, 1),
    delivery(0, 9n, 2),
    delivery(0, 7n, 3),
    delivery(0, 7n, 4),
    delivery(1, 4n, 5),
  ]
  for (const one of sent) work.add(one)
  const order: (number | undefined)[] = []
  while (work.length > 0) order.push(work.take()?.depth)
  expect(order).toEqual([3, 4, 2, 5, 1])
  expect(work.take()).toBeUndefined()
})

const chain = {
  mcBlock: {
    workchain: -1,
    shard: 1n << 63n,
    seqno: 10,
    rootHash: Buffer.alloc(32),
    fileHash: Buffer.alloc(32),
  },
  utime: 1_700_000_000,
  endLt: 41_000_003n,
}

test('blocks follow the masterchain block: later in time and lt with every round', () => {
  const blocks = new VirtualBlocks(chain)
  expect(blocks.at(0)).toEqual({ now: 1_700_000_001, startLt: 43_000_000n, mcBlockSeqno: 11 })
  expect(blocks.at(2)).toEqual({ now: 1_700_000_005, startLt: 49_000_000n, mcBlockSeqno: 13 })
  expect(blocks.blockOf({ workchain: 0, shard: 1n << 62n, seqno: 7 }, 1).seqno).toBe(9)
})

test('a transaction is later than the last one of its account and than its message', () => {
  const block = new VirtualBlocks(chain).at(0)
  const account = readAccount(undefined)
  const last = { ...account, lastTransLt: 43_000_005n, storageLt: 43_000_009n }
  expect(nextLt(block, account, undefined)).toBe(43_000_001n)
  expect(nextLt(block, last, 1n)).toBe(43_000_009n)
  expect(nextLt(block, last, 43_000_020n)).toBe(43_000_021n)
})

test('an account is in the shard that its address begins with', () => {
  const shards = [
    { workchain: -1, shard: 1n << 63n, seqno: 1 },
    { workchain: 0, shard: 0x4000000000000000n, seqno: 2 },
    { workchain: 0, shard: 0xc000000000000000n, seqno: 3 },
  ]
  const at = (workchain: number, byte: number) =>
    shardOf(shards, { workchain, hash: Buffer.alloc(32, byte) })?.seqno
  expect([at(-1, 0xff), at(0, 0x7f), at(0, 0x80), at(7, 0)]).toEqual([1, 2, 3, undefined])
})

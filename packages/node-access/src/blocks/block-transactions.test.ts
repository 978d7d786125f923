import type { BlockId } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { LiteClient } from '../lite-client.ts'
import { BlockTransactions } from './block-transactions.ts'

const blockId = (seqno: number): BlockId => ({
  ...{ workchain: 0, shard: 1n << 63n, seqno },
  ...{ rootHash: Buffer.alloc(32, seqno), fileHash: Buffer.alloc(32, seqno) },
})

/** Blocks of so many bytes; counts queries. */
function blocksOf(size: number) {
  let queries = 0
  const ask = async () => {
    queries++
    return { bytes: Buffer.alloc(size), transactions: [] }
  }
  const blocks = new BlockTransactions({ ask } as unknown as LiteClient)
  const queriesFor = async (...seqnos: readonly number[]) => {
    const before = queries
    for (const seqno of seqnos) await blocks.bytes(blockId(seqno))
    return queries - before
  }
  return queriesFor
}

test('as many large blocks are kept as have room in 64 MiB, of small ones 24', async () => {
  const large = blocksOf(4 * 1024 * 1024)
  expect(await large(1, 2, 3, 4, 5, 6, 7, 8)).toBe(8)
  expect(await large(5, 6, 7, 8)).toBe(0)
  expect(await large(1)).toBe(1)
  const small = blocksOf(1024)
  const all = Array.from({ length: 24 }, (_, seqno) => seqno + 1)
  expect(await small(...all)).toBe(24)
  expect(await small(...all)).toBe(0)
})

import type { Logger } from '@shardwalk/observability'
import type { BlockSource } from '@shardwalk/pipeline'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repairQuarantined } from '../src/index.ts'

let scratch: ScratchDatabase

beforeAll(async () => {
  scratch = await scratchDatabase()
  for (const seqno of [5, 9])
    await scratch.pool.query(
      `insert into quarantine (workchain, shard, seqno, root_hash, file_hash, mc_seqno, kind, hash, error,
         tried_with)
       values (-1, -9223372036854775808, $1, $2, $2, $1, 'block', $2, 'not read', 'an earlier version')`,
      [seqno, Buffer.alloc(32, seqno)],
    )
})
afterAll(() => scratch.close())

/** A chain whose blocks no server has any more. */
const SOURCE = new Proxy({} as BlockSource, {
  get: (_, name) => async () => {
    if (name !== 'zerostateId') throw new Error('block not found')
    return { workchain: -1, rootHash: Buffer.alloc(32, 1), fileHash: Buffer.alloc(32, 2) }
  },
})

test('a block in quarantine that cannot be fetched does not keep others from being tried', async () => {
  const tried: unknown[] = []
  const log = {
    warn: (text: string, { from }: { readonly from: number }) => tried.push([text, from]),
    info: () => {},
  } as unknown as Logger
  const { signal } = new AbortController()
  await expect(
    repairQuarantined({ source: SOURCE, database: scratch, log, signal, decodeThreads: 1 }),
  ).rejects.toThrow('block not found')
  expect(tried).toEqual([
    ['range could not be repaired', 5],
    ['range could not be repaired', 9],
  ])
})

import { type BlockId, FULL_SHARD } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { within } from '../call-scope.ts'
import type { LiteClient } from '../lite-client.ts'
import type { Heads } from './heads.ts'
import { Shards } from './shards.ts'

const idOf = (seqno: number): BlockId => ({
  workchain: 0,
  shard: FULL_SHARD,
  seqno,
  rootHash: Buffer.alloc(32, seqno),
  fileHash: Buffer.alloc(32, seqno),
})
const IDS = Array.from({ length: 257 }, (_, index) => idOf(index))
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** A lite server whose answers come when `answer` is called. `refused`: a seqno that it refuses. */
function slowServer(refused?: number) {
  const waiting: (() => void)[] = []
  let asked = 0
  let most = 0
  const ask = async (_name: string, { id }: { readonly id: BlockId }) => {
    const size = id.seqno
    asked++
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      most = Math.max(most, waiting.length)
    })
    if (size === refused) throw new Error('refused')
    return size
  }
  const shards = new Shards({ ask } as unknown as LiteClient, {} as Heads)
  const answer = async () => {
    for (const resolve of waiting.splice(0)) resolve()
    await settled()
  }
  return { shards, answer, seen: () => ({ asked, most, waiting: waiting.length }) }
}

test('queues of 256 shards are asked for a few at a time, and returned in order', async () => {
  const { shards, answer, seen } = slowServer()
  const sizes = shards.queueSizesOf(IDS, idOf(1))
  while (seen().asked < IDS.length) await answer()
  await answer()
  expect(await sizes).toEqual(IDS.map(({ seqno }) => seqno))
  expect(seen().most).toBe(16)
})

test('those that nobody waits for any more are not asked for', async () => {
  const { shards, answer, seen } = slowServer()
  const gone = new AbortController()
  const sizes = within({ signal: gone.signal }, () => shards.queueSizesOf(IDS, idOf(1)))
  const refused = expect(sizes).rejects.toMatchObject({ code: 'aborted' })
  await answer()
  const { asked } = seen()
  expect(asked).toBeLessThanOrEqual(32)
  gone.abort()
  await refused
  for (let round = 0; round < 20; round++) await answer()
  expect(seen()).toMatchObject({ asked, waiting: 0 })
})

test('when one of them fails, the others are not asked for', async () => {
  const { shards, answer, seen } = slowServer(0)
  const failed = expect(shards.queueSizesOf(IDS, idOf(1))).rejects.toThrow('refused')
  for (let round = 0; round < 20; round++) await answer()
  await failed
  expect(seen().asked).toBeLessThanOrEqual(32)
})

import { type DecodedBatch, seqnosOf } from '@shardwalk/pipeline'
import { Recording } from '@shardwalk/sources'
import { afterAll, expect, test } from 'vitest'
import { linksOf } from './link-walk.ts'

const recording = await Recording.open('fixtures/chain')
afterAll(() => recording.close())

/** Blocks 100 to 107 of the sample, of which those in `undecodable` have no rows. */
const commit = (undecodable: readonly number[] = []): Promise<readonly DecodedBatch[]> =>
  Promise.all(
    seqnosOf({ from: 100, to: 107 }).map(async (seqno) => {
      const { block } = recording.step(seqno)!
      const masterchain = { id: block.id, bytes: await recording.read(block) }
      return {
        ...{ mcBlockSeqno: seqno, undecodable: [], unread: [], blocks: 1, transactions: 0 },
        raw: { mcBlockSeqno: seqno, globalVersion: 0, masterchain, shards: [] },
        encoded: undecodable.includes(seqno) ? undefined : {},
      }
    }),
  )

const seqnos = async (undecodable?: readonly number[]) =>
  linksOf(await commit(undecodable)).map(({ from, to, prev, ids }) => ({
    ...{ from, to, before: prev.seqno, ids: ids.length },
  }))

test('a commit links its first block to the one before, and each of its blocks to the next', async () => {
  expect(await seqnos()).toEqual([{ from: 100, to: 107, before: 99, ids: 8 }])
  const batches = await commit()
  const [links] = linksOf(batches)
  expect(links!.ids).toEqual(batches.map(({ raw }) => raw.masterchain.id))
})

test('a block that cannot be decoded is in no link, and nothing is linked across it', async () => {
  expect(await seqnos([103, 104])).toEqual([
    { from: 100, to: 102, before: 99, ids: 3 },
    { from: 105, to: 107, before: 104, ids: 3 },
  ])
  expect(await seqnos([100, 107])).toEqual([{ from: 101, to: 106, before: 100, ids: 6 }])
})

test('a commit without blocks has no links', () => {
  expect(linksOf([])).toEqual([])
})

import {
  addLinkedRange,
  findLinkedRange,
  findProvedBlock,
  findProvedRange,
  forgetLinks,
  type LinkedRange,
  saveProvedBlock,
} from '@shardwalk/db'
import { type BlockId, masterchainId, shardToSigned } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const LAST = 40

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  // Stored masterchain blocks of which only the ids matter; those in quarantine count too.
  for (let seqno = 1; seqno <= LAST; seqno++) {
    const { workchain, shard, rootHash, fileHash } = block(seqno)
    await scratch.pool.query(
      `insert into quarantine
         (workchain, shard, seqno, root_hash, file_hash, mc_seqno, kind, hash, error, tried_with, bytes)
       values ($1, $2, $3, $4, $5, $3, 'block', $4, '', '', '')`,
      [workchain, shardToSigned(shard), seqno, rootHash, fileHash],
    )
  }
})
afterAll(() => scratch.close())
beforeEach(() => scratch.pool.query('delete from linked_ranges; delete from proved_block'))

const block = (seqno: number): BlockId => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32, seqno),
  fileHash: Buffer.alloc(32, seqno + 100),
})
const range = (from: number, to: number): LinkedRange => ({ from, to, prev: block(from - 1) })
const ranges = async () =>
  (await scratch.pool.query('select from_seqno as from, to_seqno as to from linked_ranges order by 1')).rows

/** Parts of 1…LAST in any order, some of them repeated or overlapping. */
const pieces = fc
  .array(fc.tuple(fc.integer({ min: 1, max: LAST }), fc.integer({ min: 0, max: 9 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((some) => some.map(([from, more]) => ({ from, to: Math.min(LAST, from + more) })))

test('adjacent ranges are joined, in whatever order they come', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, async (some) => {
      await scratch.pool.query('delete from linked_ranges')
      for (const { from, to } of some) await addLinkedRange(scratch.db, range(from, to))
      const covered = Array.from({ length: LAST }, (_, i) =>
        some.some(({ from, to }) => from <= i + 1 && i + 1 <= to),
      )
      const expected: { from: number; to: number }[] = []
      covered.forEach((isIn, i) => {
        const last = expected.at(-1)
        if (isIn && last?.to === i) last.to = i + 1
        else if (isIn) expected.push({ from: i + 1, to: i + 1 })
      })
      expect(await ranges()).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

test('a reference to a block other than the stored one keeps two ranges apart', async () => {
  await addLinkedRange(scratch.db, range(1, 10))
  await addLinkedRange(scratch.db, {
    from: 11,
    to: 20,
    prev: { ...block(10), rootHash: Buffer.alloc(32, 0xee) },
  })
  expect(await ranges()).toEqual([
    { from: 1, to: 10 },
    { from: 11, to: 20 },
  ])
})

test('replaced blocks, and the reference in the next block, are compared again', async () => {
  await addLinkedRange(scratch.db, range(1, LAST))
  await forgetLinks(scratch.db, { from: 10, to: 12 })
  expect(await ranges()).toEqual([
    { from: 1, to: 9 },
    { from: 14, to: LAST },
  ])
  expect(await findLinkedRange(scratch.db, 20)).toEqual(range(14, LAST))
  await addLinkedRange(scratch.db, range(10, 13))
  expect(await ranges()).toEqual([{ from: 1, to: LAST }])
})

test('the proven block only moves forward, and its range with it', async () => {
  expect(await findProvedRange(scratch.db)).toBeUndefined()
  await addLinkedRange(scratch.db, range(5, 30))
  await saveProvedBlock(scratch.db, block(20))
  await saveProvedBlock(scratch.db, block(10))
  expect(await findProvedBlock(scratch.db)).toEqual(block(20))
  expect(await findProvedRange(scratch.db)).toMatchObject({ from: 5, to: 20 })
})

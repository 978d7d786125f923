import { expect, test } from 'vitest'
import { CoveredBlocks } from './covered-blocks.ts'
import type { Partition } from './export-partitions.ts'

type Given = Partial<Pick<Partition, 'isWhole' | 'complete' | 'gaps'>>

const partition = (from: number, to: number, { isWhole = true, complete = isWhole, gaps = [] }: Given = {}) =>
  ({ path: `${from}`, name: null, range: { from, to }, isWhole, complete, gaps }) satisfies Partition

/** As a run that writes whatever is complete. */
const look = (covered: CoveredBlocks, partitions: readonly Partition[]) =>
  covered.add(partitions, ({ complete }) => complete)

test('partitions that are written are not looked at again, until the range begins earlier', () => {
  const covered = new CoveredBlocks()
  expect(covered.next(1)).toBe(1)
  look(covered, [partition(1, 9), partition(10, 19), partition(20, 24, { isWhole: false })])
  expect(covered.next(1)).toBe(20)
  look(covered, [partition(20, 29), partition(30, 31, { isWhole: false })])
  expect(covered.next(1)).toBe(30)
  // A block before the newest one is missing for a moment: the newest contiguous range begins after it.
  expect(covered.next(33)).toBe(33)
  look(covered, [partition(33, 39, { isWhole: false }), partition(40, 41, { isWhole: false })])
  expect(covered.next(1)).toBe(30)

  const later = new CoveredBlocks()
  later.next(10)
  look(later, [partition(10, 19), partition(20, 21, { isWhole: false })])
  expect(later.next(5)).toBe(5)
})

test('a partition that cannot become complete is passed over, one that waits or lacks blocks is not', () => {
  const after = (...partitions: readonly Partition[]) => {
    const covered = new CoveredBlocks()
    covered.next(5)
    look(covered, partitions)
    return covered.next(5)
  }
  const cut = { isWhole: false }
  expect(after(partition(5, 9, cut), partition(10, 19))).toBe(20)
  expect(after(partition(5, 9, cut), partition(10, 19, cut))).toBe(10)
  expect(after(partition(5, 9, cut))).toBe(5)
  expect(after(partition(5, 9, { complete: false }), partition(10, 19))).toBe(5)
  expect(after(partition(5, 9, { isWhole: false, gaps: [[7, 7]] }), partition(10, 19))).toBe(5)
  // Blocks 8 to 10 are missing: perhaps they belong to the first one.
  expect(after(partition(5, 7, cut), partition(11, 19, cut))).toBe(5)
})

test('blocks are covered while retention deletes the first ones again and again', () => {
  const covered = new CoveredBlocks()
  const cut = { isWhole: false }
  // The first partition is the only one, and loses its first blocks.
  for (const from of [1003, 1005, 1008]) {
    expect(covered.next(from)).toBe(from)
    look(covered, [partition(from, 1008, cut)])
  }
  expect(covered.next(1009)).toBe(1009)
  look(covered, [partition(1009, 1019, cut), partition(1020, 1029), partition(1030, 1031, cut)])
  expect(covered.next(1015)).toBe(1030)
  // It deletes what waits to be classified.
  expect(covered.next(1035)).toBe(1035)
  look(covered, [partition(1035, 1039, cut), partition(1040, 1049), partition(1050, 1051, cut)])
  expect(covered.next(1042)).toBe(1050)
})

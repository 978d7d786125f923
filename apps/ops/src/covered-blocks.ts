import type { Partition } from './export-partitions.ts'

/**
 * The blocks of which nothing is left to export, so that a long past is not looked through again and again:
 * partitions that are written, one after the other, from the beginning of the range on.
 */
export class CoveredBlocks {
  private from: number | undefined
  private to = 0

  /**
   * First block to look at of a range that begins at `from`. A range that begins earlier than before, because
   * history was indexed, is looked at from its beginning.
   */
  next(from: number): number {
    if (this.from === undefined || from < this.from) {
      this.from = from
      this.to = from - 1
    }
    return Math.max(from, this.to + 1)
  }

  /** Adds partitions, in order, as far as they are written. */
  add(partitions: readonly Partition[], isWritten: (partition: Partition) => boolean): void {
    for (const [at, partition] of partitions.entries()) {
      const { range } = partition
      if (range?.from !== this.to + 1) return
      const isCut = range.from === this.from && isCutOff(partition, partitions[at + 1])
      if (!isCut && !isWritten(partition)) return
      this.to = range.to
    }
  }
}

/** The range begins in its middle; as long as it does, it is never complete. */
const isCutOff = ({ isWhole, range, gaps }: Partition, next: Partition | undefined): boolean =>
  !isWhole && gaps.length === 0 && next?.range?.from === range!.to + 1

import type { Partition } from './export-partitions.ts'

/** Covered blocks from where a range began. */
interface Covered {
  readonly from: number
  /** Before `from` if there are none yet. */
  to: number
}

/**
 * The blocks of which nothing is left to export, so that a long past is not looked through again and again:
 * partitions that are written, one after the other, from the beginning of the range on.
 */
export class CoveredBlocks {
  /** Ascending. The last one is of the present range, others of ranges that began earlier. */
  private readonly parts: Covered[] = []

  /**
   * First block to look at of a range that begins at `from`. The range may begin earlier than before, because
   * history was indexed, and later: retention deletes blocks, or one is missing for a moment.
   */
  next(from: number): number {
    while (this.present && from < this.present.from) this.parts.pop()
    if (!this.present || from > this.present.to + 1) {
      if (this.present && this.present.to < this.present.from) this.parts.pop()
      this.parts.push({ from, to: from - 1 })
    }
    return this.present!.to + 1
  }

  /** Adds partitions, in order, as far as they are written. */
  add(partitions: readonly Partition[], isWritten: (partition: Partition) => boolean): void {
    const { present } = this
    if (!present) return
    for (const [at, partition] of partitions.entries()) {
      const { range } = partition
      if (range?.from !== present.to + 1) return
      const isCut = range.from === present.from && isCutOff(partition, partitions[at + 1])
      if (!isCut && !isWritten(partition)) return
      present.to = range.to
    }
  }

  private get present(): Covered | undefined {
    return this.parts.at(-1)
  }
}

/** The range begins in its middle; as long as it does, it is never complete. */
const isCutOff = ({ isWhole, range, gaps }: Partition, next: Partition | undefined): boolean =>
  !isWhole && gaps.length === 0 && next?.range?.from === range!.to + 1

import type { Cell } from '@shardwalk/cells'
import type { DecodedMessage } from '@shardwalk/model'

/** A message to be received. */
export interface Delivery {
  readonly message: DecodedMessage
  readonly cell: Cell
  /** Round of the block that receives it; see `VirtualBlocks`. */
  readonly round: number
  readonly depth: number
  /** Index of the sender. */
  readonly parent: number | undefined
}

/**
 * Messages in the order in which blocks receive them: by round, then by lt, then in order of sending. A
 * message within a shard is later than its sender, so the order never goes back.
 */
export class WorkList {
  /** In reverse order: the next one is last. */
  private readonly waiting: (Delivery & { readonly place: number })[] = []
  private added = 0

  get length(): number {
    return this.waiting.length
  }

  add(delivery: Delivery): void {
    const entry = { ...delivery, place: this.added++ }
    let low = 0
    let high = this.waiting.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(entry, this.waiting[middle]!)) low = middle + 1
      else high = middle
    }
    this.waiting.splice(low, 0, entry)
  }

  take(): Delivery | undefined {
    return this.waiting.pop()
  }
}

type Entry = Delivery & { readonly place: number }

function isBefore(a: Entry, b: Entry): boolean {
  if (a.round !== b.round) return a.round < b.round
  const [ltA, ltB] = [a.message.createdLt ?? 0n, b.message.createdLt ?? 0n]
  return ltA === ltB ? a.place < b.place : ltA < ltB
}

import type { BlockId, McBlockSeqno } from '@shardwalk/model'
import type { Asking, MasterchainBlock, MasterchainBlocks } from './masterchain-blocks.ts'
import type { SeqnoRange } from './plan.ts'

/**
 * Number of blocks that are fetched one after the other for one lookup. Longer segments save little and
 * make fetching less parallel; with four blocks a fifth of the requests are lookups.
 */
const SEGMENT = 4

/**
 * The masterchain blocks of a range. A block contains the id of its predecessor, so history is fetched in
 * short segments from the last block to the first, and only the last one is looked up by seqno. Requests to
 * lite servers are limited; their number decides how fast history is indexed. New blocks are not delayed by
 * waiting for their successors.
 */
export class RangeBlocks {
  private readonly begun = new Map<McBlockSeqno, Promise<MasterchainBlock>>()

  constructor(
    private readonly blocks: MasterchainBlocks,
    private readonly range: SeqnoRange,
    private readonly asking: Asking,
  ) {}

  /** Request blocks in ascending order, each once. */
  take(seqno: McBlockSeqno): Promise<MasterchainBlock> {
    if (!this.begun.has(seqno)) this.begin(seqno)
    const block = this.begun.get(seqno)!
    this.begun.delete(seqno)
    return block
  }

  private begin(first: McBlockSeqno): void {
    const length = this.asking.urgent ? 1 : SEGMENT
    let id: Promise<BlockId | undefined> = Promise.resolve(undefined)
    for (let seqno = Math.min(first + length - 1, this.range.to); seqno >= first; seqno--) {
      const block = id.then((expected) => this.blocks.bySeqno(seqno, this.asking, expected))
      this.begun.set(seqno, block)
      // Without its successor a block is looked up. The failure is reported where the successor is taken.
      id = block.then(
        ({ skeleton }) => skeleton?.prev[0],
        () => undefined,
      )
    }
  }
}

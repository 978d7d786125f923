import type { Clock } from '../clock.ts'
import { type BlockPosition, HeldBlocks } from './held-blocks.ts'

/** Which blocks a server has: what its answers show, and the query that is to show it. */
export class ServerBlocks {
  /** Whether it has the first blocks; undefined until asked. */
  archive: boolean | undefined
  private readonly held = new HeldBlocks()
  /** The unanswered query for a block that it may not have. */
  private probe: BlockPosition | undefined

  constructor(private readonly clock: Clock) {}

  /** Newest masterchain block known to be missing because of its age. */
  get missingUpTo(): number | undefined {
    return this.held.missingUpTo
  }

  /** Known to have a block of this age. */
  holds(block: BlockPosition): boolean {
    return this.archive === true || this.held.holds(block)
  }

  /** Known to have deleted the block. */
  lacks(block: BlockPosition): boolean {
    return this.archive !== true && this.held.lacks(block, this.clock.now())
  }

  /** So often refused that asking is pointless. */
  certainlyLacks(block: BlockPosition): boolean {
    return this.archive !== true && this.held.certainlyLacks(block, this.clock.now())
  }

  /**
   * Whether the query must wait for the answer to an earlier one, which shows whether the server has blocks
   * of this age. Otherwise a server without them would be asked for as many as fit into its window.
   */
  mustProbe(block: BlockPosition): boolean {
    return this.probe !== undefined && this.isDoubtful(block)
  }

  /** A query for the block is about to be sent. */
  asked(block: BlockPosition): void {
    if (this.isDoubtful(block)) this.probe ??= block
  }

  /** The query was answered, refused or lost. */
  settled(block: BlockPosition): void {
    if (this.probe === block) this.probe = undefined
  }

  returned(block: BlockPosition): void {
    this.held.returned(block)
  }

  /** Records "not found" by a server with this head. */
  refused(block: BlockPosition, headSeqno: number): void {
    // When an archive server does not find a block, the reason is not its age.
    if (this.archive !== true) this.held.refused(block, headSeqno, this.clock.now())
  }

  private isDoubtful(block: BlockPosition): boolean {
    return this.archive !== true && !block.unproven && this.held.mayLack(block)
  }
}

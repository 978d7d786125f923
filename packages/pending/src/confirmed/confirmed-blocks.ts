import { blockName, type ConfirmedBlock, type ConfirmedTransaction } from './confirmed-transaction.ts'
import type { SignedBlock } from './signed-block.ts'

/** Blocks are kept until they must be final. Milliseconds. */
const KEPT_MS = 60_000
const MAX_BLOCKS = 256
/** Of files; in memory they take a few times as much. */
const MAX_BYTES = 16 * 1024 * 1024

/** Look-ups in signed blocks that are not final. */
export interface ConfirmedSource {
  /** Transactions that received the message, the newest block first; see `messageName`. */
  receivers(message: string): readonly ConfirmedTransaction[]
  /** Must be called with signed blocks in whose place the masterchain committed others. */
  replaced(blocks: readonly ConfirmedBlock[]): void
}

/** Stands in when no server offers blocks that are not final. */
export const NOTHING_CONFIRMED: ConfirmedSource = { receivers: () => [], replaced: () => {} }

interface Kept {
  readonly block: SignedBlock
  /** Name of the server that offered it. */
  readonly server: string
  readonly at: number
}

/** Signed blocks of the last minute. */
export class ConfirmedBlocks implements ConfirmedSource {
  /** By `blockName`, in order of arrival. */
  private readonly kept = new Map<string, Kept>()
  private bytes = 0

  /** `onReplaced`: called with the server that offered a block in whose place another became final. */
  constructor(private readonly onReplaced: (server: string) => void = () => {}) {}

  get size(): number {
    return this.kept.size
  }

  has(block: ConfirmedBlock): boolean {
    return this.kept.has(blockName(block))
  }

  /** `now`: monotonic milliseconds. */
  add(block: SignedBlock, { server, now }: { readonly server: string; readonly now: number }): void {
    this.forgetOld(now)
    if (this.has(block.id)) return
    this.kept.set(blockName(block.id), { block, server, at: now })
    this.bytes += block.size
  }

  receivers(message: string): readonly ConfirmedTransaction[] {
    return [...this.kept.values()].reverse().flatMap(({ block }) => block.receiver(message) ?? [])
  }

  /** Those of the messages (hashes) that some block has received. */
  receivedAmong(messages: readonly Buffer[]): readonly Buffer[] {
    const blocks = [...this.kept.values()].map(({ block }) => block)
    return messages.filter((message) => blocks.some((block) => block.has(message.toString('base64'))))
  }

  replaced(blocks: readonly ConfirmedBlock[]): void {
    for (const block of blocks) {
      const kept = this.forget(blockName(block))
      if (kept) this.onReplaced(kept.server)
    }
  }

  private forget(name: string): Kept | undefined {
    const kept = this.kept.get(name)
    if (kept && this.kept.delete(name)) this.bytes -= kept.block.size
    return kept
  }

  private forgetOld(now: number): void {
    for (const [name, { at }] of this.kept) {
      if (now - at < KEPT_MS && this.kept.size < MAX_BLOCKS && this.bytes < MAX_BYTES) return
      this.forget(name)
    }
  }
}

import type { ShortBlockId } from '@shardwalk/model'
import type { AccountView, ChainView, ShardPlace } from './types.ts'

/** Blocks start at multiples of this. Source: node, validator/impl/collator.cpp, `init_lt`. */
const LT_STEP = 1_000_000n
/** lt and seconds between the block of a sender and that of a receiver in another shard. */
const LT_PER_ROUND = 3n * LT_STEP
const SECONDS_PER_ROUND = 2

/** A block that does not exist yet, in which a message would be received. */
export interface VirtualBlock {
  /** Unix seconds. */
  readonly now: number
  readonly startLt: bigint
  readonly mcBlockSeqno: number
}

/**
 * The blocks that would follow the masterchain block. A message within a shard is received in the block that
 * sent it, one to another shard in the next round. Times derive from the chain rather than the clock, so that
 * equal requests get equal results.
 */
export class VirtualBlocks {
  constructor(private readonly chain: Pick<ChainView, 'mcBlock' | 'utime' | 'endLt'>) {}

  at(round: number): VirtualBlock {
    const { mcBlock, utime, endLt } = this.chain
    const first = ((endLt + LT_STEP - 1n) / LT_STEP + 1n) * LT_STEP
    return {
      now: utime + 1 + round * SECONDS_PER_ROUND,
      startLt: first + BigInt(round) * LT_PER_ROUND,
      mcBlockSeqno: mcBlock.seqno + 1 + round,
    }
  }

  /** The block of a shard in a round. */
  blockOf({ workchain, shard, seqno }: ShardPlace, round: number): ShortBlockId {
    return { workchain, shard, seqno: seqno + 1 + round }
  }
}

/** The next lt of an account in a block: after its last transaction and after the message. */
export const nextLt = (
  { startLt }: VirtualBlock,
  account: AccountView,
  createdLt: bigint | undefined,
): bigint => latest([startLt + 1n, account.lastTransLt + 1n, (createdLt ?? 0n) + 1n, account.storageLt])

/** The greatest of several logical times; `Math.max` does not accept bigint. */
export function latest(lts: readonly bigint[]): bigint {
  let last = 0n
  for (const lt of lts) if (lt > last) last = lt
  return last
}

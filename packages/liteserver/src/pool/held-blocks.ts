import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { LITE_MODE, type LiteCall, type LiteFunctionName } from '@shardwalk/tl'
import type { QueryOptions } from './query-options.ts'

/** A block this many masterchain blocks behind a server's head is either available or deleted. */
export const SETTLED_BLOCKS = 16
/** The same for shard blocks, counted from the newest one that the server returned. */
const SETTLED_SHARD_BLOCKS = 1000
/** A younger block may be missing for a moment although it has been applied, but not this many of them. */
const YOUNG_REFUSALS = 3
/** A server that returned a block is expected to have those that are at most this much older. */
const NEAR_BLOCKS = 64
/** A server that lacks old blocks is asked for them again after this long. */
const RECHECK_MS = 6 * 60 * 60_000
/** Refusals after which a server is not asked for older blocks even if no other server is left. */
const CERTAIN_REFUSALS = 3

/** Functions that need the block itself and no state; servers keep states for a shorter time. */
const BLOCK_FUNCTIONS: ReadonlySet<LiteFunctionName> = new Set<LiteFunctionName>([
  'liteServer.getBlock',
  'liteServer.getBlockHeader',
  'liteServer.lookupBlock',
  'liteServer.lookupBlockWithProof',
  'liteServer.listBlockTransactions',
  'liteServer.listBlockTransactionsExt',
])

/** Place of a block in its chain. */
export interface BlockPosition {
  readonly workchain: number
  readonly seqno: number
  /** See `QueryOptions.unproven`. */
  readonly unproven?: boolean
}

/** The block that a query needs; undefined for functions that need more or name none by seqno. */
export function blockNeededBy(
  call: LiteCall,
  { committedBy, unproven = false }: Pick<QueryOptions, 'committedBy' | 'unproven'> = {},
): BlockPosition | undefined {
  if (!BLOCK_FUNCTIONS.has(call.name)) return undefined
  const { id, mode } = call.args as { readonly id: BlockId; readonly mode?: number }
  const isLookup = call.name === 'liteServer.lookupBlock' || call.name === 'liteServer.lookupBlockWithProof'
  if (isLookup && ((mode ?? 0) & LITE_MODE.lookupBlock.bySeqno) === 0) return undefined
  // The masterchain block that commits a block has the same age.
  if (committedBy !== undefined) return { workchain: MASTERCHAIN, seqno: committedBy, unproven }
  return { workchain: id.workchain, seqno: id.seqno, unproven }
}

interface Bounds {
  oldestHeld: number
  newestHeld: number
  /** Blocks up to this one are missing; -1 if none is known to be. */
  missingUpTo: number
  refusals: number
  refusedAt: number
  /** Consecutive "not found" for blocks that may be too new. */
  youngRefusals: number
}

/** How far back a server's blocks go, per workchain, learned from its answers. */
export class HeldBlocks {
  private readonly workchains = new Map<number, Bounds>()

  /** Newest masterchain block known to be missing because of its age. */
  get missingUpTo(): number | undefined {
    const seqno = this.workchains.get(MASTERCHAIN)?.missingUpTo ?? -1
    return seqno < 0 ? undefined : seqno
  }

  holds({ workchain, seqno }: BlockPosition): boolean {
    return seqno >= (this.workchains.get(workchain)?.oldestHeld ?? Number.POSITIVE_INFINITY)
  }

  /** Whether it may have deleted the block, for all that is known: its oldest known block is much newer. */
  mayLack({ workchain, seqno }: BlockPosition): boolean {
    return seqno + NEAR_BLOCKS < (this.workchains.get(workchain)?.oldestHeld ?? Number.POSITIVE_INFINITY)
  }

  lacks({ workchain, seqno }: BlockPosition, now: number): boolean {
    const bounds = this.boundsNow(workchain, now)
    return bounds !== undefined && bounds.missingUpTo >= seqno
  }

  /**
   * Like `lacks`, but confirmed so often that asking is pointless. Not used for shards, whose seqnos differ.
   */
  certainlyLacks(position: BlockPosition, now: number): boolean {
    if (position.workchain !== MASTERCHAIN || !this.lacks(position, now)) return false
    return this.bounds(MASTERCHAIN).refusals >= CERTAIN_REFUSALS
  }

  returned({ workchain, seqno }: BlockPosition): void {
    const bounds = this.bounds(workchain)
    bounds.oldestHeld = Math.min(bounds.oldestHeld, seqno)
    bounds.newestHeld = Math.max(bounds.newestHeld, seqno)
    bounds.youngRefusals = 0
    if (bounds.missingUpTo < seqno) return
    bounds.missingUpTo = seqno - 1
    bounds.refusals = 0
  }

  /**
   * Records "not found". It is ignored if the block may not exist, while it may be too new, and if the server
   * has older ones.
   */
  refused({ workchain, seqno, unproven }: BlockPosition, headSeqno: number, now: number): void {
    // Of a workchain without a block there may be nothing, and clients may name any.
    if (unproven || (workchain !== MASTERCHAIN && !this.workchains.has(workchain))) return
    const bounds = this.bounds(workchain)
    const isSettled =
      workchain === MASTERCHAIN
        ? seqno + SETTLED_BLOCKS <= headSeqno
        : seqno + SETTLED_SHARD_BLOCKS <= bounds.newestHeld
    if (bounds.oldestHeld < seqno) return
    if (!isSettled && !(workchain === MASTERCHAIN && seqno < headSeqno)) return
    if (!isSettled && ++bounds.youngRefusals < YOUNG_REFUSALS) return
    bounds.missingUpTo = Math.max(bounds.missingUpTo, seqno)
    bounds.refusals++
    bounds.refusedAt = now
  }

  /** Bounds without refusals that are too old. */
  private boundsNow(workchain: number, now: number): Bounds | undefined {
    const bounds = this.workchains.get(workchain)
    if (bounds && bounds.missingUpTo >= 0 && now - bounds.refusedAt >= RECHECK_MS) {
      bounds.missingUpTo = -1
      bounds.refusals = 0
    }
    return bounds
  }

  private bounds(workchain: number): Bounds {
    let bounds = this.workchains.get(workchain)
    if (!bounds) {
      bounds = {
        oldestHeld: Number.POSITIVE_INFINITY,
        newestHeld: Number.NEGATIVE_INFINITY,
        missingUpTo: -1,
        refusals: 0,
        refusedAt: Number.NEGATIVE_INFINITY,
        youngRefusals: 0,
      }
      this.workchains.set(workchain, bounds)
    }
    return bounds
  }
}

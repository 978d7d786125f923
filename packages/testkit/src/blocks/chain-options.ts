import type { RawBlock, ShortBlockId } from '@shardwalk/model'
import type { ValidatorSubset } from '@shardwalk/proofs'
import type { GeneratedState } from './generated-state.ts'
import type { Waiting } from './queue-cell.ts'
import type { Lives, Sizes } from './random-account.ts'
import type { GeneratedTransaction } from './random-transaction.ts'
import type { Zerostates } from './zerostates.ts'

export interface ChainOptions {
  readonly seed: number
  /** Masterchain blocks. Default 6. */
  readonly steps?: number
  /** Default 24, a quarter of them in the masterchain. */
  readonly accounts?: number
  /** Transactions of a block at most. Default 8. */
  readonly transactions?: number
  readonly sizes?: Partial<Sizes>
  /** Default: every account changes its status by chance. */
  readonly lives?: Lives
  /** Besides the masterchain. Default: the basechain. */
  readonly workchains?: readonly number[]
  /** The leftmost shard is split in every step; the others make no blocks. */
  readonly splitsDeep?: boolean
  /**
   * Length of the prefix of every shard after a masterchain block: all are split or merged, as often as that
   * takes, and have then one more block unless `rest` gives them none. `splits` does not apply.
   */
  readonly depthAt?: (mcSeqno: number) => number
  /** With `depthAt`: chance that a shard that is neither split nor merged makes no block. Default 0. */
  readonly rest?: number
  /** Chance that a shard is split. Default 0.15. */
  readonly splits?: number
  /**
   * Any number of blocks, splits and merges of each shard between two masterchain blocks, in any order.
   * `splits` does not apply.
   */
  readonly isRestless?: boolean
  /** Chance that an account exists since its workchain began. Default 0. */
  readonly genesis?: number
  /**
   * Masterchain blocks that have shards of a workchain, of those that do not always have them. The block
   * before is a key block, whose configuration names the workchain.
   */
  readonly spans?: ReadonlyMap<number, { readonly from: number; readonly to: number }>
  /**
   * Chance of each shape that is legal and that no network has shown: see `Random.rarely`. Default 0.
   */
  readonly rarity?: number
  /** Chance of a key block. Default 0.1. */
  readonly keyBlocks?: number
  /** Chance that a key block changes who signs the blocks after it, or announces a change. Default 0. */
  readonly validatorChanges?: number
  /** Masterchain seqno from which blocks are signed by simplex consensus. Default: none is. */
  readonly simplexFrom?: number
  /** Masterchain seqnos that states list as key blocks though they are none, or the other way round. */
  readonly falseKeyFlags?: readonly number[]
  /** Constructor tag of states after the zerostates. Default: that of block.tlb. */
  readonly stateTag?: number
  /** Time of this masterchain seqno and its shard blocks, from which it goes on. */
  readonly timeAt?: { readonly seqno: number; readonly utime: number }
  /** Number of the first block of every shard after its zerostate. Default 1. */
  readonly firstShardSeqno?: number
  /** Blocks of which nothing but the header can be decoded, or not even that. */
  readonly unreadable?: (id: ShortBlockId) => boolean | 'wholly'
  /**
   * Balance of every account after the transactions of this masterchain seqno and its shard blocks; seqno 0:
   * of those that exist since genesis. `alone`: of one account of the masterchain only.
   */
  readonly balanceAt?: { readonly seqno: number; readonly balance: bigint; readonly alone?: boolean }
}

/** A block, and what was put into it. */
export interface GeneratedBlock {
  readonly raw: RawBlock
  /** By account, then lt. */
  readonly transactions: readonly GeneratedTransaction[]
  /** State of each touched account after the block, by account id in hex; the cells are whole. */
  readonly states: ReadonlyMap<string, GeneratedState>
  /** What waits in the shard after the block. */
  readonly waiting: Waiting
}

/** A masterchain block with the shard blocks that it commits, predecessors first. */
export interface GeneratedStep {
  readonly mcSeqno: number
  readonly masterchain: GeneratedBlock
  readonly shards: readonly GeneratedBlock[]
  /** Those who sign the masterchain block. */
  readonly validators: ValidatorSubset
  /** Those of the chain, the same in every step. */
  readonly zerostates: Zerostates
}

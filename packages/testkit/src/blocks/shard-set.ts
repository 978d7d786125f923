import type { Cell } from '@shardwalk/cells'
import { FULL_SHARD, parentShard, type ShardId } from '@shardwalk/model'
import type { TopBlock } from './mc-extra.ts'
import type { Random } from './random.ts'
import { splitState } from './state-cells.ts'

/** One shard as it stands. */
export interface Shard {
  readonly workchain: number
  readonly shard: ShardId
  readonly tops: readonly TopBlock[]
  /** Parents after a merge are two. */
  readonly before: Cell
  readonly afterSplit: boolean
}

/** The shards of a chain; once they have changed, by workchain, from left to right. */
export class ShardSet implements Iterable<Shard> {
  constructor(private shards: readonly Shard[]) {}

  get size(): number {
    return this.shards.length
  }

  /** Those that there are now: what is replaced meanwhile does not change the iteration. */
  [Symbol.iterator](): Iterator<Shard> {
    return this.shards[Symbol.iterator]()
  }

  isFirst(shard: Shard): boolean {
    return shard === this.shards[0]
  }

  pick(random: Random): Shard {
    return random.pick(this.shards)
  }

  ofWorkchain(workchain: number): Shard[] {
    return this.shards.filter((shard) => shard.workchain === workchain)
  }

  tops(): TopBlock[] {
    return this.shards.flatMap(({ tops }) => tops)
  }

  /** A shard and its sibling, left one first; undefined if that is not one shard. */
  mergeable(shard: Shard): readonly [Shard, Shard] | undefined {
    const parentOf = (one: Shard) => (one.shard === FULL_SHARD ? undefined : parentShard(one.shard))
    const parent = parentOf(shard)
    const sibling = this.shards.find(
      (one) => one !== shard && one.workchain === shard.workchain && parentOf(one) === parent,
    )
    if (parent === undefined || !sibling) return undefined
    return shard.shard < sibling.shard ? [shard, sibling] : [sibling, shard]
  }

  replace(old: readonly Shard[], fresh: readonly Shard[]): void {
    this.shards = [...this.shards.filter((shard) => !old.includes(shard)), ...fresh].sort(
      (a, b) => a.workchain - b.workchain || (a.shard < b.shard ? -1 : 1),
    )
  }

  /** One shard in place of two siblings; its next block has two predecessors. */
  merge(siblings: readonly [Shard, Shard]): Shard {
    const merged = merge(...siblings)
    this.replace(siblings, [merged])
    return merged
  }
}

const merge = (left: Shard, right: Shard): Shard => ({
  ...{ workchain: left.workchain, shard: parentShard(left.shard), afterSplit: false },
  tops: [...left.tops, ...right.tops],
  before: splitState(left.before, right.before),
})

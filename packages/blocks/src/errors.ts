import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'

/** The walk ended without meeting these tops of the previous masterchain block: some block is missing or not the right one. */
export class ShardFrontierGap extends IndexerError {
  readonly code = 'shard_frontier_gap'
  readonly retry = 'later'

  constructor(readonly missing: readonly BlockId[]) {
    super(`previous shard tops never reached: ${missing.map(formatBlockId).join(', ')}`)
  }
}

/** More shard blocks between two masterchain blocks than can be: the previous tops do not belong to the previous block. */
export class ShardWalkTooLong extends IndexerError {
  readonly code = 'shard_walk_too_long'
  readonly retry = 'never'

  constructor(readonly limit: number) {
    super(`more than ${limit} shard blocks between two masterchain blocks`)
  }
}

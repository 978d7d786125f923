import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'

/** The walk did not reach these tops of the previous masterchain block: a block is missing or wrong. */
export class ShardFrontierGap extends IndexerError {
  readonly code = 'shard_frontier_gap'
  readonly retry = 'later'

  constructor(readonly missing: readonly BlockId[]) {
    super(`previous shard tops never reached: ${missing.map(formatBlockId).join(', ')}`)
  }
}

/**
 * More shard blocks than can lie between two masterchain blocks: the previous tops belong to another block.
 */
export class ShardWalkTooLong extends IndexerError {
  readonly code = 'shard_walk_too_long'
  readonly retry = 'never'

  constructor(readonly limit: number) {
    super(`more than ${limit} shard blocks between two masterchain blocks`)
  }
}

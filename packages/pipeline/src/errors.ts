import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'

/**
 * The source does not have this block, or not yet or no longer. `wanted`: block id as text, or a description.
 */
export class BlockNotAvailable extends IndexerError {
  readonly code = 'block_not_available'
  readonly retry = 'later'

  constructor(
    readonly wanted: string,
    readonly source: string,
    options?: { cause?: unknown; why?: string },
  ) {
    super(`${wanted} is not available from ${source}${options?.why ? `: ${options.why}` : ''}`, options)
  }
}

/** The source returned bytes that are not the requested block. */
export class WrongBytes extends IndexerError {
  readonly code = 'wrong_bytes'
  readonly retry = 'later'
}

/** A masterchain block does not follow its predecessor in the same source. */
export class BrokenChain extends IndexerError {
  readonly code = 'broken_chain'
  readonly retry = 'later'

  constructor(block: BlockId, claimed: BlockId | undefined, actual: BlockId) {
    super(
      `${formatBlockId(block)} follows ${claimed ? formatBlockId(claimed) : 'nothing'}, but its ` +
        `predecessor is ${formatBlockId(actual)}`,
    )
  }
}

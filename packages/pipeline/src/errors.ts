import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'

/**
 * The source has no such block (yet, or any more). `wanted` is a block id as text, or what was looked for.
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

/** A masterchain block does not follow the block that the source has before it. */
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

import { IndexerError } from '@shardwalk/model'

/** The source has no such block (yet, or any more). `wanted` is a block id as text, or what was looked for. */
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

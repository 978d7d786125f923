import { IndexerError } from '@shardwalk/model'

/** A filter names a masterchain block that is not indexed, or not yet. */
export class MasterchainBlockNotIndexed extends IndexerError {
  readonly code = 'mc_block_not_indexed'
  readonly retry = 'later'

  constructor(readonly mcBlockSeqno: number) {
    super(`masterchain block ${mcBlockSeqno} not found`)
  }
}

import { IndexerError, type McBlockSeqno } from '@shardwalk/model'

/**
 * Blocks that retention drops, or whose rows may still be there, cannot be indexed. Ends a job: what is
 * wanted again is planned again.
 */
export class BeingDropped extends IndexerError {
  readonly code = 'being_dropped'
  readonly retry = 'never'

  constructor(first: McBlockSeqno) {
    super(`masterchain blocks before ${first} are dropped (RETENTION), not indexed until that is done`)
  }
}

import { type BlockId, formatBlockId, IndexerError } from '@shardwalk/model'

/**
 * No server has the proof: a state was dropped, or the proof has not been made yet. It may become available.
 */
export class NotProvableNow extends IndexerError {
  readonly code = 'not_provable_now'
  readonly retry = 'later'
}

/** Every server that was asked returned a false proof. */
export class OnlyFalseProofs extends IndexerError {
  readonly code = 'only_false_proofs'
  readonly retry = 'later'
}

/**
 * A stored masterchain block differs from the one that validators signed. Indexing stops, because its
 * neighbours are false too.
 */
export class ChainConflict extends IndexerError {
  readonly code = 'chain_conflict'
  readonly retry = 'never'

  constructor(
    readonly stored: BlockId,
    readonly proven: BlockId,
    /** JSON that shows why `proven` is right. */
    readonly evidence: Readonly<Record<string, unknown>>,
  ) {
    super(
      `masterchain block ${stored.seqno} is stored as ${formatBlockId(stored)}, proven is ` +
        `${formatBlockId(proven)}; ` +
        `the evidence is in proof_conflicts; "shardwalk repair ${stored.seqno} <last>" writes the blocks ` +
        'anew',
    )
  }
}

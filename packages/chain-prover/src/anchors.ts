import { type BlockId, formatBlockId, IndexerError, sameBlock } from '@shardwalk/model'

/** Two trusted blocks with the same seqno differ: global config and database belong to different chains. */
export class AnchorMismatch extends IndexerError {
  readonly code = 'anchor_mismatch'
  readonly retry = 'never'

  constructor(known: BlockId, other: BlockId) {
    super(
      `the trusted block ${formatBlockId(known)} contradicts ${formatBlockId(other)}; check the global ` +
        'config, or empty trusted_key_blocks',
    )
  }
}

/** Key blocks (the zerostate counts as one) that proofs may start from, by seqno. */
export class TrustAnchors {
  private readonly ids: BlockId[] = []

  constructor(ids: readonly BlockId[]) {
    for (const id of ids) this.add(id)
  }

  /** Returns false if it is already known. Throws `AnchorMismatch`. */
  add(id: BlockId): boolean {
    const at = this.ids.findLastIndex((known) => known.seqno <= id.seqno)
    const known = this.ids[at]
    if (known?.seqno === id.seqno) {
      if (!sameBlock(known, id)) throw new AnchorMismatch(known, id)
      return false
    }
    this.ids.splice(at + 1, 0, id)
    return true
  }

  /**
   * The newest block not after `seqno`, from which signatures lead to the target; otherwise the oldest, whose
   * state lists earlier blocks.
   */
  nearest(seqno: number): BlockId {
    const id = this.ids.findLast((known) => known.seqno <= seqno) ?? this.ids[0]
    if (!id) throw new Error('no anchor is configured')
    return id
  }
}

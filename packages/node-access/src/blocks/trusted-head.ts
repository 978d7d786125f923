import { FairTurns } from '@shardwalk/concurrency'
import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import { BlockProofChecker, ProofError, verifyProgress } from '@shardwalk/proofs'
import { LITE_MODE } from '@shardwalk/tl'
import { callScope } from '../call-scope.ts'
import type { AskOptions, LiteClient } from '../lite-client.ts'

const PROOF_MODE = LITE_MODE.blockProof.target | LITE_MODE.blockProof.relative
/** More rounds than the key blocks of a decade require at sixteen links per round. */
const MAX_ROUNDS = 2000
/** Requested blocks that are proven at the same time, so that servers have time for the head. */
const MAX_AT_ONCE = 8

export interface TrustedHeadOptions {
  /** A block that the global config trusts, the newest one. */
  readonly anchor: BlockId
  /** The newest key block proven earlier. Called once; must not reject. */
  readonly known: () => Promise<BlockId | undefined>
}

/** Follows validator signatures from a trusted block to newer blocks, and back links to older ones. */
export class TrustedHead {
  private readonly checker = new BlockProofChecker()
  private readonly turns = new FairTurns(MAX_AT_ONCE)
  private readonly started: Promise<void>
  private newest: BlockId
  /** The newest proven key block, or the anchor. */
  private keyBlock: BlockId

  constructor(
    private readonly client: LiteClient,
    { anchor, known }: TrustedHeadOptions,
  ) {
    this.newest = anchor
    this.keyBlock = anchor
    // On a public network thousands of key blocks separate the anchor from the head.
    this.started = known().then((block) => {
      if (block) this.reached([block])
    })
  }

  /** The newest proven block. */
  get latest(): BlockId {
    return this.newest
  }

  /** The newest proven key block, or the anchor: every server with a newer block can prove that from here. */
  get latestKeyBlock(): BlockId {
    return this.keyBlock
  }

  /**
   * Proves that a masterchain block belongs to the chain. Few such proofs run at a time; clients take turns.
   * Throws what the pool throws, and `ProofError` if the proofs do not end.
   */
  prove(id: BlockId): Promise<void> {
    const proof = async () => {
      await this.started
      // Signatures of ordinary blocks are kept for a limited time.
      await this.reach(id, id.seqno > this.newest.seqno ? this.keyBlock : this.newest)
    }
    return this.turns.run(proof, { client: callScope().client })
  }

  /** Proves a block that some servers have as their head. Like `prove`, but at once. */
  async proveHead(id: BlockId, options?: AskOptions): Promise<void> {
    await this.started
    if (sameBlock(id, this.newest)) return
    await this.reach(id, id.seqno > this.keyBlock.seqno ? this.keyBlock : this.newest, options)
  }

  private async reach(id: BlockId, start: BlockId, options?: AskOptions): Promise<void> {
    let from = start
    for (let round = 0; !sameBlock(from, id); round++) {
      if (round >= MAX_ROUNDS) throw new ProofError('block proof', `does not reach ${formatBlockId(id)}`)
      from = await this.follow(from, id, options)
      // Another proof may have come further.
      if (from.seqno < this.keyBlock.seqno && this.keyBlock.seqno < id.seqno) from = this.keyBlock
    }
  }

  private async follow(known: BlockId, id: BlockId, options?: AskOptions): Promise<BlockId> {
    const { to, keyBlocks } = await this.client.ask(
      'liteServer.getBlockProof',
      { mode: PROOF_MODE, knownBlock: known, targetBlock: id },
      (proof) => {
        const step = this.checker.verify(proof, known)
        verifyProgress(proof, id)
        return step
      },
      { ...options, mcBlockSeqno: Math.max(known.seqno, id.seqno) },
    )
    this.reached(keyBlocks)
    if (to.seqno > this.newest.seqno) this.newest = to
    return to
  }

  private reached(keyBlocks: readonly BlockId[]): void {
    for (const block of keyBlocks) {
      if (block.seqno > this.keyBlock.seqno) this.keyBlock = block
      if (block.seqno > this.newest.seqno) this.newest = block
    }
  }
}

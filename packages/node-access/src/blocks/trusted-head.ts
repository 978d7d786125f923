import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import { BlockProofChecker, ProofError, verifyProgress } from '@shardwalk/proofs'
import type { LiteClient } from '../lite-client.ts'

/** More rounds than the key blocks of a decade require at sixteen links per round. */
const MAX_ROUNDS = 2000
/** Modes of `liteServer.getBlockProof`. Source: node, `validator/impl/liteserver.cpp`. */
const TARGET_GIVEN = 1
/** The proof uses nothing newer than the newer of the two blocks. */
const RELATIVE = 0x1000

export interface TrustedHeadOptions {
  /** The zerostate, or the init block of the global config. */
  readonly anchor: BlockId
  /** The newest key block proven earlier. Called once; must not reject. */
  readonly known: () => Promise<BlockId | undefined>
}

/** Follows validator signatures from a trusted block to newer blocks, and back links to older ones. */
export class TrustedHead {
  private readonly checker = new BlockProofChecker()
  private newest: BlockId
  private work: Promise<unknown>

  constructor(
    private readonly client: LiteClient,
    { anchor, known }: TrustedHeadOptions,
  ) {
    this.newest = anchor
    // On a public network thousands of key blocks separate the anchor from the head.
    this.work = known().then((block) => {
      if (block && block.seqno > anchor.seqno) this.newest = block
    })
  }

  /** The newest proven block. */
  get latest(): BlockId {
    return this.newest
  }

  /**
   * Proves that the masterchain block belongs to the chain. Proofs run one after another, so that each starts
   * where the previous one ended. Throws what the pool throws, and `ProofError` if the proofs do not end.
   */
  prove(id: BlockId): Promise<void> {
    const work = this.work.then(() => this.follow(id))
    this.work = work.catch(() => {})
    return work
  }

  private async follow(id: BlockId): Promise<void> {
    let from = this.newest
    for (let round = 0; round < MAX_ROUNDS && !sameBlock(from, id); round++) {
      const known = from
      const step = await this.client.ask(
        'liteServer.getBlockProof',
        { mode: RELATIVE | TARGET_GIVEN, knownBlock: known, targetBlock: id },
        (proof) => {
          const step = this.checker.verify(proof, known)
          verifyProgress(proof, id)
          return step
        },
        { mcBlockSeqno: Math.max(known.seqno, id.seqno) },
      )
      from = step.to
      if (from.seqno > this.newest.seqno) this.newest = from
    }
    if (!sameBlock(from, id)) throw new ProofError('block proof', `does not reach ${formatBlockId(id)}`)
  }
}

import type { BlockId } from '@shardwalk/model'
import { sameBlock } from '@shardwalk/model'
import { BlockProofChecker } from '@shardwalk/proofs'
import type { LiteClient } from './lite-client.ts'

/** More rounds than the key blocks of a decade need at sixteen links each. */
const MAX_ROUNDS = 2000
const TARGET_GIVEN = 1
/** Bases the proof on the newer of the two blocks instead of the server's newest. */
const RELATIVE = 0x1000

export interface TrustedHeadOptions {
  /** The zerostate, or the init block of the global config. */
  readonly anchor: BlockId
  /** The newest key block that somebody trustworthy proved before; asked once, never rejects. */
  readonly known: () => Promise<BlockId | undefined>
}

/**
 * Follows signatures of validators from a block that is trusted from the start (the zerostate, or the init block of the global config) to
 * newer ones, and back links to older ones.
 */
export class TrustedHead {
  private readonly checker = new BlockProofChecker()
  private newest: BlockId
  private work: Promise<unknown>

  constructor(
    private readonly client: LiteClient,
    { anchor, known }: TrustedHeadOptions,
  ) {
    this.newest = anchor
    // A key block that was proven before saves the way to it, which is long on a public network.
    this.work = known().then((block) => {
      if (block && block.seqno > anchor.seqno) this.newest = block
    })
  }

  get latest(): BlockId {
    return this.newest
  }

  /** Proves that the masterchain block belongs to the chain. One after the other: the second finds what the first has proven. */
  prove(id: BlockId): Promise<void> {
    const work = this.work.then(() => this.proveLink(id))
    this.work = work.catch(() => {})
    return work
  }

  private async proveLink(id: BlockId): Promise<void> {
    let from = this.newest
    for (let round = 0; round < MAX_ROUNDS && !sameBlock(from, id); round++) {
      const known = from
      const step = await this.client.ask(
        'liteServer.getBlockProof',
        { mode: RELATIVE | TARGET_GIVEN, knownBlock: known, targetBlock: id },
        (proof) => this.checker.verify(proof, known),
        { mcBlockSeqno: Math.max(known.seqno, id.seqno) },
      )
      from = step.to
      if (from.seqno > this.newest.seqno) this.newest = from
    }
  }
}

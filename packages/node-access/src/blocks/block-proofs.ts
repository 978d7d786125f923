import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import {
  type BlockLink,
  BlockProofChecker,
  prove,
  type SignatureSet,
  verifyShardBlockProof,
} from '@shardwalk/proofs'
import { LITE_MODE, type LiteResults } from '@shardwalk/tl'
import { AsyncCache } from '../async-cache.ts'
import { NodeAccessError } from '../errors.ts'
import type { LiteClient } from '../lite-client.ts'
import type { Blocks } from './blocks.ts'

const PROOF_MODE = LITE_MODE.blockProof.target | LITE_MODE.blockProof.relative
/** Maximum length of the chain, back to the masterchain block of a shard block, that tonlib follows. */
const MAX_LINKS = 8

type ForwardLink = Extract<BlockLink, { readonly kind: 'liteServer.blockLinkForward' }>
/**
 * A link of a proof that leads to an older masterchain block. Source: lite_api.tl,
 * `liteServer.blockLinkBack`.
 */
export type BackLink = Extract<BlockLink, { readonly kind: 'liteServer.blockLinkBack' }>
type BlockProof = LiteResults['liteServer.getBlockProof']
type ShardLinks = LiteResults['liteServer.getShardBlockProof']

/**
 * That a masterchain block committed a shard block: links from it to the shard block, and to it from a newer
 * one.
 */
export interface ShardBlockProof extends ShardLinks {
  /** From a newer masterchain block back to `masterchainId`; empty when both are the same. */
  readonly backLinks: readonly BackLink[]
}

/**
 * Proofs as lite servers return them, for clients that verify them on their own. All are verified here first.
 */
export class BlockProofs {
  private readonly forwardLinks = new AsyncCache<ForwardLink>(500)
  private readonly shardLinks = new AsyncCache<ShardLinks>(500)
  private readonly backLinks = new AsyncCache<readonly BackLink[]>(500)

  constructor(
    private readonly client: LiteClient,
    private readonly blocks: Blocks,
  ) {}

  /** A masterchain block and its validator signatures. */
  async signatures(seqno: number): Promise<{ readonly id: BlockId; readonly signatures: SignatureSet }> {
    const [before, id] = await Promise.all([
      this.blocks.masterchain(seqno - 1),
      this.blocks.masterchain(seqno),
    ])
    const { signatures } = await this.forwardLinks.get(formatBlockId(id), () => this.forwardLink(before, id))
    return { id, signatures }
  }

  /**
   * Proof from masterchain block `from` to a block: back to the masterchain block that commits it, then down
   * to the block.
   */
  async shardBlock(id: BlockId, from: BlockId): Promise<ShardBlockProof> {
    const links = await this.shardLinks.get(formatBlockId(id), () =>
      this.client.ask(
        'liteServer.getShardBlockProof',
        { id },
        (answer) => {
          verifyShardBlockProof(answer, id)
          return answer
        },
        // Not older than the block that commits it.
        { mcBlockSeqno: from.seqno },
      ),
    )
    const to = links.masterchainId
    if (from.seqno < to.seqno) throw new NodeAccessError('proof_base_too_old', 'from mc block is too old')
    const backLinks = sameBlock(from, to)
      ? []
      : await this.backLinks.get(`${formatBlockId(from)}${formatBlockId(to)}`, () => this.linksBack(from, to))
    return { ...links, backLinks }
  }

  private forwardLink(before: BlockId, id: BlockId): Promise<ForwardLink> {
    const args = { mode: PROOF_MODE, knownBlock: before, targetBlock: id }
    const verify = (proof: BlockProof) => {
      new BlockProofChecker().verify(proof, before)
      const last = proof.steps.at(-1)
      const isForward = last?.kind === 'liteServer.blockLinkForward' && sameBlock(last.to, id)
      prove(isForward, 'signatures', 'no forward link')
      return last as ForwardLink
    }
    return this.client.ask('liteServer.getBlockProof', args, verify, { mcBlockSeqno: id.seqno })
  }

  private async linksBack(from: BlockId, to: BlockId): Promise<readonly BackLink[]> {
    const links: BlockLink[] = []
    for (let known = from; !sameBlock(known, to); ) {
      const start = known
      const args = { mode: PROOF_MODE, knownBlock: start, targetBlock: to }
      const verify = (answer: BlockProof) => {
        new BlockProofChecker().verify(answer, start)
        prove(answer.steps.length > 0, 'block proof', 'no links')
        return answer
      }
      const options = { mcBlockSeqno: from.seqno }
      const proof = await this.client.ask('liteServer.getBlockProof', args, verify, options)
      links.push(...proof.steps)
      if (links.length > MAX_LINKS) throw new NodeAccessError('proof_too_long', 'chain is too long')
      known = proof.to
    }
    if (!links.every(isBackLink))
      throw new NodeAccessError('proof_not_back_links', 'expected back links only')
    return links
  }
}

const isBackLink = (link: BlockLink): link is BackLink => link.kind === 'liteServer.blockLinkBack'

import { type BlockId, formatBlockId, sameBlock } from '@shardwalk/model'
import type { FullNodeClient } from '@shardwalk/p2p'
import { BlockNotAvailable } from '@shardwalk/pipeline'
import type { LiteResults } from '@shardwalk/tl'
import type { KeyBlocks } from './key-blocks.ts'
import { openSigned } from './signed-link.ts'

/** Links of an answer. Source: liteserver.cpp. */
const MAX_LINKS = 16

/**
 * Answers to `liteServer.getBlockProof`, made of the proofs that full nodes keep, for whoever proves the
 * indexed chain.
 */
export class FullNodeProofs {
  constructor(
    private readonly client: FullNodeClient,
    private readonly keyBlocks: KeyBlocks,
  ) {}

  /** Throws `BlockNotAvailable`, `NoPeerAnswered` or `ProofError`. */
  async queryFrom(
    _name: 'liteServer.getBlockProof',
    { knownBlock, targetBlock }: { readonly knownBlock: BlockId; readonly targetBlock?: BlockId },
  ): Promise<{ readonly value: LiteResults['liteServer.getBlockProof']; readonly server: string }> {
    const target = targetBlock ?? this.keyBlocks.newest
    if (target.seqno < knownBlock.seqno)
      throw new BlockNotAvailable(`proof of ${formatBlockId(target)}`, 'full nodes', {
        why: `it is older than ${knownBlock.seqno}`,
      })
    const steps = sameBlock(knownBlock, target) ? [] : await this.links(knownBlock, target)
    const to = steps.at(-1)?.to ?? knownBlock
    const complete = sameBlock(to, target)
    const value = { kind: 'liteServer.partialBlockProof', complete, from: knownBlock, to, steps } as const
    return { value, server: 'full nodes' }
  }

  private async links(from: BlockId, target: BlockId) {
    // A node whose signatures are false is found out here, where others can be asked.
    const last = await this.client.blockProof(target, (proof) =>
      this.keyBlocks.prove(openSigned({ id: target, proof })),
    )
    const path = await this.keyBlocks.follow(from, last.from.seqno, MAX_LINKS)
    const links = []
    let at = from
    for (const id of path) {
      const from = at
      const config = await this.keyBlocks.configProof(from)
      const verified = (proof: Buffer) => this.keyBlocks.verify(from, config, openSigned({ id, proof }))
      links.push(await this.client.keyBlockProof(id, verified))
      at = id
    }
    return at.seqno === last.from.seqno ? [...links, last] : links
  }

  /** Does nothing: full nodes are reported where they are asked. */
  report(): void {}

  /** Always rejects: full nodes do not look up blocks by seqno. */
  lookupBlock(): Promise<BlockId> {
    return Promise.reject(new BlockNotAvailable('a block by its seqno', 'full nodes'))
  }
}

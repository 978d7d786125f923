import type { Cell } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { loadBlockInfoOf } from '@shardwalk/tlb'
import { openSingleProof } from './config.ts'
import { prove, proving } from './errors.ts'
import { findShardTopInBlock } from './shards.ts'

const SUBJECT = 'shard block proof'

/** Fields of `liteServer.shardBlockProof` used by the check. */
export interface ShardBlockProofAnswer {
  readonly masterchainId: BlockId
  readonly links: readonly { readonly id: BlockId; readonly proof: Buffer }[]
}

/**
 * Checks the links from masterchain block `masterchainId` to block `id`: the masterchain block refers to the
 * first shard block, every block to its predecessor. The caller must prove `masterchainId`. Throws
 * `ProofError`.
 */
export function verifyShardBlockProof({ masterchainId, links }: ShardBlockProofAnswer, id: BlockId): void {
  if (id.workchain === MASTERCHAIN) prove(sameBlock(masterchainId, id), SUBJECT, 'another block')
  else prove(links.length > 0 && sameBlock(links.at(-1)!.id, id), SUBJECT, 'ends at another block')
  links.forEach((link, i) => {
    const above = i === 0 ? masterchainId : links[i - 1]!.id
    const root = openSingleProof(link.proof, above.rootHash, SUBJECT)
    const named = i === 0 ? findShardTopInBlock(root, link.id, SUBJECT) : findPredecessor(root, link.id)
    prove(named !== undefined && sameBlock(named, link.id), SUBJECT, `link ${i} leads to another block`)
  })
}

const findPredecessor = (block: Cell, wanted: BlockId): BlockId | undefined =>
  proving(SUBJECT, () => loadBlockInfoOf(block.slice()).info.prev.find((id) => id.shard === wanted.shard))

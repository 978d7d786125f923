import type { BlockId, ShortBlockId } from '@shardwalk/model'
import { type LookupAnswer, ProofError, verifyLookup } from '@shardwalk/proofs'
import { LITE_MODE } from '@shardwalk/tl'
import { LiteServerPool, type MethodOptions } from './lite-server-pool.ts'

/**
 * A pool that accepts the id of a looked-up block only with a valid proof. A server that returns another
 * block is reported.
 */
export class CheckedPool extends LiteServerPool {
  override async lookupBlock(id: ShortBlockId, options?: MethodOptions): Promise<BlockId> {
    const answer = await this.query(
      'liteServer.lookupBlock',
      { mode: LITE_MODE.lookupBlock.bySeqno, id },
      { ...options, check: (found) => problemWith(found, id) },
    )
    return answer.id
  }
}

function problemWith(found: LookupAnswer, id: ShortBlockId): string | undefined {
  try {
    verifyLookup(found, id, { seqno: id.seqno })
    return undefined
  } catch (error) {
    if (error instanceof ProofError) return error.message
    throw error
  }
}

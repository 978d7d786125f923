import { blockIdExt } from '@shardwalk/api-schema'
import { LiteServerError } from '@shardwalk/liteserver'
import type { BackLink } from '@shardwalk/node-access'
import { failure, toV2Failure } from '../node/failures.ts'
import { shortId } from './blocks.ts'
import type { V2Handlers } from './handler.ts'

export const BLOCK_PROOF_HANDLERS: V2Handlers<'getMasterchainBlockSignatures' | 'getShardBlockProof'> = {
  async getMasterchainBlockSignatures({ blockProofs }, { seqno }) {
    const { id, signatures: set } = await blockProofs.signatures(seqno)
    const common = {
      id: blockIdExt(id),
      signatures: set.signatures.map(({ nodeIdShort, signature }) => ({
        '@type': 'blocks.signature',
        node_id_short: nodeIdShort.toString('base64'),
        signature: signature.toString('base64'),
      })),
    }
    if (set.kind !== 'liteServer.signatureSet.simplex')
      return { '@type': 'blocks.blockSignatures', ...common }
    return {
      '@type': 'blocks.blockSignatures.simplex',
      ...common,
      session_id: set.sessionId.toString('base64'),
      slot: set.slot,
      candidate: set.candidate.toString('base64'),
    }
  },

  async getShardBlockProof({ blocks, blockProofs }, { workchain, shard, seqno, from_seqno }) {
    const id = await blocks.lookup(shortId({ workchain, shard, seqno }), { seqno })
    const from = await blocks.masterchain(from_seqno).catch((error: unknown) => {
      throw from_seqno === undefined ? error : ofStart(error)
    })
    const { masterchainId, links, backLinks } = await blockProofs.shardBlock(id, from)
    return {
      '@type': 'blocks.shardBlockProof',
      from: blockIdExt(from),
      mc_id: blockIdExt(masterchainId),
      links: links.map((link) => ({
        '@type': 'blocks.shardBlockLink',
        id: blockIdExt(link.id),
        proof: link.proof.toString('base64'),
      })),
      mc_proof: backLinks.map(linkBack),
    }
  },
}

/** As tonlib distinguishes it from a refusal of the block itself. */
function ofStart(error: unknown): unknown {
  if (!(error instanceof LiteServerError)) return error
  const { status, text } = toV2Failure(error, 'get')
  return failure(status, `lookup from block error: ${text}`)
}

const linkBack = (link: BackLink) => ({
  '@type': 'blocks.blockLinkBack',
  to_key_block: link.toKeyBlock,
  from: blockIdExt(link.from),
  to: blockIdExt(link.to),
  dest_proof: link.destProof.toString('base64'),
  proof: link.proof.toString('base64'),
  state_proof: link.stateProof.toString('base64'),
})

import { blockIdExt } from '@shardwalk/api-schema'
import { type Cell, loadDictRoot, lookup } from '@shardwalk/cells'
import {
  type BlockId,
  childShards,
  FULL_SHARD,
  formatBlockId,
  MASTERCHAIN,
  sameBlock,
  shardContains,
} from '@shardwalk/model'
import type { ChainReader } from '@shardwalk/node-access'
import { AsyncCache } from '@shardwalk/node-access'
import { type BlockLink, BlockProofChecker, openSingleProof, prove, proving } from '@shardwalk/proofs'
import type { LiteResults } from '@shardwalk/tl'
import { loadBlockInfoOf, loadShardDescr } from '@shardwalk/tlb'
import { shortId } from './blocks.ts'
import type { V2Handlers } from './context.ts'
import { failure } from './failures.ts'

/** Target given, relative to the newer block: what tonlib asks with. */
const TONLIB_MODE = 0x1001
/** Source: API v2 specification 5.3. */
const MAX_LINKS = 8

type ForwardLink = Extract<BlockLink, { readonly kind: 'liteServer.blockLinkForward' }>

const forwardLinks = new AsyncCache<ForwardLink>(500)
const shardProofs = new AsyncCache<LiteResults['liteServer.getShardBlockProof']>(500)
const backSteps = new AsyncCache<readonly BlockLink[]>(500)

export const BLOCK_PROOF_HANDLERS: V2Handlers<'getMasterchainBlockSignatures' | 'getShardBlockProof'> = {
  async getMasterchainBlockSignatures({ chain }, { seqno }) {
    const [before, id] = await Promise.all([chain.masterchainBlock(seqno - 1), chain.masterchainBlock(seqno)])
    const { signatures: set } = await forwardLinks.get(formatBlockId(id), () =>
      forwardLink(chain, before, id),
    )
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

  async getShardBlockProof({ chain }, { workchain, shard, seqno, from_seqno }) {
    const id = await chain.lookup(shortId({ workchain, shard, seqno }), { seqno })
    const from = from_seqno === undefined ? await chain.head() : await fromBlock(chain, from_seqno)
    const { masterchainId, links } = await shardProofs.get(formatBlockId(id), () => shardProof(chain, id))
    if (from.seqno < masterchainId.seqno) throw failure(500, 'from mc block is too old')
    const steps = sameBlock(from, masterchainId)
      ? []
      : await backSteps.get(`${formatBlockId(from)}${formatBlockId(masterchainId)}`, () =>
          backLinks(chain, from, masterchainId),
        )
    return {
      '@type': 'blocks.shardBlockProof',
      from: blockIdExt(from),
      mc_id: blockIdExt(masterchainId),
      links: links.map((link) => ({
        '@type': 'blocks.shardBlockLink',
        id: blockIdExt(link.id),
        proof: link.proof.toString('base64'),
      })),
      mc_proof: steps.map(linkBack),
    }
  },
}

async function fromBlock(chain: ChainReader, seqno: number): Promise<BlockId> {
  try {
    return await chain.masterchainBlock(seqno)
  } catch (error) {
    if (error instanceof Error) error.message = `lookup from block error: ${error.message}`
    throw error
  }
}

async function forwardLink(chain: ChainReader, before: BlockId, id: BlockId): Promise<ForwardLink> {
  const args = { mode: TONLIB_MODE, knownBlock: before, targetBlock: id }
  return chain.client.ask('liteServer.getBlockProof', args, (proof) => {
    new BlockProofChecker().verify(proof, before)
    const last = proof.steps.at(-1)
    prove(
      last?.kind === 'liteServer.blockLinkForward' && sameBlock(last.to, id),
      'signatures',
      'no forward link',
    )
    return last as ForwardLink
  })
}

/** Each link proves the block of the next one: the masterchain block names the shard block, that one its predecessor. */
function shardProof(chain: ChainReader, id: BlockId) {
  const verify = (answer: LiteResults['liteServer.getShardBlockProof']) => {
    const { masterchainId, links } = answer
    if (id.workchain === MASTERCHAIN) prove(sameBlock(masterchainId, id), SUBJECT, 'another block')
    else prove(links.length > 0 && sameBlock(links.at(-1)!.id, id), SUBJECT, 'ends at another block')
    links.forEach((link, i) => {
      const above = i === 0 ? masterchainId : links[i - 1]!.id
      const root = openSingleProof(link.proof, above.rootHash, SUBJECT)
      const named = i === 0 ? shardTopOf(root, link.id) : predecessorOf(root, link.id)
      prove(named !== undefined && sameBlock(named, link.id), SUBJECT, `link ${i} leads to another block`)
    })
    return answer
  }
  return chain.client.ask('liteServer.getShardBlockProof', { id }, verify, { mcBlockSeqno: 1 })
}

const SUBJECT = 'shard block proof'

const predecessorOf = (block: Cell, wanted: BlockId): BlockId | undefined =>
  proving(SUBJECT, () => loadBlockInfoOf(block.slice()).info.prev.find((id) => id.shard === wanted.shard))

/** The top of exactly this shard in a masterchain block that shows no more than the way to it. */
function shardTopOf(block: Cell, wanted: BlockId): BlockId | undefined {
  return proving(SUBJECT, () => {
    const extra = block.slice().skipRefs(3).loadRefSlice()
    const custom = extra
      .skip(32 + 256 + 256)
      .skipRefs(3)
      .loadRefSlice()
      .skip(16 + 1)
    let tree = lookup(loadDictRoot(custom), 32, wanted.workchain >>> 0)?.loadRefSlice()
    for (let shard = FULL_SHARD; tree; ) {
      if (!tree.loadBit()) return loadShardDescr(tree, wanted.workchain, shard)
      const [left, right] = childShards(shard)
      const isRight = !shardContains(left, wanted.shard)
      shard = isRight ? right : left
      tree = tree.skipRefs(isRight ? 1 : 0).loadRefSlice()
    }
    return undefined
  })
}

async function backLinks(chain: ChainReader, from: BlockId, to: BlockId): Promise<readonly BlockLink[]> {
  const steps: BlockLink[] = []
  for (let known = from; !sameBlock(known, to); ) {
    const start = known
    const args = { mode: TONLIB_MODE, knownBlock: start, targetBlock: to }
    const proof = await chain.client.ask('liteServer.getBlockProof', args, (answer) => {
      new BlockProofChecker().verify(answer, start)
      prove(answer.steps.length > 0, 'block proof', 'no links')
      return answer
    })
    steps.push(...proof.steps)
    if (steps.length > MAX_LINKS) throw failure(500, 'chain is too long')
    known = proof.to
  }
  return steps
}

function linkBack(link: BlockLink) {
  if (link.kind !== 'liteServer.blockLinkBack')
    throw failure(500, 'VALIDATE_BLOCK_PROOF: expected back links only')
  return {
    '@type': 'blocks.blockLinkBack',
    to_key_block: link.toKeyBlock,
    from: blockIdExt(link.from),
    to: blockIdExt(link.to),
    dest_proof: link.destProof.toString('base64'),
    proof: link.proof.toString('base64'),
    state_proof: link.stateProof.toString('base64'),
  }
}

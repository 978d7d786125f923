import { lookup, serializeBoc } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN, sameBlock, shardContainsPrefix } from '@shardwalk/model'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readMcState, readMcStateInfo, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'
import { findBlock, headerProof } from './blocks.ts'
import { shardLinks } from './shards.ts'

const EMPTY = Buffer.alloc(0)

/**
 * The block found, its proof from the client's masterchain block, and the header of its non-matching
 * predecessor.
 */
export async function lookupBlockWithProof(
  chain: ReplayChain,
  args: LiteArguments['liteServer.lookupBlockWithProof'],
): Promise<LiteResults['liteServer.lookupBlockWithProof']> {
  checkBlockId(args.mcBlockId)
  const client = chain.loadable(args.mcBlockId)
  const block = findBlock(chain, args)
  const committer = chain.committer(block)
  if (committer.id.seqno > client.id.seqno)
    throw badRequest('specified mc block is older than block being looked up')
  return {
    id: block.id,
    mode: args.mode,
    mcBlockId: committer.id,
    ...(await mcProof(chain, client, committer)),
    shardLinks: await shardLinks(chain, block),
    header: headerProof(await chain.tree(block), block.id, 0),
    prevHeader:
      args.mode & (LITE_MODE.lookupBlock.byLt | LITE_MODE.lookupBlock.byUtime)
        ? await prevHeader(chain, block, args.id.shard)
        : EMPTY,
  }
}

/**
 * Proof from the client's block through its state to an earlier masterchain block; empty if they are the
 * same.
 */
async function mcProof(chain: ReplayChain, client: ChainBlock, target: ChainBlock) {
  if (sameBlock(client.id, target.id)) return { clientMcStateProof: EMPTY, mcBlockProof: EMPTY }
  const clientMcStateProof = serializeBoc(stateRootProof(await chain.tree(client)))
  return { clientMcStateProof, mcBlockProof: await prevBlockProof(chain, client.id, [target.id.seqno]) }
}

/**
 * Proof from the state of a masterchain block to its entries of earlier ones. Source: block.tlb
 * `OldMcBlocksInfo`.
 */
export async function prevBlockProof(
  chain: ReplayChain,
  from: BlockId,
  seqnos: readonly number[],
): Promise<Buffer> {
  const reader = new ProofReader(await chain.state(from))
  const { prevBlocks } = readMcStateInfo(reader, readMcState(reader).info)
  for (const seqno of seqnos) lookup(prevBlocks && reader.open(prevBlocks), 32, seqno)
  return reader.boc()
}

async function prevHeader(chain: ReplayChain, block: ChainBlock, prefix: bigint): Promise<Buffer> {
  const isPrev = ({ shard }: { shard: bigint }) =>
    block.id.workchain === MASTERCHAIN || shardContainsPrefix(shard, prefix)
  const prev = block.prev.find((candidate) => isPrev(candidate)) ?? block.prev[0]!
  return prev.seqno === 0 ? EMPTY : headerProof(await chain.tree(chain.block(prev)), prev, 0)
}

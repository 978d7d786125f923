import { Builder, type Cell, serializeBoc } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN, type ShardId, sameBlock, shardContains } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import { checkBlockId, INVALID_WORKCHAIN, type ReplayChain } from '../chain.ts'
import {
  findShardLeaf,
  readHeader,
  readMcExtra,
  readMcState,
  readShardDescr,
  stateRootProof,
} from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'

/**
 * Maximum number of links in a shard block proof. Source: node, liteserver.cpp, perform_getShardBlockProof.
 */
const MAX_LINKS = 8
const NO_HASH = Buffer.alloc(32)

/**
 * All shard tops of a masterchain block, with a proof. Source: lite_api.tl, `liteServer.getAllShardsInfo`.
 */
export async function getAllShardsInfo(
  chain: ReplayChain,
  { id }: LiteArguments['liteServer.getAllShardsInfo'],
): Promise<LiteResults['liteServer.getAllShardsInfo']> {
  checkBlockId(id)
  requireMasterchain(id)
  const tree = await chain.tree(chain.loadable(id))
  const reader = new ProofReader(tree.root)
  const { shardHashes } = readMcExtra(reader, tree)
  const data = serializeBoc(new Builder().storeMaybeRef(shardHashes).endCell())
  return { id, proof: reader.boc(), data }
}

/**
 * The top of one shard, or of the shard around it unless `exact`, with a proof also of its absence. Source:
 * lite_api.tl, `liteServer.getShardInfo`.
 */
export async function getShardInfo(
  chain: ReplayChain,
  { id, workchain, shard, exact }: LiteArguments['liteServer.getShardInfo'],
): Promise<LiteResults['liteServer.getShardInfo']> {
  checkBlockId(id)
  requireMasterchain(id)
  const { proof, shardblk, descr } = await shardProof(chain, chain.reference(id), { workchain, shard, exact })
  return { id, shardblk, shardProof: proof, shardDescr: descr ? serializeBoc(descr) : Buffer.alloc(0) }
}

/** Where a shard stands at a masterchain block. */
export interface ShardProof {
  /** Two roots: masterchain block, masterchain state. */
  readonly proof: Buffer
  /** The node's invalid block id if there is no such shard. */
  readonly shardblk: BlockId
  /** Leaf of `ShardHashes`. */
  readonly descr: Cell | undefined
}

/** Proof from a masterchain block to the top block of a shard. */
export async function shardProof(
  chain: ReplayChain,
  mcBlock: ChainBlock,
  wanted: { workchain: number; shard: ShardId; exact: boolean },
): Promise<ShardProof> {
  const reader = new ProofReader(await chain.state(mcBlock.id))
  const { shardHashes } = readMcState(reader)
  const found = wanted.workchain === MASTERCHAIN ? undefined : findShardLeaf(reader, shardHashes, wanted)
  const proof = serializeBoc([stateRootProof(await chain.tree(mcBlock)), reader.proof()])
  if (!found) return { proof, shardblk: absentShard(), descr: undefined }
  const shardblk = { workchain: wanted.workchain, shard: found.shard, ...readShardDescr(found.leaf) }
  return { proof, shardblk, descr: found.leaf }
}

/** The node's `BlockIdExt()`: no workchain, and zeros. */
const absentShard = (): BlockId => ({
  workchain: INVALID_WORKCHAIN,
  shard: 0n,
  seqno: 0,
  rootHash: NO_HASH,
  fileHash: NO_HASH,
})

/**
 * Links that prove a shard block from a masterchain block; throws `Refusal` beyond 8 of them. Source:
 * lite_api.tl, `liteServer.getShardBlockProof`.
 */
export async function getShardBlockProof(
  chain: ReplayChain,
  { id }: LiteArguments['liteServer.getShardBlockProof'],
): Promise<LiteResults['liteServer.getShardBlockProof']> {
  checkBlockId(id)
  const block = chain.block(id)
  return { masterchainId: chain.committer(block).id, links: await shardLinks(chain, block) }
}

type ShardLink = LiteResults['liteServer.getShardBlockProof']['links'][number]

/**
 * Links from the committing masterchain block to its shard top, then back along predecessors; none for a
 * masterchain block.
 */
export async function shardLinks(chain: ReplayChain, block: ChainBlock): Promise<ShardLink[]> {
  if (block.id.workchain === MASTERCHAIN) return []
  const links = [await topLink(chain, block)]
  for (let at = links[0]!.id; !sameBlock(at, block.id); at = links.at(-1)!.id) {
    if (links.length === MAX_LINKS) throw badRequest('proof chain is too long')
    links.push(await prevLink(chain, chain.block(at), block))
  }
  return links
}

/** After a later split or merge, the top's shard contains the block's shard or is contained in it. */
async function topLink(chain: ReplayChain, block: ChainBlock): Promise<ShardLink> {
  const tree = await chain.tree(chain.committer(block))
  const tops = chain.shardTops(block.mcBlockSeqno)
  const top = tops.find((candidate) => leadsTo(chain, candidate, block))
  if (!top) throw badRequest('shard block is not reachable from its masterchain block')
  const reader = new ProofReader(tree.root)
  const { shardHashes } = readMcExtra(reader, tree)
  findShardLeaf(reader, shardHashes, { workchain: top.workchain, shard: top.shard, exact: true })
  return { id: top, proof: reader.boc() }
}

function leadsTo(chain: ReplayChain, from: BlockId, block: ChainBlock): boolean {
  if (sameBlock(from, block.id)) return true
  if (from.seqno <= block.id.seqno || !related(from, block.id)) return false
  return (chain.find(from)?.prev ?? []).some((prev) => leadsTo(chain, prev, block))
}

const related = (a: BlockId, b: BlockId): boolean =>
  a.workchain === b.workchain && (shardContains(a.shard, b.shard) || shardContains(b.shard, a.shard))

async function prevLink(chain: ReplayChain, from: ChainBlock, target: ChainBlock): Promise<ShardLink> {
  const prev = from.prev.find((candidate) => leadsTo(chain, candidate, target))!
  const tree = await chain.tree(from)
  const reader = new ProofReader(tree.root)
  readHeader(reader, tree)
  return { id: prev, proof: reader.boc() }
}

function requireMasterchain(id: BlockId): void {
  if (id.workchain !== MASTERCHAIN) throw badRequest('reference block must belong to the masterchain')
}

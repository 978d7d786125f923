import { hash } from 'node:crypto'
import { type Cell, serializeCanonical } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import type { BlockTree } from '../block-trees.ts'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readHeader, readMcExtra } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock, LookupBy } from '../shard-index.ts'

const { blockHeader: PARTS, lookupBlock: BY } = LITE_MODE

type Args<N extends keyof LiteArguments> = LiteArguments[N]
type Result<N extends keyof LiteResults> = Promise<LiteResults[N]>

/** Maximum seqno of a block whose state is served. Source: node, liteserver.cpp, perform_getState. */
const MAX_STATE_SEQNO = 1000

/**
 * The bytes of a recorded block; throws `Refusal` if there is none. Source: lite_api.tl,
 * `liteServer.getBlock`.
 */
export async function getBlock(
  chain: ReplayChain,
  { id }: Args<'liteServer.getBlock'>,
): Result<'liteServer.getBlock'> {
  checkBlockId(id)
  return { id, data: await chain.bytes(chain.block(id)) }
}

/**
 * Proof of the header of a block, with the parts that `mode` selects. Source: lite_api.tl,
 * `liteServer.getBlockHeader`.
 */
export async function getBlockHeader(
  chain: ReplayChain,
  { id, mode }: Args<'liteServer.getBlockHeader'>,
): Result<'liteServer.getBlockHeader'> {
  checkBlockId(id)
  return headerOf(chain, chain.block(id), mode)
}

/** The header of the block found by seqno, lt or time. Source: lite_api.tl, `liteServer.lookupBlock`. */
export async function lookupBlock(
  chain: ReplayChain,
  args: Args<'liteServer.lookupBlock'>,
): Result<'liteServer.lookupBlock'> {
  return headerOf(chain, findBlock(chain, args), args.mode >>> 4)
}

/**
 * The block that a query names by the bit of its mode: seqno, lt or Unix time. Throws `Refusal` if none or
 * several of the bits are set, or there is no such block.
 */
export function findBlock(chain: ReplayChain, args: Args<'liteServer.lookupBlock'>): ChainBlock {
  return chain.lookup(args.id.workchain, args.id.shard, lookupBy(args))
}

function lookupBy({ mode, id, lt, utime }: Args<'liteServer.lookupBlock'>): LookupBy {
  switch (mode & (BY.bySeqno | BY.byLt | BY.byUtime)) {
    case BY.bySeqno:
      return { seqno: id.seqno }
    case BY.byLt:
      return { lt: lt! }
    case BY.byUtime:
      return { utime: utime! }
    default:
      throw badRequest('exactly one of mode.0, mode.1 and mode.2 bits must be set')
  }
}

async function headerOf(
  chain: ReplayChain,
  block: ChainBlock,
  mode: number,
): Result<'liteServer.getBlockHeader'> {
  return { id: block.id, mode, headerProof: headerProof(await chain.tree(block), block.id, mode) }
}

/** Merkle proof of the header and of the parts that `mode` selects. */
export function headerProof(tree: BlockTree, id: BlockId, mode: number): Buffer {
  const reader = new ProofReader(tree.root)
  readHeader(reader, tree)
  if (mode & PARTS.stateUpdate) reader.visit(tree.stateUpdate)
  if (mode & PARTS.valueFlow) readValueFlow(reader, tree.valueFlow)
  if (mode & PARTS.extra) readExtra(reader, tree, id, (mode & PARTS.shardHashes) !== 0)
  return reader.boc()
}

/** The two inline cells of `ValueFlow` with the currency dictionaries below them. */
function readValueFlow(reader: ProofReader, valueFlow: Cell): void {
  reader.visitTree(valueFlow)
}

function readExtra(reader: ProofReader, tree: BlockTree, id: BlockId, withShardHashes: boolean): void {
  reader.visit(tree.extra)
  if (id.workchain !== MASTERCHAIN) return
  const { shardHashes } = readMcExtra(reader, tree)
  if (withShardHashes && shardHashes) reader.visitTree(shardHashes)
}

/**
 * The bytes of a small state, here only that of the zerostate. Source: lite_api.tl, `liteServer.getState`.
 */
export async function getState(
  chain: ReplayChain,
  { id }: Args<'liteServer.getState'>,
): Result<'liteServer.getState'> {
  checkBlockId(id)
  if (id.seqno > MAX_STATE_SEQNO) throw badRequest('cannot request total state: possibly too large')
  if (id.seqno === 0) return zerostate(chain, id)
  const state = await chain.state(chain.block(id).id)
  const data = serializeCanonical(state)
  return { id, rootHash: state.hash(), fileHash: hash('sha256', data, 'buffer'), data }
}

async function zerostate(chain: ReplayChain, id: BlockId): Result<'liteServer.getState'> {
  const data = await chain.recording.zerostate(id)
  if (!data) throw badRequest('zerostate is not in db')
  return { id, rootHash: id.rootHash, fileHash: id.fileHash, data }
}

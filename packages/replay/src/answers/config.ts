import { type Cell, lookup, serializeBoc } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readHeader, readMcExtra, readMcState, readMcStateInfo, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'

/**
 * Number of previous blocks, and of those with a seqno divisible by 100. Source: node, mc-config.cpp,
 * ConfigInfo::get_prev_blocks_info.
 */
const PREV_BLOCKS = 16
const EMPTY = Buffer.alloc(0)

type Answer = LiteResults['liteServer.getConfigAll']

/**
 * All parameters at a masterchain block, with proofs of the block and of its state. Source: lite_api.tl,
 * `liteServer.getConfigAll`.
 */
export const getConfigAll = (
  chain: ReplayChain,
  { id, mode }: LiteArguments['liteServer.getConfigAll'],
): Promise<Answer> => configInfo(chain, id, mode, undefined)

/**
 * Some parameters, with the same proofs; unknown ones are left out. Source: lite_api.tl,
 * `liteServer.getConfigParams`.
 */
export const getConfigParams = (
  chain: ReplayChain,
  { id, mode, paramList }: LiteArguments['liteServer.getConfigParams'],
): Promise<Answer> => configInfo(chain, id, mode, paramList)

async function configInfo(
  chain: ReplayChain,
  id: BlockId,
  mode: number,
  params: readonly number[] | undefined,
): Promise<Answer> {
  checkBlockId(id)
  if (id.workchain !== MASTERCHAIN)
    throw badRequest('configuration parameters can be loaded with respect to a masterchain block only')
  const block = chain.loadable(id)
  if (mode & LITE_MODE.config.fromKeyBlock) return keyBlockConfig(chain, block, mode, params)
  const reader = new ProofReader(await chain.state(block.id))
  const parts = readMcState(reader)
  readParams(reader, parts.config, params)
  if (mode & LITE_MODE.config.shardHashes && parts.shardHashes) reader.visitTree(parts.shardHashes)
  if (mode & LITE_MODE.config.previousBlocks) readPrevBlocks(reader, parts.info, id.seqno)
  const stateProof = serializeBoc(stateRootProof(await chain.tree(block)))
  return { mode: effectiveMode(mode), id: block.id, stateProof, configProof: reader.boc() }
}

/** Mode as the node echoes it: capabilities determine which previous blocks are included. */
const effectiveMode = (mode: number): number =>
  mode & LITE_MODE.config.previousBlocks ? mode | LITE_MODE.config.capabilities : mode

/** Configuration from the last key block at or before the given one; needs no state. */
async function keyBlockConfig(
  chain: ReplayChain,
  block: ChainBlock,
  mode: number,
  params: readonly number[] | undefined,
): Promise<Answer> {
  const keyBlock = lastKeyBlock(chain, block)
  return {
    mode,
    id: keyBlock.id,
    stateProof: EMPTY,
    configProof: await keyBlockConfigProof(chain, keyBlock, params),
  }
}

/** Proof from a key block to its configuration, complete or limited to some parameters. */
export async function keyBlockConfigProof(
  chain: ReplayChain,
  keyBlock: ChainBlock,
  params: readonly number[] | undefined,
): Promise<Buffer> {
  const tree = await chain.tree(keyBlock)
  const reader = new ProofReader(tree.root)
  readHeader(reader, tree)
  readParams(reader, readMcExtra(reader, tree).config!, params)
  return reader.boc()
}

function lastKeyBlock(chain: ReplayChain, block: ChainBlock): ChainBlock {
  for (let seqno = block.id.seqno; seqno >= chain.recording.first; seqno--) {
    const candidate = chain.masterchain(seqno)
    if (candidate.keyBlock) return candidate
  }
  throw badRequest('no key block found')
}

/**
 * Opens parameters for a proof, all of them if `params` is undefined; numbers without a parameter open the
 * path to where it would be.
 */
export function readParams(reader: ProofReader, config: Cell, params: readonly number[] | undefined): void {
  if (!params) reader.visitTree(config)
  else reader.visit(config)
  for (const param of params ?? []) {
    const value = lookup(reader.open(config), 32, param >>> 0)
    if (value) reader.visitTree(value.loadRefCell())
  }
}

function readPrevBlocks(reader: ProofReader, info: Cell, seqno: number): void {
  const { prevBlocks } = readMcStateInfo(reader, info)
  if (!prevBlocks) return
  for (let back = 1; back < PREV_BLOCKS; back++) findPrev(seqno - back)
  for (let back = 0, hundred = seqno - (seqno % 100); back < PREV_BLOCKS; back++)
    findPrev(hundred - back * 100)

  function findPrev(wanted: number): void {
    if (wanted >= 0 && wanted < seqno) lookup(reader.open(prevBlocks!), 32, wanted)
  }
}

import { serializeBoc } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD, formatBlockId, MASTERCHAIN, sameBlock } from '@shardwalk/model'
import { type BlockSignatures, decodeBlockSignatures } from '@shardwalk/sources'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readMcState, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'
import { headerProof } from './blocks.ts'
import { keyBlockConfigProof, readParams } from './config.ts'
import { prevBlockProof } from './lookup-proof.ts'

/** Maximum number of links in an answer. Source: node, liteserver.cpp, construct_proof_link and callers. */
const MAX_LINKS = 16
/** Parameters needed to check signatures: catchain configuration, current and temporary validators. */
const VALIDATOR_PARAMS = [28, 34, 35]
const EMPTY = Buffer.alloc(0)

type Answer = LiteResults['liteServer.getBlockProof']
type Link = Answer['steps'][number]

/**
 * Links between two masterchain blocks: back links are proven by states, forward links by recorded
 * signatures.
 */
export async function getBlockProof(
  chain: ReplayChain,
  { mode, knownBlock, targetBlock }: LiteArguments['liteServer.getBlockProof'],
): Promise<Answer> {
  checkMasterchain(knownBlock, 'source')
  const target = mode & LITE_MODE.blockProof.target ? targetBlock! : chain.head.id
  checkMasterchain(target, 'destination')
  const newest = [knownBlock, target].find(({ seqno }) => seqno > chain.headSeqno)
  if (newest)
    throw badRequest(
      `client knows block ${formatBlockId(newest)} newer than ` +
        `the reference masterchain block ${formatBlockId(chain.head.id)}`,
    )
  for (const id of [knownBlock, target]) checkKnown(chain, id)
  const limit =
    mode & LITE_MODE.blockProof.relative ? Math.max(knownBlock.seqno, target.seqno) : chain.headSeqno
  const steps = await links(chain, knownBlock, target, limit)
  const to = steps.at(-1)?.to ?? knownBlock
  return { complete: sameBlock(to, target), from: knownBlock, to, steps }
}

function checkMasterchain(id: BlockId, role: string): void {
  const valid = id.workchain === MASTERCHAIN && id.shard === FULL_SHARD
  if (!valid) throw badRequest(`${role} block ${formatBlockId(id)} is not a valid masterchain block id`)
  checkBlockId(id)
}

function checkKnown(chain: ReplayChain, id: BlockId): void {
  const known =
    id.seqno === 0 ? sameBlock(id, chain.recording.network.zerostate) : chain.find(id) !== undefined
  if (!known) throw badRequest(`cannot locate block ${formatBlockId(id)} in the masterchain`)
}

async function links(chain: ReplayChain, from: BlockId, target: BlockId, limit: number): Promise<Link[]> {
  const steps: Link[] = []
  for (let at = from; !sameBlock(at, target) && steps.length < MAX_LINKS; at = steps.at(-1)!.to)
    steps.push(await nextLink(chain, at, target, limit))
  return steps
}

function nextLink(chain: ReplayChain, at: BlockId, target: BlockId, limit: number): Promise<Link> {
  if (target.seqno < at.seqno) return linkBack(chain, at, target)
  if (!isKey(chain, at)) return linkBack(chain, at, previousKey(chain, at.seqno))
  // Like the node, go to the next key block even if it lies past the target, then back.
  return linkForward(chain, at, nextKey(chain, at.seqno, limit) ?? target)
}

/** The zerostate counts as a key block, because it contains the initial configuration. */
const isKey = (chain: ReplayChain, id: BlockId): boolean =>
  id.seqno === 0 || chain.masterchain(id.seqno).keyBlock

function previousKey(chain: ReplayChain, before: number): BlockId {
  for (let seqno = before - 1; seqno >= chain.recording.first; seqno--) {
    const block = chain.masterchain(seqno)
    if (block.keyBlock) return block.id
  }
  return chain.recording.network.zerostate
}

function nextKey(chain: ReplayChain, after: number, last: number): BlockId | undefined {
  for (let seqno = after + 1; seqno <= last; seqno++) {
    const block = chain.masterchain(seqno)
    if (block.keyBlock) return block.id
  }
  return undefined
}

async function linkBack(chain: ReplayChain, from: BlockId, to: BlockId): Promise<Link> {
  return {
    kind: 'liteServer.blockLinkBack',
    toKeyBlock: isKey(chain, to),
    from,
    to,
    destProof: to.seqno === 0 ? EMPTY : await header(chain, to),
    proof: serializeBoc(stateRootProof(await chain.tree(chain.block(from)))),
    // The node looks up the zerostate as well.
    stateProof: await prevBlockProof(chain, from, [0, to.seqno]),
  }
}

async function linkForward(chain: ReplayChain, from: BlockId, to: BlockId): Promise<Link> {
  return {
    kind: 'liteServer.blockLinkForward',
    toKeyBlock: isKey(chain, to),
    from,
    to,
    destProof: await header(chain, to),
    configProof: await configProof(chain, from),
    signatures: await signaturesOf(chain, to),
  }
}

const header = async (chain: ReplayChain, id: BlockId): Promise<Buffer> =>
  headerProof(await chain.tree(chain.block(id)), id, 0)

async function configProof(chain: ReplayChain, id: BlockId): Promise<Buffer> {
  if (id.seqno > 0) return keyBlockConfigProof(chain, chain.block(id), VALIDATOR_PARAMS)
  const reader = new ProofReader(await chain.state(id))
  readParams(reader, readMcState(reader).config, VALIDATOR_PARAMS)
  return reader.boc()
}

async function signaturesOf(chain: ReplayChain, id: BlockId): Promise<BlockSignatures> {
  const file = await chain.recording.proof(id)
  if (!file) throw badRequest(`no proof of block ${formatBlockId(id)} is in db`)
  const signatures = decodeBlockSignatures(file)
  if (!signatures) throw badRequest(`the proof of block ${formatBlockId(id)} is not signed`)
  return signatures
}

import { type Cell, forEachLeaf, lookup, serializeBoc } from '@shardwalk/cells'
import { MASTERCHAIN } from '@shardwalk/model'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readMcState, readMcStateInfo, stateRootProof } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest } from '../refusal.ts'

/** Maximum number of entries in an answer. Source: node, liteserver.cpp, perform_getValidatorStats. */
const MAX_ENTRIES = 1000
/** Bits of the mode that the answer repeats. Source: as for `MAX_ENTRIES`. */
const ANSWERED_MODE = 0xff

/**
 * Counters of created blocks by validator, with a proof. Source: lite_api.tl,
 * `liteServer.getValidatorStats`.
 */
export async function getValidatorStats(
  chain: ReplayChain,
  { id, mode, limit, startAfter }: LiteArguments['liteServer.getValidatorStats'],
): Promise<LiteResults['liteServer.getValidatorStats']> {
  checkBlockId(id)
  if (id.workchain !== MASTERCHAIN) throw badRequest('requested block does not belong to the masterchain')
  const block = chain.loadable(id)
  const reader = new ProofReader(await chain.state(block.id))
  const { createStats } = readMcStateInfo(reader, readMcState(reader).info)
  const keys = keysAfter(createStats, startAfter)
  const page = keys.slice(0, Math.max(0, Math.min(limit, MAX_ENTRIES)))
  for (const key of page) lookup(reader.open(createStats!), 256, key)
  const stateProof = serializeBoc(stateRootProof(await chain.tree(block)))
  const complete = page.length === keys.length
  return {
    mode: mode & ANSWERED_MODE,
    id: block.id,
    count: page.length,
    complete,
    stateProof,
    dataProof: reader.boc(),
  }
}

function keysAfter(stats: Cell | undefined, after: Buffer | undefined): Buffer[] {
  const keys: Buffer[] = []
  forEachLeaf(stats?.slice(), 256, (_, key) => {
    keys.push(key.toBuffer())
  })
  return after ? keys.filter((key) => key.compare(after) > 0) : keys
}

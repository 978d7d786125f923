import type { LiteArguments, LiteResults } from '@shardwalk/tl'
import type { ReplayChain } from '../chain.ts'
import { badRequest } from '../refusal.ts'

/** Major * 256 + minor. Source: node, liteserver.hpp, ls_version. */
const VERSION = 0x101
/** 1 proof chains, 2 getMasterchainInfoExt, 4 runSmcMethod, which is not served but expected by clients. */
const CAPABILITIES = 7n

/**
 * The head, the root hash of its state, and the zerostate. Source: lite_api.tl,
 * `liteServer.getMasterchainInfo`.
 */
export async function getMasterchainInfo(
  chain: ReplayChain,
): Promise<LiteResults['liteServer.getMasterchainInfo']> {
  const { id } = chain.head
  return { last: id, stateRootHash: await stateRootHash(chain), init: chain.recording.network.zerostate }
}

/**
 * The same with version, capabilities and times in Unix seconds; throws `Refusal` for any mode but 0.
 * Source: lite_api.tl, `liteServer.getMasterchainInfoExt`.
 */
export async function getMasterchainInfoExt(
  chain: ReplayChain,
  { mode }: LiteArguments['liteServer.getMasterchainInfoExt'],
  now: number,
): Promise<LiteResults['liteServer.getMasterchainInfoExt']> {
  if (mode !== 0) throw badRequest('unsupported getMasterchainInfo mode')
  const { id, genUtime } = chain.head
  return {
    mode,
    version: VERSION,
    capabilities: CAPABILITIES,
    last: id,
    lastUtime: genUtime,
    now,
    stateRootHash: await stateRootHash(chain),
    init: chain.recording.network.zerostate,
  }
}

/** Version and capabilities; `now`: Unix seconds. Source: lite_api.tl, `liteServer.getVersion`. */
export const getVersion = (now: number): LiteResults['liteServer.getVersion'] => ({
  mode: 0,
  version: VERSION,
  capabilities: CAPABILITIES,
  now,
})

/** The new hash in the block's Merkle update: 8 bits of type, 256 bits of old hash, 256 bits of new hash. */
async function stateRootHash(chain: ReplayChain): Promise<Buffer> {
  const { stateUpdate } = await chain.tree(chain.head)
  return stateUpdate.data.subarray(33, 65)
}

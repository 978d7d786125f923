import { bagMerkleProof, parseBoc, type Slice } from '@shardwalk/cells'
import { type BlockId, blockKey, DecodeError, formatBlockId } from '@shardwalk/model'
import { type BlockSource, readSkeleton, type WaitOptions } from '@shardwalk/pipeline'
import {
  configGlobalVersion,
  findVersionParam,
  loadBlock,
  loadBlockExtra,
  MC_BLOCK_EXTRA_TAG,
  SHARD_STATE_TAG,
} from '@shardwalk/tlb'

/** The very block that was asked for cannot be decoded, or is no key block: it never has the parameter. */
class NoVersionInBlock extends DecodeError {}

/**
 * Config parameter 8 of a key block, which has the whole configuration; 0 if it is not set. Throws
 * `DecodeError` for other blocks and undecodable ones, `WrongBytes` if the bytes are not this block.
 */
export async function globalVersionOfKeyBlock(
  source: Pick<BlockSource, 'getBlock'>,
  id: BlockId,
  options?: WaitOptions,
): Promise<number> {
  const bytes = await source.getBlock(id, options)
  const block = readSkeleton({ id, bytes })
  if (block?.header.keyBlock) return block.globalVersion ?? 0
  const version = block ? undefined : versionInUnreadable(bytes)
  if (version !== undefined) return version
  const problem = block ? 'is no key block' : 'cannot be decoded'
  throw new NoVersionInBlock('block.extra.custom.config', `${formatBlockId(id)} ${problem}`)
}

/**
 * The parameter by itself, in a key block of which something else has a form that is not known. Undefined
 * unless everything on the way to it has a known form, and it is set.
 */
function versionInUnreadable(bytes: Buffer): number | undefined {
  try {
    const bag = parseBoc(bytes, { verifyCrc: false, expectedRoots: 1 })
    const { custom } = loadBlockExtra(loadBlock(bag.slice(bag.root)).extra)
    if (custom?.loadUint(16) !== MC_BLOCK_EXTRA_TAG) return undefined
    return findVersionParam({ root: configOfMcExtra(custom) })?.version
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/**
 * Versions by hash of key blocks, because a block that is proven false later names others. They never change,
 * not even that one cannot be read, and every batch of an epoch asks for the same one.
 */
export class GlobalVersions {
  private readonly known = new Map<string, Promise<number>>()

  /** Failures of `ask` are not kept, except what the block is: answers may also be damaged. */
  at(keyBlock: BlockId, ask: () => Promise<number>): Promise<number> {
    const key = blockKey(keyBlock)
    const known = this.known.get(key)
    if (known) return known
    const asked = ask()
    this.known.set(key, asked)
    asked.catch((error) => {
      if (!(error instanceof NoVersionInBlock)) this.known.delete(key)
    })
    return asked
  }
}

/** Config parameter 8 of the masterchain zerostate, see `configGlobalVersion`; 0 if it is not set. */
export const globalVersionOfZerostate = (bytes: Buffer): number => versionOf(configOfState(bytes))

/**
 * Global version from an answer to getConfigParams with mode 0x8000, which proves the configuration of a key
 * block. Throws `DecodeError` if it does not prove the block.
 */
export function globalVersionOfKeyBlockProof(proof: Buffer, rootHash: Buffer): number {
  const bag = parseBoc(proof)
  return versionOf(configOfBlock(bag.slice(bagMerkleProof(bag, bag.root, rootHash))))
}

/** Root of the configuration dictionary. Constructors are not looked at. */
function configOfBlock(block: Slice): Slice {
  const extra = block.skipRefs(3).loadRefSlice()
  extra.skip(32).skipRefs(3).skip(512)
  if (!extra.loadBit()) throw new DecodeError('block.extra.custom', 'is missing: not a masterchain block')
  return configOfMcExtra(extra.loadRefSlice().skip(16))
}

/** `custom`: `McBlockExtra` behind its constructor. */
function configOfMcExtra(custom: Slice): Slice {
  if (!custom.loadBit()) throw new DecodeError('block.extra.custom', 'is not that of a key block')
  // The last field of the cell is `config_addr:bits256 config:^(Hashmap 32 ^Cell)`.
  return custom.preloadRefSlice(custom.remainingRefs - 1)
}

/** `root`: of the configuration dictionary. */
const versionOf = (root: Slice): number => configGlobalVersion({ root })?.version ?? 0

/**
 * Root of the configuration dictionary in a masterchain state. Source: block.tlb `ShardStateUnsplit`,
 * `McStateExtra`.
 */
function configOfState(bytes: Buffer): Slice {
  const bag = parseBoc(bytes)
  const state = bag.slice(bag.root)
  if (state.loadUint(32) !== SHARD_STATE_TAG) throw new DecodeError('shard_state', 'has no tag 9023afe2')
  // Skips global_id to min_ref_mc_seqno and before_split (329 bits), queue, accounts and the inline cell.
  state.skip(329).skipRefs(3)
  if (!state.loadBit()) throw new DecodeError('shard_state.custom', 'is missing: not a masterchain state')
  const extra = state.loadRefSlice()
  if (extra.loadUint(16) !== 0xcc26) throw new DecodeError('mc_state_extra', 'has no tag cc26')
  if (extra.loadBit()) extra.skipRefs(1)
  extra.skip(256)
  return extra.loadRefSlice()
}

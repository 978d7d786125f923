import { budgetOf, type DictKey, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD } from '@shardwalk/model'
import { type ConfigParams, findConfigParam, isUnreadable } from './mc-block-extra.ts'

/** block.tlb `workchain#a6` and `workchain_v2#a7`: they differ only behind what is read here. */
const WORKCHAIN_TAGS: readonly number[] = [0xa6, 0xa7]

/**
 * Zerostates of the workchains that have begun by `now` (Unix seconds), by configuration parameter 12.
 * Descriptions that cannot be read, with other tags for instance, are passed over. The masterchain is not
 * among them.
 * Source: block.tlb `_ workchains:(HashmapE 32 WorkchainDescr) = ConfigParam 12`; node, collator.cpp,
 * adjust_shard_config.
 */
export function workchainZerostates(config: Pick<ConfigParams, 'root'>, now: number): readonly BlockId[] {
  const found: BlockId[] = []
  readable(() => {
    const param = findConfigParam(config, 12)
    if (!param) return
    const visit = (descr: Slice, key: DictKey) => {
      const begun = readable(() => loadBegun(descr, now))
      if (begun) found.push({ workchain: key.toInt(), shard: FULL_SHARD, seqno: 0, ...begun })
    }
    forEachLeaf(loadDictRoot(param), 32, visit, { budget: budgetOf(param) })
  })
  return found
}

/** Undefined: the workchain has not begun. */
function loadBegun(descr: Slice, now: number): Pick<BlockId, 'rootHash' | 'fileHash'> | undefined {
  if (!WORKCHAIN_TAGS.includes(descr.loadUint(8))) return undefined
  const enabledSince = descr.loadUint(32)
  // actual_min_split, min_split, max_split (8 bits each) and basic.
  const isActive = descr.skip(25).loadBit()
  // accept_msgs and flags.
  descr.skip(14)
  const hashes = { rootHash: descr.loadBytes(32), fileHash: descr.loadBytes(32) }
  return isActive && enabledSince <= now ? hashes : undefined
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

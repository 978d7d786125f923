import { budgetOf, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from './mc-block-extra.ts'

/** block.tlb `workchain#a6` and `workchain_v2#a7`: they differ only behind what is read here. */
const WORKCHAIN_TAGS: readonly number[] = [0xa6, 0xa7]

/**
 * Zerostates of the workchains that have begun by `now` (Unix seconds), by configuration parameter 12.
 * Descriptions with other tags are passed over. The masterchain is not among them.
 * Source: block.tlb `_ workchains:(HashmapE 32 WorkchainDescr) = ConfigParam 12`; node, collator.cpp,
 * adjust_shard_config.
 */
export function workchainZerostates(config: Pick<ConfigParams, 'root'>, now: number): readonly BlockId[] {
  const param = findConfigParam(config, 12)
  if (!param) return []
  const found: BlockId[] = []
  forEachLeaf(
    loadDictRoot(param),
    32,
    (descr, key) => {
      if (!WORKCHAIN_TAGS.includes(descr.loadUint(8))) return
      const enabledSince = descr.loadUint(32)
      // actual_min_split, min_split, max_split (8 bits each) and basic.
      const isActive = descr.skip(25).loadBit()
      // accept_msgs and flags.
      descr.skip(14)
      const hashes = { rootHash: descr.loadBytes(32), fileHash: descr.loadBytes(32) }
      if (isActive && enabledSince <= now)
        found.push({ workchain: key.toInt(), shard: FULL_SHARD, seqno: 0, ...hashes })
    },
    { budget: budgetOf(param) },
  )
  return found
}

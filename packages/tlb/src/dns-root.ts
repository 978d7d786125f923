import { lookup } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import type { ConfigParams } from './mc-block-extra.ts'

/**
 * The DNS root contract; undefined when the network has none, or names it in a form that is not known.
 * block.tlb `_ dns_root_addr:bits256 = ConfigParam 4`, an account of the masterchain.
 */
export function dnsRootOf(config: Pick<ConfigParams, 'root'>): RawAddress | undefined {
  const value = lookup(config.root.clone(), 32, 4)
  // Every parameter is in a cell of its own, but the dictionary may hold anything.
  if (!value || value.remainingRefs === 0) return undefined
  const cell = value.loadRefCell()
  if (cell.isExotic || cell.bits < 256) return undefined
  return { workchain: MASTERCHAIN, hash: cell.slice().loadBytes(32) }
}

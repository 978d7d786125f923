import { lookup } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'

/** Source: config parameter 4, `dns_root_addr:bits256`, an account of the masterchain. */
const DNS_ROOT = 4

/** The resolver of the network at a masterchain block. */
export async function dnsRoot({ configuration }: NodeAccess, block: BlockId): Promise<RawAddress> {
  const { root } = await configuration.at(block)
  const value = lookup(root.clone(), 32, DNS_ROOT)
  if (!value) throw new NodeAccessError('domain_not_resolved', 'the configuration names no root of DNS')
  const cell = value.remainingRefs > 0 ? value.loadRefCell() : undefined
  if (!cell || cell.isExotic || cell.bits < 256)
    throw new NodeAccessError('domain_not_resolved', 'the configured root of DNS has no known form')
  return { workchain: MASTERCHAIN, hash: cell.slice().loadBytes(32) }
}

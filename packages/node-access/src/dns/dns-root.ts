import type { BlockId, RawAddress } from '@shardwalk/model'
import { dnsRootOf } from '@shardwalk/tlb'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'

/** The resolver of the network at a masterchain block. */
export async function dnsRoot({ configuration }: NodeAccess, block: BlockId): Promise<RawAddress> {
  const root = dnsRootOf(await configuration.at(block))
  if (!root)
    throw new NodeAccessError(
      'domain_not_resolved',
      'the configuration names no root of DNS that can be read',
    )
  return root
}

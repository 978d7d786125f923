import { lookup } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from './mc-block-extra.ts'

/** Number of the configuration's parameter. */
const SUSPENDED_ADDRESSES = 44

/** Whether the configuration names suspended addresses, in whatever form. */
export const namesSuspended = ({ root }: Pick<ConfigParams, 'root'>): boolean =>
  lookup(root.clone(), 32, SUSPENDED_ADDRESSES) !== undefined

/**
 * Whether configuration parameter 44 keeps the account from being used at that time (Unix seconds). A list
 * that cannot be read suspends no account.
 * block.tlb `suspended_address_list#00 addresses:(HashmapE 288 Unit) suspended_until:uint32 =
 * SuspendedAddressList`.
 */
export function isSuspended(
  config: Pick<ConfigParams, 'root'>,
  { workchain, hash }: RawAddress,
  now: number,
): boolean {
  try {
    const list = findConfigParam(config, SUSPENDED_ADDRESSES)
    if (list?.loadUint(8) !== 0) return false
    const addresses = list.loadMaybeRefSlice()
    const key = Buffer.alloc(36)
    key.writeInt32BE(workchain)
    hash.copy(key, 4)
    return now < list.loadUint(32) && lookup(addresses, 288, key) !== undefined
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

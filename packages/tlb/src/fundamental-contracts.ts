import { lookup } from '@shardwalk/cells'
import { MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { type ConfigParams, findConfigParam } from './mc-block-extra.ts'

/**
 * Whether the account is the configuration contract or configuration parameter 31 names it. Such contracts
 * pay nothing: neither for storage, nor for gas, nor for messages. Throws DecodeError.
 * block.tlb `_ fundamental_smc_addr:(HashmapE 256 True) = ConfigParam 31`.
 */
export function isFundamental(config: ConfigParams, { workchain, hash }: RawAddress): boolean {
  if (workchain !== MASTERCHAIN) return false
  if (hash.equals(config.configAddress)) return true
  const list = findConfigParam(config, 31)?.loadMaybeRefSlice()
  return list !== undefined && lookup(list, 256, hash) !== undefined
}

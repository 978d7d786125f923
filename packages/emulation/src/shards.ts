import { MASTERCHAIN, type RawAddress, shardContainsPrefix } from '@shardwalk/model'
import type { ShardPlace } from './types.ts'

/** The shard of an account; undefined if its workchain does not exist. */
export const shardOf = (shards: readonly ShardPlace[], { workchain, hash }: RawAddress) =>
  shards.find(
    (place) =>
      place.workchain === workchain &&
      (workchain === MASTERCHAIN || shardContainsPrefix(place.shard, hash.readBigUInt64BE(0))),
  )

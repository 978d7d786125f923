import { MASTERCHAIN, type ShardId, shardFromSigned, shardPrefixLength } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Condition } from './sql.ts'

const OFFSET = 0x8000000000000000n

/** Ids of the accounts that a shard may hold, both ends included: ids sort as addresses do (`deriveAccountId`). */
export function accountRange(workchain: number, signedShard: bigint): { readonly from: bigint; readonly to: bigint } {
  const shard: ShardId = shardFromSigned(signedShard)
  const marker = shard & -shard
  const base = workchain === MASTERCHAIN ? -OFFSET : 0n
  return { from: base + ((shard - marker) >> 1n), to: base + ((shard + marker - 1n) >> 1n) }
}

/** Transactions of blocks of exactly this shard. */
export function inShard(workchain: number, signedShard: bigint): Condition[] {
  // A shard id has a marker bit; without one it is no shard.
  if (signedShard === 0n || shardPrefixLength(shardFromSigned(signedShard)) > 60) return [sql`false`]
  const { from, to } = accountRange(workchain, signedShard)
  const length = shardPrefixLength(shardFromSigned(signedShard))
  return [sql`t.account_id between ${from} and ${to}`, sql`t.shard_len = ${length}`]
}

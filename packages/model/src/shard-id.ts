import type { Flavoured, Workchain } from './flavour.ts'

/** Unsigned 64-bit shard id: the prefix bits, a single 1 bit, then zeros. Source: block.tlb `ShardIdent`. */
export type ShardId = Flavoured<bigint, 'ShardId'>

/** The same 64 bits as a signed number: the form in PostgreSQL columns and in API v2. */
export type SignedShardId = Flavoured<bigint, 'SignedShardId'>

/** The shard that covers a whole workchain; the only shard of the masterchain. */
export const FULL_SHARD: ShardId = 0x8000000000000000n

/** Workchain of the masterchain. Source: block.tlb, `masterchain_state_extra`. */
export const MASTERCHAIN = -1 satisfies Workchain
/** The workchain of ordinary accounts. */
export const BASECHAIN = 0 satisfies Workchain

const MASK_64 = 0xffffffffffffffffn

const lowBit = (shard: ShardId): bigint => shard & (-shard & MASK_64)

/** Number of prefix bits, 0 to 60. */
export function shardPrefixLength(shard: ShardId): number {
  let length = 63
  for (let low = lowBit(shard); low > 1n; low >>= 1n) length--
  return length
}

/**
 * Shard id from a left-aligned prefix without end marker and its length, as block.tlb `ShardIdent` stores it.
 */
export function shardFromPrefix(prefix: bigint, length: number): ShardId {
  const marker = 1n << BigInt(63 - length)
  return (prefix & ~((marker << 1n) - 1n) & MASK_64) | marker
}

/** The shard that a split made this one of; of a whole workchain there is none. */
export function parentShard(shard: ShardId): ShardId {
  const low = lowBit(shard)
  return ((shard - low) | (low << 1n)) & MASK_64
}

/** Left child first, as merges list their predecessors. */
export function childShards(shard: ShardId): readonly [ShardId, ShardId] {
  const half = lowBit(shard) >> 1n
  return [shard - half, shard + half]
}

/** Whether `outer` is `inner` or one of its ancestors. */
export function shardContains(outer: ShardId, inner: ShardId): boolean {
  const low = lowBit(outer)
  return lowBit(inner) <= low && ((outer ^ inner) & (-(low << 1n) & MASK_64)) === 0n
}

/** Whether an account with these top 64 address bits belongs to the shard. */
export function shardContainsPrefix(shard: ShardId, addressTop64: bigint): boolean {
  return ((shard ^ addressTop64) & (-(lowBit(shard) << 1n) & MASK_64)) === 0n
}

/** Signed 64-bit form, used in PostgreSQL columns and API v2. */
export const shardToSigned = (shard: ShardId): SignedShardId => BigInt.asIntN(64, shard)
/** The shard id of a signed column or a TL `long`. */
export const shardFromSigned = (value: SignedShardId): ShardId => BigInt.asUintN(64, value)

/** 16 lower-case hex digits, as in file names and logs. */
export const formatShard = (shard: ShardId): string => shard.toString(16).padStart(16, '0')

import { type ShardId, shardFromSigned, shardPrefixLength } from '@shardwalk/model'
import { sql } from 'kysely'
import type { BlockRow } from '../blocks/index.ts'
import { type Condition, openedWithin, rangeOf } from '../idiom/index.ts'
import { TRANSACTION_COLUMNS } from './transaction-rows.ts'

const OFFSET = 0x8000000000000000n

/**
 * Ids of the accounts that a shard may hold, both ends inclusive: ids sort as addresses do
 * (`deriveAccountId`). Those of other workchains with the same sign are in the same range.
 */
export function accountRange(
  workchain: number,
  signedShard: bigint,
): { readonly from: bigint; readonly to: bigint } {
  const shard: ShardId = shardFromSigned(signedShard)
  const marker = shard & -shard
  const base = workchain < 0 ? -OFFSET : 0n
  return { from: base + ((shard - marker) >> 1n), to: base + ((shard + marker - 1n) >> 1n) }
}

/**
 * The account of `t` in a form that no index can use. A query for a shard also bounds lt, and a range with a
 * quarter of all accounts must not keep the planner from using the index on lt.
 */
export const ACCOUNT_UNINDEXED = sql`(t.account_id + 0)`

/**
 * Transactions `t` of the block `k` (seqno, start_lt, end_lt), one of `blocks`, as a subquery ordered by lt.
 * It is not a join, because the planner does not know how short a block is and would read whole tables.
 * Index: transactions (lt).
 */
export const ofBlock = (
  conditions: Condition,
  blocks: readonly Pick<BlockRow, 'start_lt' | 'end_lt'>[],
): Condition => sql`
  select ${TRANSACTION_COLUMNS} from transactions t
  where t.lt between k.start_lt and k.end_lt and t.block_seqno = k.seqno and ${conditions}
    and ${openedWithin('t.lt', rangeOf(blocks.flatMap((block) => [block.start_lt, block.end_lt])))}
  order by t.lt`

/** In networks with the masterchain and the basechain only, the sign of an id tells the workchain. */
const ONLY_TWO = sql`((select max(workchain) from blocks) <= 0 and (select min(workchain) from blocks) >= -1)`

/** Whether the account of `t` is of this workchain, given that the sign of its id is right. */
export const ofWorkchain = (workchain: number | Condition): Condition =>
  sql`(${ONLY_TWO} or (select a.workchain from accounts a where a.id = t.account_id) = ${workchain})`

/** Transactions in blocks of exactly this shard. */
export const inShard = (workchain: number, signedShard: bigint): Condition[] => [
  ...inRange(workchain, signedShard),
  ofWorkchain(workchain),
]

/** The same of all workchains with the sign of this one. */
export function inRange(workchain: number, signedShard: bigint): Condition[] {
  // A shard id without a marker bit is invalid.
  if (signedShard === 0n || shardPrefixLength(shardFromSigned(signedShard)) > 60) return [sql`false`]
  const { from, to } = accountRange(workchain, signedShard)
  const length = shardPrefixLength(shardFromSigned(signedShard))
  return [sql`${ACCOUNT_UNINDEXED} between ${from} and ${to}`, sql`t.shard_len = ${length}`]
}

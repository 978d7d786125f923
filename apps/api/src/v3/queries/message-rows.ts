import type { MessageRow as SchemaRow } from '@shardwalk/api-schema'
import { WHOLE_WORKCHAIN } from '@shardwalk/queries'
import { sql } from 'kysely'

export interface MessageRow extends SchemaRow {
  /** Null on external-in messages. */
  readonly created_lt: bigint | null
  /** The state-init is stored without this code; `withCode` puts it back. */
  readonly init_code_hash: Buffer | null
}

/**
 * Creation lt of the message `m`. A system message (flag 8) stands under the lt of its receiver; it was created with the
 * start_lt of its masterchain block. Source: TON node, `Collator::create_special_transaction`. Index: blocks (start_lt).
 */
export const CREATED_LT = sql<bigint | null>`case
    when m.kind = 1 then null
    when m.flags & 8 = 0 then m.lt
    else (select b.start_lt from blocks b where b.workchain = -1 and b.shard = ${sql.lit(WHOLE_WORKCHAIN)} and b.start_lt < m.lt
      order by b.start_lt desc limit 1)
  end`

/** How far the lt of a system message may lie above its creation: special transactions come first in a block, two at most. */
export const SYSTEM_LT_SKEW = 8n

export const MESSAGE_COLUMNS = sql`m.account_id, m.lt, m.destination_id, m.value, m.fwd_fee, m.ihr_fee, m.import_fee, m.created_at,
  m.opcode, m.kind, m.flags, m.hash, m.hash_norm, m.body, m.init_state, m.init_code_hash, m.value_extra, m.extra_flags, ${CREATED_LT} as created_lt`

/** Map key of rows that are named by an account and a logical time. */
export const messageKey = (accountId: bigint, lt: bigint): string => `${accountId}:${lt}`

export const isUnsent = (message: { kind: number; flags: number }): boolean =>
  message.kind === 1 || (message.flags & 8) !== 0

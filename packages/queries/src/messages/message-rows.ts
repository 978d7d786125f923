import type { Row } from '@shardwalk/db'
import { MASTERCHAIN, MESSAGE_KIND } from '@shardwalk/model'
import { sql } from 'kysely'
import { WHOLE_WORKCHAIN } from '../blocks/index.ts'
import { type LtRange, selected, tableColumns } from '../idiom/index.ts'

/** Columns that replies show. */
const STORED_TYPES = tableColumns(
  'messages',
  'account_id',
  'lt',
  'destination_id',
  'value',
  'fwd_fee',
  'ihr_fee',
  'import_fee',
  'created_at',
  'opcode',
  'kind',
  'flags',
  'hash',
  'hash_norm',
  'body',
  'init_state',
  'init_code_hash',
  'value_extra',
  'extra_flags',
)

/** The state-init is stored without the code, which `init_code_hash` names; `withCode` adds it again. */
export interface MessageRow extends Readonly<Pick<Row<'messages'>, keyof typeof STORED_TYPES>> {
  /** Null for external-in messages. */
  readonly created_lt: bigint | null
}

/** PostgreSQL types of the columns of `MessageRow`. */
export const MESSAGE_TYPES = { ...STORED_TYPES, created_lt: 'int8' } as const

/**
 * created_lt of a message `m`. A system message (flag 8) is stored with the lt of its receiver; it was
 * created at the start_lt of its masterchain block. Source: TON node, `Collator::create_special_transaction`.
 * Index: blocks (start_lt).
 */
const CREATED_LT_TEXT = `case
    when m.kind = 1 then null
    when m.flags & 8 = 0 then m.lt
    else (select b.start_lt from blocks b
      where b.workchain = ${MASTERCHAIN} and b.shard = ${WHOLE_WORKCHAIN} and b.start_lt < m.lt
      order by b.start_lt desc limit 1)
  end`

export const CREATED_LT = sql.raw(CREATED_LT_TEXT)

/** A transaction takes one lt, and one for each message it sends. Source: TON node, `max_actions{255}`. */
const LTS_OF_TRANSACTION = 256n

/**
 * How much the lt of a system message may exceed its created_lt, the start of the block. Before the receiver
 * gets it, its tick may have run and the other system message may have come, nothing else. A few more, as
 * blocks do not begin with exactly this lt. Source: TON node, `Collator::do_collate`: ticks, then
 * `create_special_transactions`, then everything else.
 */
export const SYSTEM_LT_SKEW = 2n * LTS_OF_TRANSACTION + 8n

/** Where created_lt is if the column lt is in the range. */
export const createdLtsOf = ({ from, to }: LtRange): LtRange => ({ from: from - SYSTEM_LT_SKEW, to })

/** Columns of the table aliased `m`. */
export const MESSAGE_COLUMNS = selected('m', MESSAGE_TYPES, { created_lt: CREATED_LT_TEXT })

/** Primary key of a message. */
export type MessageKey = Pick<MessageRow, 'account_id' | 'lt'>

/** Map key for rows identified by an account and a logical time. */
export const messageKey = (accountId: bigint, lt: bigint): string => `${accountId}:${lt}`

/** Value of the column `kind`. */
export const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

/** True if no transaction sent the message: it is external or a system message. */
export const isUnsent = (message: { readonly kind: number; readonly flags: number }): boolean =>
  message.kind === EXTERNAL_IN || (message.flags & 8) !== 0

import type { Row } from '@shardwalk/db'
import { Cursor, hash256, int4, int8, type RowTypes, type Slice, selected } from '../idiom/index.ts'

const OWN_TYPES = {
  trace_id: 'bytea',
  action_id: 'bytea',
  type: 'text',
  success: 'bool',
  start_lt: 'int8',
  end_lt: 'int8',
  start_utime: 'int4',
  end_utime: 'int4',
  trace_end_lt: 'int8',
  trace_end_utime: 'int4',
  trace_mc_seqno_end: 'int4',
  ancestor_type: 'text[]',
  tx_hashes: 'bytea[]',
  account_ids: 'int8[]',
} as const satisfies Partial<RowTypes<Row<'actions'>>>

export interface ActionRow
  extends Readonly<Pick<Row<'actions'>, keyof typeof OWN_TYPES>>,
    Readonly<Pick<Row<'traces'>, 'external_hash' | 'external_hash_norm'>> {
  /** Columns of the type. */
  readonly details: Readonly<Record<string, unknown>>
}

export const ACTION_TYPES = {
  ...OWN_TYPES,
  details: 'json',
  external_hash: 'bytea',
  external_hash_norm: 'bytea',
} as const satisfies RowTypes<ActionRow>

/** Of the action `a` and its trace `r`. */
export const ACTION_COLUMNS = selected('a', ACTION_TYPES, {
  external_hash: 'r.external_hash',
  external_hash_norm: 'r.external_hash_norm',
})

/** Ordering columns of a list of actions. */
export type ActionPosition = Pick<
  ActionRow,
  'trace_end_lt' | 'trace_end_utime' | 'trace_id' | 'end_lt' | 'end_utime' | 'action_id'
>

export const ACTION_CURSOR = new Cursor<ActionPosition>('act', {
  trace_end_lt: int8,
  trace_end_utime: int4,
  trace_id: hash256,
  end_lt: int8,
  end_utime: int4,
  action_id: hash256,
})

export type ActionSlice = Slice<ActionPosition>

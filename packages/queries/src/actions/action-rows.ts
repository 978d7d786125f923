import type { Row, StoredDetails } from '@shardwalk/db'
import { Cursor, hash256, int4, int8, type Slice, selected, tableColumns } from '../idiom/index.ts'

const OWN_TYPES = tableColumns(
  'actions',
  'trace_id',
  'action_id',
  'type',
  'success',
  'start_lt',
  'end_lt',
  'start_utime',
  'end_utime',
  'trace_end_lt',
  'trace_end_utime',
  'trace_mc_seqno_end',
  'ancestor_type',
  'tx_hashes',
  'account_ids',
)

/** As the statements return it. */
export interface StoredActionRow
  extends Readonly<Pick<Row<'actions'>, keyof typeof OWN_TYPES>>,
    Readonly<Pick<Row<'traces'>, 'external_hash' | 'external_hash_norm'>> {
  /** Columns specific to the type; `unpackDetails` reads them. */
  readonly details: StoredDetails
}

export interface ActionRow extends Omit<StoredActionRow, 'ancestor_type' | 'tx_hashes'> {
  /** Types of the composite actions around it, nearest first. */
  readonly ancestor_type: readonly string[]
  /** Hashes of the transactions that it covers, by lt. */
  readonly tx_hashes: readonly Buffer[]
}

export const toActionRows = (rows: readonly StoredActionRow[]): ActionRow[] =>
  rows.map((row) => ({
    ...row,
    ancestor_type: row.ancestor_type ?? [],
    tx_hashes: hashesIn(row.tx_hashes),
  }))

/** The hashes in `tx_hashes` of an action. */
export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, n) =>
    bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  )

export const HASH_BYTES = 32

export const ACTION_TYPES = {
  ...OWN_TYPES,
  ...tableColumns('actions', 'details'),
  ...tableColumns('traces', 'external_hash', 'external_hash_norm'),
}

/** Columns of an action `a` and its trace `r`. */
export const ACTION_COLUMNS = selected('a', ACTION_TYPES, {
  external_hash: 'r.external_hash',
  external_hash_norm: 'r.external_hash_norm',
})

/** Columns that order a list of actions. */
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

import type { Row, StoredDetails } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
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

/** An action with its lists unpacked. */
export interface ActionRow extends Omit<StoredActionRow, 'ancestor_type' | 'tx_hashes' | 'account_ids'> {
  /** Types of the composite actions around it, nearest first. */
  readonly ancestor_type: readonly string[]
  /** Hashes of the transactions that it covers, by lt. */
  readonly tx_hashes: readonly Buffer[]
  /** Accounts involved, by address. */
  readonly account_ids: readonly AccountId[]
}

/** Rows as replies need them: with hashes and account ids instead of the bytes that have them in a row. */
export const toActionRows = (rows: readonly StoredActionRow[]): ActionRow[] =>
  rows.map((row) => ({
    ...row,
    ancestor_type: row.ancestor_type ?? [],
    tx_hashes: hashesOf(row),
    account_ids: accountIdsIn(row.account_ids),
  }))

/** As `tx_hashes_of` in SQL. */
export function hashesOf({ trace_id, tx_hashes }: Pick<StoredActionRow, 'trace_id' | 'tx_hashes'>): Buffer[] {
  const start = tx_hashes.length % HASH_BYTES
  return [...(start > 0 ? [trace_id] : []), ...hashesIn(tx_hashes.subarray(start))]
}

const accountIdsIn = (bytes: Buffer): AccountId[] =>
  Array.from({ length: bytes.length / ID_BYTES }, (_, n) => bytes.readBigInt64BE(n * ID_BYTES) as AccountId)

const ID_BYTES = 8

/** Hashes one after another. */
export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, n) =>
    bytes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES),
  )

/** Length of a hash in arrays of hashes that are stored one after another. */
export const HASH_BYTES = 32

/** Types of PostgreSQL by column of `StoredActionRow`. */
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

/** A place in a list of actions: end of the trace, then the action. */
export const ACTION_CURSOR = new Cursor<ActionPosition>('act', {
  trace_end_lt: int8,
  trace_end_utime: int4,
  trace_id: hash256,
  end_lt: int8,
  end_utime: int4,
  action_id: hash256,
})

export type ActionSlice = Slice<ActionPosition>

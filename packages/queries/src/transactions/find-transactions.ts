import type { Db } from '@shardwalk/db'
import { MASTERCHAIN } from '@shardwalk/model'
import { sql } from 'kysely'
import { WHOLE_WORKCHAIN } from '../blocks/index.ts'
import { earlier, KEEP_PLAN, later, statement, withKey } from '../idiom/index.ts'
import { hashTypes, type PlaceColumns, withHashes } from '../partitions/index.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionKey,
  type TransactionRow,
} from './transaction-rows.ts'

/** Raw: an array of keys with a kept plan. Index: primary key. */
const BY_KEYS = statement<TransactionRow>('transactions by keys', TRANSACTION_TYPES)

/** Complete rows for the keys, in their order. */
export async function transactionsByKeys(
  db: Db,
  keys: readonly Pick<TransactionKey, 'account_id' | 'lt'>[],
): Promise<readonly TransactionRow[]> {
  if (keys.length === 0) return []
  return BY_KEYS.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS}
    from unnest(${keys.map((key) => key.account_id)}::int8[], ${keys.map((key) => key.lt)}::int8[])
      with ordinality as k(account_id, lt, position)
    cross join lateral (${withKey(
      'transactions',
      'k',
      keys.map((key) => key.lt),
    )}) t
    order by k.position`,
  )
}

/** Raw: a kept plan. Index: same as `withHashes`. */
const BY_HASH = statement<TransactionRow & PlaceColumns>('transactions by hash', hashTypes(TRANSACTION_TYPES))

/** The order is not defined. */
export const transactionsByHash = (db: Db, hashes: readonly Buffer[]): Promise<readonly TransactionRow[]> =>
  withHashes<TransactionRow>(db, hashes, {
    table: 'transactions',
    statement: BY_HASH,
    select: (some, search) => sql`
      select ${TRANSACTION_COLUMNS} from (select distinct unnest(${some}::bytea[]) as hash) h
      cross join lateral (${search('h.hash')}) t`,
  })

/** A trace, by its first piece, and the lt of its first and last transaction. */
export interface TraceExtent {
  readonly piece: bigint
  readonly start_lt: bigint
  readonly end_lt: bigint
}

/** A transaction of a trace; `of_piece`: the first piece of the trace, as it was asked for. */
export type TraceTransactionRow = TransactionRow & { readonly of_piece: bigint }

/**
 * Logical time of a long trace: it may be in many partitions, of which a piece, being in one masterchain
 * block, is in one or two.
 */
export const LONG_LT = 100_000_000n

/**
 * Raw: the bounds on lt exclude partitions: those of all traces together, or, if they are far apart, those of
 * each, and of the pieces of a long one. Index: transactions (piece); primary key of blocks.
 */
const OF_TRACES = statement<TraceTransactionRow>('transactions of traces', {
  ...TRANSACTION_TYPES,
  of_piece: 'int8',
})

/**
 * All transactions of the traces, ordered by lt, then account. Until they are rendered, their traces may have
 * become part of others, or be indexed again.
 */
export async function transactionsOfTraces(
  db: Db,
  traces: readonly TraceExtent[],
): Promise<readonly TraceTransactionRow[]> {
  if (traces.length === 0) return []
  const from = traces.map((trace) => trace.start_lt).reduce(earlier)
  const to = traces.map((trace) => trace.end_lt).reduce(later)
  const near = to - from <= LONG_LT
  return OF_TRACES.rows(
    db,
    sql`
    select ${TRANSACTION_COLUMNS}, r.piece as of_piece
    from unnest(${traces.map((trace) => trace.piece)}::int8[],
      ${traces.map((trace) => trace.start_lt)}::int8[], ${traces.map((trace) => trace.end_lt)}::int8[])
      as r(piece, start_lt, end_lt)
    cross join lateral pieces_of_trace(r.piece) p(piece) ${near ? sql`` : BLOCK_OF_PIECE}
    cross join lateral (
      select * from transactions x where x.piece = p.piece and x.lt between ${from} and ${to}
        ${near ? sql`` : WITHIN_PIECE} offset 0
    ) t
    order by t.lt, t.account_id`,
  )
}

const BLOCK_OF_PIECE = sql`
  left join lateral (
    select b.batch_start_lt as start_lt, b.batch_end_lt as end_lt from blocks b
    where r.end_lt - r.start_lt > ${LONG_LT} and b.workchain = ${MASTERCHAIN} and b.shard = ${WHOLE_WORKCHAIN}
      and b.seqno = (p.piece >> 32)::int4 offset 0
  ) b on true`
const WITHIN_PIECE = sql`
  and x.lt between greatest(r.start_lt, b.start_lt) and least(r.end_lt, b.end_lt)`

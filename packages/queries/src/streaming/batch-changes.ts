import type { Db, Row } from '@shardwalk/db'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import { KEEP_PLAN, selected, statement, tableColumns } from '../idiom/index.ts'

const STORED_TYPES = tableColumns(
  'transactions',
  'account_id',
  'lt',
  'balance_after',
  'state_hash_after',
  'code_hash_after',
  'data_hash_after',
  'frozen_hash_after',
  'extra_currencies_after',
  'end_status',
)

/** A transaction of a masterchain block: whose it is, its trace, and the state that it left. */
export interface ChangeRow extends Readonly<Pick<Row<'transactions'>, keyof typeof STORED_TYPES>> {
  readonly trace_id: Buffer
}

const CHANGE_TYPES = { ...STORED_TYPES, trace_id: 'bytea' } as const
const CHANGE_COLUMNS = selected('t', CHANGE_TYPES, { trace_id: 'trace_id_of(t.piece)' })

/** Raw: a kept plan. Index: transactions (lt), over the range of the batch. */
const CHANGES = statement<ChangeRow>('transactions of a batch', CHANGE_TYPES)

/**
 * Transactions that a masterchain block commits, ordered by lt, then account. Throws
 * `MasterchainBlockNotIndexed`.
 */
export async function changesOfBatch(db: Db, mcBlockSeqno: number): Promise<readonly ChangeRow[]> {
  const { from, to } = await requireBatchExtent(db, mcBlockSeqno)
  return CHANGES.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${CHANGE_COLUMNS} from transactions t
    where t.lt between ${from} and ${to} and t.mc_block_seqno = ${mcBlockSeqno}
    order by t.lt, t.account_id`,
  )
}

/** How far the lt of a shard may be behind that of the masterchain; 100 blocks. */
const SHARD_SKEW = 100_000_000n

/**
 * An lt before that of everything that later masterchain blocks commit. Throws `MasterchainBlockNotIndexed`.
 */
export async function ltBefore(db: Db, mcBlockSeqno: number): Promise<bigint> {
  return (await requireBatchExtent(db, mcBlockSeqno)).from - SHARD_SKEW
}

/** Raw: one index scan per account, with a kept plan. Index: primary key. */
const CHANGES_SINCE = statement<ChangeRow>('transactions of accounts since a batch', CHANGE_TYPES)

/** The same for some accounts and all blocks after `mcBlockSeqno` up to `to`, at most `limit`. */
export async function changesSince(
  db: Db,
  { accounts, lt, mcBlockSeqno, to, limit }: Since,
): Promise<readonly ChangeRow[]> {
  if (accounts.length === 0) return []
  return CHANGES_SINCE.rows(
    db,
    sql`
    ${KEEP_PLAN} select t.* from unnest(${accounts}::int8[]) as i(id) cross join lateral (
      select ${CHANGE_COLUMNS} from transactions t
      where t.account_id = i.id and t.lt > ${lt} and t.mc_block_seqno > ${mcBlockSeqno}
        and t.mc_block_seqno <= ${to}
      order by t.lt limit ${limit}
    ) t order by t.lt, t.account_id limit ${limit}`,
  )
}

/** Changes of accounts after a masterchain block (exclusive) up to `to` (inclusive), at most `limit`. */
export interface Since {
  readonly accounts: readonly bigint[]
  /** `ltBefore(mcBlockSeqno)`. */
  readonly lt: bigint
  readonly mcBlockSeqno: number
  readonly to: number
  readonly limit: number
}

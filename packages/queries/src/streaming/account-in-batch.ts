import type { Db } from '@shardwalk/db'
import type { AccountId, McBlockSeqno } from '@shardwalk/model'
import { sql } from 'kysely'
import { requireBatchExtent } from '../blocks/index.ts'
import { KEEP_PLAN, statement } from '../idiom/index.ts'
import {
  TRANSACTION_COLUMNS,
  TRANSACTION_TYPES,
  type TransactionRow,
} from '../transactions/transaction-rows.ts'

export interface AccountInBatch {
  readonly accountId: AccountId
  readonly mcBlockSeqno: McBlockSeqno
}

/** Raw: a kept plan. Index: primary key, over the range of the batch. */
const OF_ACCOUNT = statement<TransactionRow>('transactions of an account in a batch', TRANSACTION_TYPES)

/** An account's transactions of a masterchain block, by lt. Throws `MasterchainBlockNotIndexed`. */
export async function ofAccountInBatch(
  db: Db,
  { accountId, mcBlockSeqno }: AccountInBatch,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly TransactionRow[]> {
  const { from, to } = await requireBatchExtent(db, mcBlockSeqno)
  return OF_ACCOUNT.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS} from transactions t
    where t.account_id = ${accountId} and t.lt between ${from} and ${to}
      and t.mc_block_seqno = ${mcBlockSeqno}
    order by t.lt limit ${limit} offset ${offset}`,
  )
}

/** Raw: as before. */
const LAST_OF_ACCOUNT = statement<TransactionRow>(
  'last transaction of an account in a batch',
  TRANSACTION_TYPES,
)

/** The last of them; undefined: there is none. Throws `MasterchainBlockNotIndexed`. */
export async function lastOfAccountInBatch(
  db: Db,
  { accountId, mcBlockSeqno }: AccountInBatch,
): Promise<TransactionRow | undefined> {
  const { from, to } = await requireBatchExtent(db, mcBlockSeqno)
  const rows = await LAST_OF_ACCOUNT.rows(
    db,
    sql`
    ${KEEP_PLAN} select ${TRANSACTION_COLUMNS} from transactions t
    where t.account_id = ${accountId} and t.lt between ${from} and ${to}
      and t.mc_block_seqno = ${mcBlockSeqno}
    order by t.lt desc limit 1`,
  )
  return rows[0]
}

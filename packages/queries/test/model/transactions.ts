import type { Row } from '@shardwalk/db'
import { shardFromPrefix, shardToSigned } from '@shardwalk/model'
import type { Sort, TransactionFilter } from '../../src/index.ts'
import { allows, isTimed, same, sorted, within } from './lists.ts'

export type Transaction = Row<'transactions'>

export const workchainOf = ({ account_id }: Transaction) => (account_id < 0n ? -1 : 0)
export const shardOf = (tx: Transaction) =>
  shardToSigned(shardFromPrefix(BigInt.asUintN(64, tx.account_id << 1n), tx.shard_len))

export const isAmong = (tx: Transaction, filter: TransactionFilter): boolean =>
  same(filter.workchain, workchainOf(tx)) &&
  same(filter.shard, shardOf(tx)) &&
  same(filter.seqno, tx.block_seqno) &&
  same(filter.mcBlockSeqno, tx.mc_block_seqno) &&
  allows(filter.accounts, tx.account_id) &&
  !filter.excludedAccounts?.includes(tx.account_id) &&
  within(tx.lt, filter.lt ?? {}) &&
  within(tx.now, filter.time ?? {})

export const byLt = (sort: Sort) =>
  [
    { of: (tx: Transaction) => tx.lt, sort },
    { of: (tx: Transaction) => tx.account_id, sort: 'asc' },
  ] as const

export const inOrder = (rows: readonly Transaction[], { time }: TransactionFilter, sort: Sort) =>
  sorted(rows, [
    ...(isTimed(time) ? [{ of: (tx: Transaction) => tx.now, sort } as const] : []),
    ...byLt(sort),
  ])

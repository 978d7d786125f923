import { NO_HASH, toV2Transaction, transactionId, type V2Address } from '@shardwalk/api-schema'
import { accountHistory, type HistoryQuery } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

interface TransactionsQuery {
  readonly address: V2Address
  readonly limit: bigint
  readonly lt?: bigint | undefined
  readonly hash?: Buffer | undefined
  readonly to_lt: bigint
  readonly archival: boolean
}

const toHistoryQuery = ({ address, limit, lt, hash, to_lt, archival }: TransactionsQuery): HistoryQuery => ({
  address,
  limit: Number(limit),
  from: lt !== undefined && hash ? { lt, hash } : undefined,
  toLt: to_lt,
  archive: archival,
})

export const TRANSACTION_HANDLERS: V2Handlers<'getTransactions' | 'getTransactionsStd'> = {
  async getTransactions(node, query) {
    // Only here, lt 0 counts as absent.
    const lt = query.lt === 0n ? undefined : query.lt
    const { transactions } = await accountHistory(node, toHistoryQuery({ ...query, lt }))
    return transactions.map((source) => toV2Transaction(source, 'ext.transaction'))
  },

  async getTransactionsStd(node, query) {
    const { transactions, next } = await accountHistory(node, toHistoryQuery(query))
    return {
      '@type': 'raw.transactions',
      transactions: transactions.map((source) => toV2Transaction(source, 'raw.transaction')),
      previous_transaction_id: transactionId(next.lt, next.lt === 0n ? NO_HASH : next.hash),
    }
  },
}

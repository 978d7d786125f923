import { NO_HASH, toV2Transaction, transactionId, type V2Address } from '@shardwalk/api-schema'
import { AccountHistory, type HistoryQuery } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'
import { ResultRows } from './result-text.ts'

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
  getTransactions(node, query) {
    // Only here, lt 0 counts as absent.
    const lt = query.lt === 0n ? undefined : query.lt
    const history = new AccountHistory(node, toHistoryQuery({ ...query, lt }))
    return new ResultRows(history.transactions(), (source) => toV2Transaction(source, 'ext.transaction'))
  },

  getTransactionsStd(node, query) {
    const history = new AccountHistory(node, toHistoryQuery(query))
    return {
      '@type': 'raw.transactions',
      transactions: new ResultRows(history.transactions(), (source) =>
        toV2Transaction(source, 'raw.transaction'),
      ),
      previous_transaction_id: () => {
        const { lt, hash } = history.next
        return transactionId(lt, lt === 0n ? NO_HASH : hash)
      },
    }
  },
}

import type { Db } from '@shardwalk/db'
import { messageKey, type Side } from '../messages/index.ts'
import { transactionsByHash, transactionsByKeys } from './find-transactions.ts'
import { compareKeys, type TransactionRow } from './transaction-rows.ts'
import { endsOf, keysOfMessages } from './transactions-of-messages.ts'

/** The transaction that sent the in message of this one, and those that received its out messages, by lt. */
export async function adjacentTransactions(
  db: Db,
  hash: Buffer,
  side: Side | undefined,
): Promise<readonly TransactionRow[]> {
  const [row] = await transactionsByHash(db, [hash])
  if (!row) return []
  const [received, sent] = [keysOfMessages(row, 'in'), keysOfMessages(row, 'out')]
  const keys = [
    ...(side === 'out' ? [] : await endsOf(db, received, 'out')),
    ...(side === 'in' ? [] : await endsOf(db, sent, 'in')),
  ]
  const distinct = new Map(keys.map((key) => [messageKey(key.account_id, key.lt), key]))
  const found = await transactionsByKeys(db, [...distinct.values()])
  return found.toSorted(compareKeys('lt', 'asc'))
}

import type { Json } from '../client.ts'
import type { ExpectedMessage, ExpectedTransaction } from './expected-chain.ts'

export const hashes = (rows: readonly Json[]) => rows.map((row) => row['hash'])
export const base64 = (rows: readonly { hash: Buffer }[]) => rows.map((row) => row.hash.toString('base64'))
const compare = <T extends bigint | number | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

/** Addresses sort by workchain, then bytes. */
const accountRank = (account: string) =>
  `${account.startsWith('-1') ? 0 : 1}${account.slice(account.indexOf(':'))}`

export function transactionOrder(sort: string, byTime: boolean) {
  const sign = sort === 'asc' ? 1 : -1
  return (a: ExpectedTransaction, b: ExpectedTransaction) =>
    (byTime ? a.now - b.now : 0) * sign ||
    compare(a.lt, b.lt) * sign ||
    compare(accountRank(a.account), accountRank(b.account))
}

export const sortTransactions = (rows: readonly ExpectedTransaction[], sort: string): ExpectedTransaction[] =>
  [...rows].sort(transactionOrder(sort, false))

/** External messages have no lt and no time, and come last. */
export function messageOrder(sort: string, byTime: boolean) {
  const sign = sort === 'asc' ? 1 : -1
  const key = (m: ExpectedMessage) => (byTime ? (m.createdAt ?? 2 ** 40) : (m.createdLt ?? 2n ** 64n))
  return (a: ExpectedMessage, b: ExpectedMessage) =>
    (compare(key(a), key(b)) || Buffer.compare(a.hash, b.hash)) * sign
}

/** Of the empty cell, as replies show it. */
export const EMPTY = 'lqKW0iTyhcZ77pPDD4owkVfw2qNdxbh+QQt4YwoJz8c='
export const EMPTY_HASH = Buffer.from(EMPTY, 'base64')

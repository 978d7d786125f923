import {
  NO_HASH,
  type TransactionSource,
  toV2Transaction,
  transactionId,
  type V2Address,
} from '@shardwalk/api-schema'
import { bagToBoc } from '@shardwalk/cells'
import type { DecodedTransaction } from '@shardwalk/model'
import type { TransactionChunk } from '@shardwalk/node-access'
import { loadTransaction } from '@shardwalk/tlb'
import type { V2Context, V2Handlers } from './context.ts'
import { noServers } from './failures.ts'

interface HistoryQuery {
  readonly address: V2Address
  readonly limit: bigint
  readonly lt?: bigint | undefined
  readonly hash?: Buffer | undefined
  readonly to_lt: bigint
  readonly archival: boolean
}

interface Position {
  readonly lt: bigint
  readonly hash: Buffer
}

interface History {
  readonly transactions: readonly TransactionSource[]
  /** Where the list goes on; lt 0: nowhere. */
  readonly next: Position
}

/** A lite server gives no more at once. */
const CHUNK = 16

/**
 * Transactions from the given one (which is included) or from the account's newest, back to the limit, to `to_lt` (excluded) or to the
 * beginning.
 */
async function history(context: V2Context, query: HistoryQuery): Promise<History> {
  const limit = Number(query.limit)
  let next = await startOf(context, query)
  const transactions: TransactionSource[] = []
  while (transactions.length < limit && next.lt > 0n && next.lt > query.to_lt) {
    const count = Math.min(CHUNK, limit - transactions.length)
    const chunk = await fetchChunk(context, query, { ...next, count })
    if (chunk.length === 0) break
    for (const source of chunk) {
      if (source.transaction.lt <= query.to_lt) return { transactions, next }
      transactions.push(source)
      next = previous(source.transaction)
    }
  }
  return { transactions, next }
}

const previous = ({ prevTransLt, prevTransHash }: DecodedTransaction): Position => ({
  lt: prevTransLt,
  hash: prevTransHash,
})

async function startOf({ chain }: V2Context, { address, lt, hash }: HistoryQuery): Promise<Position> {
  if (lt !== undefined && hash) return { lt, hash }
  const { lastTransLt, lastTransHash } = await chain.account(await chain.head(), address)
  return { lt: lastTransLt, hash: lastTransHash }
}

async function fetchChunk(
  { chain }: V2Context,
  { address, archival }: HistoryQuery,
  from: Position & { readonly count: number },
): Promise<readonly TransactionSource[]> {
  const { pool } = chain.client
  // What is not known yet may be an archive: only servers that are known to be none are out.
  if (archival && pool.servers().every((server) => server.archive === false)) throw noServers(true)
  const options = archival ? { archive: true } : {}
  return readChunk(await chain.transactions(address, from, options), address.workchain)
}

export function readChunk(
  { bag, transactions }: TransactionChunk,
  workchain: number,
): readonly TransactionSource[] {
  return transactions.map(({ root }) => ({
    transaction: loadTransaction(bag!.slice(root), workchain),
    boc: bagToBoc(bag!, root),
  }))
}

export const TRANSACTION_HANDLERS: V2Handlers<'getTransactions' | 'getTransactionsStd'> = {
  async getTransactions(context, query) {
    // Here lt 0 counts as absent. Source: API v2 specification 6.3.
    const { transactions } = await history(context, query.lt === 0n ? { ...query, lt: undefined } : query)
    return transactions.map((source) => toV2Transaction(source, 'ext.transaction'))
  },

  async getTransactionsStd(context, query) {
    const { transactions, next } = await history(context, query)
    return {
      '@type': 'raw.transactions',
      transactions: transactions.map((source) => toV2Transaction(source, 'raw.transaction')),
      previous_transaction_id: transactionId(next.lt, next.lt === 0n ? NO_HASH : next.hash),
    }
  },
}

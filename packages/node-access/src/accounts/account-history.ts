import type { DecodedTransaction, RawAddress } from '@shardwalk/model'
import type { ChainTransaction } from '../blocks/block-transactions.ts'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import type { TransactionPlace } from './accounts.ts'

export interface HistoryQuery {
  readonly address: RawAddress
  readonly limit: number
  /** The first transaction of the list; the account's newest when absent. */
  readonly from?: TransactionPlace | undefined
  /** Transactions up to this lt are left out. */
  readonly toLt: bigint
  /** Asks servers that keep the whole history. */
  readonly archive: boolean
}

export interface History {
  readonly transactions: readonly ChainTransaction[]
  /** Where the list goes on; lt 0: nowhere. */
  readonly next: TransactionPlace
}

/** A lite server gives no more at once. */
const CHUNK = 16

/** Transactions of an account, newest first, back to the limit, to `toLt` or to the account's beginning. */
export async function accountHistory(node: NodeAccess, query: HistoryQuery): Promise<History> {
  const { address, limit, toLt } = query
  let next = query.from ?? (await newestOf(node, address))
  const transactions: ChainTransaction[] = []
  while (transactions.length < limit && next.lt > toLt && next.lt > 0n) {
    const count = Math.min(CHUNK, limit - transactions.length)
    const chunk = await fetchChunk(node, query, { ...next, count })
    if (chunk.length === 0) break
    for (const source of chunk) {
      if (source.transaction.lt <= toLt) return { transactions, next }
      transactions.push(source)
      next = previous(source.transaction)
    }
  }
  return { transactions, next }
}

async function newestOf({ blocks, accounts }: NodeAccess, address: RawAddress): Promise<TransactionPlace> {
  const { lastTransLt, lastTransHash } = await accounts.at(await blocks.masterchain(), address)
  return { lt: lastTransLt, hash: lastTransHash }
}

const previous = ({ prevTransLt, prevTransHash }: DecodedTransaction): TransactionPlace => ({
  lt: prevTransLt,
  hash: prevTransHash,
})

async function fetchChunk(
  { client, accounts }: NodeAccess,
  { address, archive }: HistoryQuery,
  from: TransactionPlace & { readonly count: number },
): Promise<readonly ChainTransaction[]> {
  // A server may be an archive until it is known to be none.
  if (archive && client.pool.servers().every((server) => server.archive === false))
    throw new NodeAccessError('no_archive_server', 'no lite server keeps the whole history')
  return accounts.transactions(address, from, archive ? { archive: true } : {})
}

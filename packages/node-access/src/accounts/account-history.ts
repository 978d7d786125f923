import type { DecodedTransaction, RawAddress } from '@shardwalk/model'
import type { ChainTransaction } from '../blocks/block-transactions.ts'
import { NodeAccessError } from '../errors.ts'
import type { NodeAccess } from '../node-access.ts'
import type { TransactionPlace } from './accounts.ts'

export interface HistoryQuery {
  readonly address: RawAddress
  readonly limit: number
  /** First transaction of the list; the account's newest when absent. */
  readonly from?: TransactionPlace | undefined
  /** Transactions up to this lt are excluded. */
  readonly toLt: bigint
  /** Ask only servers that keep the whole history. */
  readonly archive: boolean
}

/** Maximum number of transactions that a lite server returns at once. */
const CHUNK = 16

/** Transactions of an account, newest first, up to the limit, to `toLt`, or to the account's first one. */
export class AccountHistory {
  /** Where the list continues, known once it was read; lt 0 at the beginning of the account. */
  next: TransactionPlace = { lt: 0n, hash: Buffer.alloc(32) }

  constructor(
    private readonly node: NodeAccess,
    private readonly query: HistoryQuery,
  ) {}

  /** Asks lite servers while it is read. May be read once. */
  async *transactions(): AsyncGenerator<ChainTransaction> {
    const { address, limit, toLt } = this.query
    this.next = this.query.from ?? (await newestOf(this.node, address))
    for (let left = limit; left > 0 && this.next.lt > toLt && this.next.lt > 0n; ) {
      const count = Math.min(CHUNK, left)
      const chunk = await fetchChunk(this.node, this.query, { ...this.next, count })
      if (chunk.length === 0) return
      for (const source of chunk) {
        if (source.transaction.lt <= toLt) return
        this.next = previous(source.transaction)
        yield source
      }
      left -= chunk.length
    }
  }
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
  // Until it is known, a server may or may not be an archive.
  if (archive && client.pool.servers().every((server) => server.archive === false))
    throw new NodeAccessError('no_archive_server', 'no lite server keeps the whole history')
  return accounts.transactions(address, from, archive ? { archive: true } : {})
}

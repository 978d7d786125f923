import type { DecodedTransaction, RawAddress } from '@shardwalk/model'
import type { ChainTransaction } from '../blocks/block-transactions.ts'
import { NodeAccessError } from '../errors.ts'
import type { AskOptions } from '../lite-client.ts'
import type { NodeAccess } from '../node-access.ts'
import type { TransactionPlace } from './accounts.ts'

/** Transactions of an account, newest first. */
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
    const { limit, toLt } = this.query
    const start = await this.start()
    this.next = start.place
    let needs = start.needs
    for (let left = limit; left > 0 && this.next.lt > toLt && this.next.lt > 0n; ) {
      const count = Math.min(CHUNK, left)
      const chunk = await this.fetchChunk({ ...this.next, count }, needs)
      needs = {}
      for (const source of chunk) {
        if (source.transaction.lt <= toLt) return
        this.next = previous(source.transaction)
        yield source
      }
      left -= chunk.length
    }
  }

  /** The first transaction, and what a server needs for it. */
  private async start(): Promise<{ readonly place: TransactionPlace; readonly needs: AskOptions }> {
    const { blocks, accounts } = this.node
    const { from, address } = this.query
    if (from) return { place: from, needs: {} }
    const head = await blocks.masterchain()
    const { lastTransLt, lastTransHash } = await accounts.at(head, address)
    return { place: { lt: lastTransLt, hash: lastTransHash }, needs: { mcBlockSeqno: head.seqno } }
  }

  private async fetchChunk(
    from: TransactionPlace & { readonly count: number },
    needs: AskOptions,
  ): Promise<readonly ChainTransaction[]> {
    const { client, accounts } = this.node
    const { address, archive } = this.query
    // Until it is known, a server may or may not be an archive.
    if (archive && client.pool.servers().every((server) => server.archive === false))
      throw new NodeAccessError('no_archive_server', 'no lite server keeps the whole history')
    return accounts.transactions(address, from, archive ? { ...needs, archive } : needs)
  }
}

const previous = ({ prevTransLt, prevTransHash }: DecodedTransaction): TransactionPlace => ({
  lt: prevTransLt,
  hash: prevTransHash,
})

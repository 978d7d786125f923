import { listTransactions, openBlock } from '@shardwalk/blocks'
import { bagToBoc } from '@shardwalk/cells'
import { type BlockId, type DecodedTransaction, formatBlockId } from '@shardwalk/model'
import { loadTransaction } from '@shardwalk/tlb'
import { AsyncCache } from '../async-cache.ts'
import type { LiteClient } from '../lite-client.ts'

/** A transaction and the cell that it was read from. */
export interface ChainTransaction {
  readonly transaction: DecodedTransaction
  /** Bag of cells of the transaction. */
  readonly boc: Buffer
}

/** Position of a transaction in its block. Decoding it costs much more than listing it. */
export interface ListedTransaction {
  /** 32 bytes. */
  readonly account: Buffer
  readonly lt: bigint
  readonly hash: Buffer
  readonly read: () => ChainTransaction
}

/**
 * Transactions of blocks, ordered by account, then lt. Each block is fetched as a whole, with one query
 * however many transactions it has.
 */
export class BlockTransactions {
  private readonly blocks = new AsyncCache<readonly ListedTransaction[]>(24)

  constructor(private readonly client: LiteClient) {}

  /** The id may come from a client. */
  list(id: BlockId): Promise<readonly ListedTransaction[]> {
    return this.blocks.get(formatBlockId(id), () =>
      this.client.ask('liteServer.getBlock', { id }, ({ data }) => listed(id, data), {
        mcBlockSeqno: 1,
        unproven: true,
      }),
    )
  }
}

/** Checks the file hash, and every hash of the cells. */
function listed(id: BlockId, bytes: Buffer): readonly ListedTransaction[] {
  const block = openBlock({ id, bytes }, { verify: 'cells' })
  const { bag } = block
  return listTransactions(block).map(({ account, lt, cell }) => ({
    account: account.hash,
    lt,
    hash: bag.hash(cell),
    read: () => ({
      transaction: loadTransaction(bag.slice(cell), id.workchain),
      boc: bagToBoc(bag, cell),
    }),
  }))
}

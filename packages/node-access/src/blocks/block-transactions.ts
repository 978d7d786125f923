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

/** Number of blocks that are kept, and bytes of memory for them: blocks may have several megabytes. */
const KEPT_BLOCKS = 24
const KEPT_BYTES = 64 * 1024 * 1024
/** Memory of a block as a multiple of its bytes, as measured: cells have offsets and hashes, too. */
const WEIGHT = 4

interface WholeBlock {
  readonly bytes: Buffer
  readonly transactions: readonly ListedTransaction[]
}

/**
 * Transactions of blocks, ordered by account, then lt. Each block is fetched as a whole, with one query
 * however many transactions it has. Ids may come from clients.
 */
export class BlockTransactions {
  private readonly blocks = new AsyncCache<WholeBlock>(KEPT_BLOCKS, {
    memory: { bytes: KEPT_BYTES, weigh: ({ bytes }) => WEIGHT * bytes.length },
  })

  constructor(private readonly client: LiteClient) {}

  async list(id: BlockId): Promise<readonly ListedTransaction[]> {
    return (await this.whole(id)).transactions
  }

  /** The block as it was serialised: what its file hash is of. */
  async bytes(id: BlockId): Promise<Buffer> {
    return (await this.whole(id)).bytes
  }

  private whole(id: BlockId): Promise<WholeBlock> {
    return this.blocks.get(formatBlockId(id), () =>
      this.client.ask(
        'liteServer.getBlock',
        { id },
        ({ data: bytes }) => ({ bytes, transactions: listed(id, bytes) }),
        { mcBlockSeqno: 1, unproven: true },
      ),
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

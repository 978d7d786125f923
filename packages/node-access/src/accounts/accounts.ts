import { bagToBoc } from '@shardwalk/cells'
import { BASECHAIN, type BlockId, MASTERCHAIN, type RawAddress } from '@shardwalk/model'
import { verifyTransactionList } from '@shardwalk/proofs'
import { loadAccount, loadTransaction } from '@shardwalk/tlb'
import { AsyncCache } from '../async-cache.ts'
import type { ChainTransaction } from '../blocks/block-transactions.ts'
import type { Shards } from '../blocks/shards.ts'
import { NodeAccessError } from '../errors.ts'
import type { AskOptions, LiteClient } from '../lite-client.ts'
import { type AccountSnapshot, readSnapshot } from './account-snapshot.ts'
import type { ChainIndex } from './chain-index.ts'
import type { IndexedAccount } from './indexed-account.ts'

/** A transaction of an account. */
export interface TransactionPlace {
  readonly lt: bigint
  readonly hash: Buffer
}

/** The part of a state that a transaction needs; without a cell when there is no account. */
export type AccountCell = Omit<IndexedAccount, 'cell'> & Partial<Pick<IndexedAccount, 'cell'>>

/**
 * Memory of a cell that was read, with its hash: measured on dictionaries of 5,000 entries. States have up to
 * 65,536 cells, so a limit on the number of states would not suffice. Bytes.
 */
const BYTES_OF_CELL = 800
/** Memory of everything else about one account. Bytes. */
const BYTES_OF_REST = 2_000
/** Limits of the caches, each a small part of the default heap of the API. Bytes. */
const STATES_BYTES = 24 * 1024 * 1024
const CHUNKS_BYTES = 16 * 1024 * 1024

const weightOfState = ({ cell }: AccountCell): number =>
  BYTES_OF_REST + (cell ? BYTES_OF_CELL * Number(loadAccount(cell.slice())?.used.cells ?? 0) : 0)
/** The bag, and as much again for the positions and hashes of its cells. */
const weightOfChunk = ({ bag }: TransactionChunk): number => BYTES_OF_REST + 2 * bag.bytes.length

type TransactionChunk = ReturnType<typeof verifyTransactionList>

/** States and transactions of accounts. */
export class Accounts {
  private readonly snapshots = new AsyncCache<AccountSnapshot>(5000, {
    memory: { bytes: STATES_BYTES, weigh: weightOfState },
  })
  private readonly chunks = new AsyncCache<TransactionChunk>(2000, {
    memory: { bytes: CHUNKS_BYTES, weigh: weightOfChunk },
  })

  private readonly cells = new AsyncCache<AccountCell>(5000, {
    memory: { bytes: STATES_BYTES, weigh: weightOfState },
  })
  /** Cells by where they were found. */
  readonly cellCounts = { index: 0, liteServers: 0 }

  constructor(
    private readonly client: LiteClient,
    private readonly shards: Pick<Shards, 'tops'>,
    private readonly index?: ChainIndex,
  ) {}

  /** The account's cell at a masterchain block, from the index if it has it, else from a lite server. */
  cellAt(mcBlock: BlockId, address: RawAddress): Promise<AccountCell> {
    return this.cells.get(keyOf(mcBlock, address), async () => {
      const indexed = await this.index?.account(mcBlock, address)
      const found = indexed ?? (await this.at(mcBlock, address))
      this.cellCounts[indexed ? 'index' : 'liteServers']++
      return found
    })
  }

  /** State of an account at a masterchain block. */
  async at(mcBlock: BlockId, address: RawAddress): Promise<AccountSnapshot> {
    const { workchain, hash } = address
    // Where there is none, lite servers return an impossible shard block, which no proof matches.
    if (!(await this.hasWorkchain(mcBlock, workchain)))
      throw new NodeAccessError('no_such_workchain', `there is no shard block of workchain ${workchain}`)
    return this.snapshots.get(keyOf(mcBlock, address), () =>
      this.client.ask(
        'liteServer.getAccountState',
        { id: mcBlock, account: { workchain, id: hash } },
        (answer) => readSnapshot(answer, mcBlock, address),
      ),
    )
  }

  /** Every network has the first two. */
  private async hasWorkchain(mcBlock: BlockId, workchain: number): Promise<boolean> {
    if (workchain === MASTERCHAIN || workchain === BASECHAIN) return true
    return (await this.shards.tops(mcBlock)).some((top) => top.workchain === workchain)
  }

  /**
   * Up to 16 transactions of an account, newest first, starting at the given one, as far as the server still
   * has them; at least one.
   */
  async transactions(
    { workchain, hash: id }: RawAddress,
    from: TransactionPlace & { readonly count: number },
    options: AskOptions = {},
  ): Promise<readonly ChainTransaction[]> {
    const key = `${workchain}${id.toString('latin1')}${from.lt}:${from.hash.toString('latin1')}${from.count}`
    const { bag, transactions } = await this.chunks.get(key, () =>
      this.client.ask(
        'liteServer.getTransactions',
        { account: { workchain, id }, ...from },
        (answer) => verifyTransactionList(answer, from),
        options,
      ),
    )
    return transactions.map(({ root }) => ({
      transaction: loadTransaction(bag.slice(root), workchain),
      boc: bagToBoc(bag, root),
    }))
  }
}

const keyOf = ({ rootHash }: BlockId, { workchain, hash }: RawAddress): string =>
  `${rootHash.toString('latin1')}${workchain}${hash.toString('latin1')}`

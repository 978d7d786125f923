import type { Cell } from '@shardwalk/cells'
import {
  type BlockId,
  formatBlockId,
  masterchainId,
  type PreviousBlocks,
  type RawAddress,
  type ShardTop,
  type ShortBlockId,
} from '@shardwalk/model'
import {
  type BlockSelector,
  newStateHash,
  openBlockProof,
  openSingleProof,
  type ProvenBlock,
  prove,
  verifyConfig,
  verifyLibrary,
  verifyLookup,
  verifyOutMsgQueueSize,
  verifyPreviousBlocks,
  verifyTransactionList,
  WITH_PREVIOUS_BLOCKS,
} from '@shardwalk/proofs'
import type { LiteResults } from '@shardwalk/tl'
import { type BlockInfo, type ConfigParams, loadShardHashes } from '@shardwalk/tlb'
import { type AccountSnapshot, readSnapshot, rootCell } from './account-snapshot.ts'
import { AsyncCache } from './async-cache.ts'
import { NodeAccessError } from './errors.ts'
import type { AskOptions, LiteClient } from './lite-client.ts'
import type { TrustedHead } from './trusted-head.ts'

export interface ChainReaderOptions {
  readonly client: LiteClient
  /** Newest indexed masterchain block; answers are never older. */
  readonly indexedSeqno: () => Promise<number | undefined>
  /** Undefined: heads are taken as the servers tell them. */
  readonly trust?: TrustedHead
}

/** A list of transactions as a lite server gives it: a hash chain that was checked. */
export type TransactionChunk = ReturnType<typeof verifyTransactionList>

const HEADER_WITH_STATE_UPDATE = 1
/** Configuration parameter that says what contracts see. */
const GLOBAL_VERSION = 8
/** Older answers than the newest indexed block are waited for so long. Milliseconds. */
const CATCH_UP_MS = 5000
/** A block that is not there is looked for so long: servers may be about to get it. Milliseconds. */
const ABSENT_MS = 1500
/** The oldest head that may be answered with when no newer one can be proven. */
const MAX_TRUSTED_LAG = 20

/** Proven facts of the chain from lite servers; what cannot change is remembered. */
export class ChainReader {
  readonly client: LiteClient
  private readonly masterchain = new AsyncCache<BlockId>(5000)
  private readonly lookups = new AsyncCache<BlockId>(5000)
  private readonly headers = new AsyncCache<ProvenBlock>(2000)
  private readonly shardsCache = new AsyncCache<readonly ShardTop[]>(500)
  private readonly queueSizes = new AsyncCache<number>(500)
  private readonly accounts = new AsyncCache<AccountSnapshot>(5000)
  private readonly configs = new AsyncCache<ConfigParams>(8)
  private readonly previousBlocksCache = new AsyncCache<PreviousBlocks>(500)
  private readonly libraries = new AsyncCache<Cell | undefined>(500)
  private readonly absentLibraries = new AsyncCache<Cell | undefined>(500, 5000)
  private readonly transactionsCache = new AsyncCache<TransactionChunk>(2000)
  private readonly zeroStateCache = new AsyncCache<LiteResults['liteServer.getMasterchainInfo']['init']>(1)
  private readonly trustedHeads = new AsyncCache<BlockId>(16)

  constructor(private readonly options: ChainReaderOptions) {
    this.client = options.client
  }

  /** Newest masterchain block, at least as new as the newest indexed one, proven by signatures when there is an anchor. */
  async head(): Promise<BlockId> {
    const { pool } = this.client
    const indexed = (await this.options.indexedSeqno().catch(() => undefined)) ?? 0
    const isOld = (id: BlockId | undefined) => id === undefined || id.seqno < indexed
    if (isOld(pool.head())) await pool.waitMasterchainSeqno(Math.max(indexed, 1), { timeoutMs: CATCH_UP_MS })
    const head = pool.head()
    if (!head || isOld(head))
      throw new NodeAccessError('head_not_available', `no lite server has masterchain block ${indexed}`)
    return this.trusted(head, indexed)
  }

  /** The masterchain block to read at. */
  reference(seqno: number | undefined): Promise<BlockId> {
    return seqno === undefined ? this.head() : this.masterchainBlock(seqno)
  }

  /** Full id of a masterchain block, proven to be in the chain when there is an anchor. */
  masterchainBlock(seqno: number): Promise<BlockId> {
    return this.masterchain.get(String(seqno), async () => {
      const id = await this.lookupProven(masterchainId(seqno), { seqno })
      await this.options.trust?.prove(id)
      return id
    })
  }

  /** The block of the shard chain that the selector means. What is found is remembered: blocks do not change. */
  lookup(id: ShortBlockId, selector: BlockSelector): Promise<BlockId> {
    if (id.workchain === -1 && 'seqno' in selector) return this.masterchainBlock(selector.seqno)
    const [[name, value]] = Object.entries(selector) as [[string, number | bigint]]
    return this.lookups.get(`${id.workchain}:${id.shard}:${name}${value}`, () =>
      this.lookupProven(id, selector),
    )
  }

  private async lookupProven(id: ShortBlockId, selector: BlockSelector): Promise<BlockId> {
    const short = 'seqno' in selector ? { ...id, seqno: selector.seqno } : id
    const args =
      'seqno' in selector
        ? { mode: 1, id: short }
        : 'lt' in selector
          ? { mode: 2, id: short, lt: selector.lt }
          : { mode: 4, id: short, utime: selector.utime }
    const options: AskOptions = { mcBlockSeqno: 1, ...this.patienceFor(selector, id) }
    const found = await this.client.ask(
      'liteServer.lookupBlock',
      args,
      (answer) => ({ id: answer.id, header: verifyLookup(answer, id, selector).header }),
      options,
    )
    refuseBeforeFirst(found.header, selector)
    return found.id
  }

  /** Blocks beyond the head are not waited for. */
  private patienceFor(selector: BlockSelector, id: ShortBlockId): AskOptions {
    const head = this.client.pool.head()
    const isFuture =
      id.workchain === -1 && 'seqno' in selector && head !== undefined && selector.seqno > head.seqno
    return isFuture ? { timeoutMs: ABSENT_MS, mcBlockSeqno: head.seqno } : {}
  }

  /** Header of a block, with the hash of the state after it. */
  header(id: BlockId): Promise<ProvenBlock> {
    return this.headers.get(formatBlockId(id), () =>
      this.client.ask(
        'liteServer.getBlockHeader',
        { id, mode: HEADER_WITH_STATE_UPDATE },
        ({ headerProof }) => openBlockProof(headerProof, id, 'header'),
        { mcBlockSeqno: 1 },
      ),
    )
  }

  /** The zero state as the servers name it; they are refused when it is not the configured one. */
  zeroState(): Promise<LiteResults['liteServer.getMasterchainInfo']['init']> {
    return this.zeroStateCache.get('', () =>
      this.client.ask('liteServer.getMasterchainInfo', {}, ({ init }) => init),
    )
  }

  async stateHash(id: BlockId): Promise<Buffer> {
    return newStateHash((await this.header(id)).root, 'state')
  }

  /** Tops of all shards that a masterchain block commits, by workchain, then left to right. */
  shards(id: BlockId): Promise<readonly ShardTop[]> {
    return this.shardsCache.get(formatBlockId(id), () =>
      this.client.ask('liteServer.getAllShardsInfo', { id }, ({ proof, data }) => {
        const shardHashes = rootCell(data).slice()
        const extra = openSingleProof(proof, id.rootHash, 'shards').slice().skipRefs(3).loadRefSlice()
        const custom = extra
          .skip(32 + 256 + 256)
          .skipRefs(3)
          .loadRefSlice()
          .skip(16 + 1)
        const isEmpty = !custom.loadBit()
        prove(isEmpty === !shardHashes.preloadBit(), 'shards', 'the dictionary differs from the proof')
        prove(
          isEmpty || custom.refHash(0, 0).equals(shardHashes.refHash(0, 0)),
          'shards',
          'not those of the block',
        )
        return loadShardHashes(shardHashes)
      }),
    )
  }

  /** Messages in the out queue after a block that masterchain block `head` commits. */
  queueSize(id: BlockId, head: BlockId): Promise<number> {
    return this.queueSizes.get(formatBlockId(id), () =>
      this.client.ask(
        'liteServer.getBlockOutMsgQueueSize',
        { mode: 1, id, wantProof: true },
        (answer) => Number(verifyOutMsgQueueSize(answer, id)),
        { mcBlockSeqno: head.seqno },
      ),
    )
  }

  /** An account as of a masterchain block. */
  account(at: BlockId, address: RawAddress): Promise<AccountSnapshot> {
    const { workchain, hash } = address
    if (workchain !== -1 && workchain !== 0)
      return Promise.reject(
        new NodeAccessError('no_such_workchain', `there is no shard block of workchain ${workchain}`),
      )
    return this.accounts.get(`${at.rootHash.toString('latin1')}${workchain}${hash.toString('latin1')}`, () =>
      this.client.ask('liteServer.getAccountState', { id: at, account: { workchain, id: hash } }, (answer) =>
        readSnapshot(answer, at, address),
      ),
    )
  }

  /** Configuration as of a masterchain block. It changes in key blocks only, so it is fetched once for each. */
  async config(at: BlockId): Promise<ConfigParams> {
    const { header } = await this.header(at)
    const epoch = header.keyBlock ? at.seqno : header.prevKeyBlockSeqno
    return this.configs.get(String(epoch), () =>
      this.client.ask('liteServer.getConfigAll', { id: at, mode: 0 }, (answer) => verifyConfig(answer, at)),
    )
  }

  /** What contracts see of the blocks before a masterchain block, and of that block itself. */
  previousBlocks(at: BlockId): Promise<PreviousBlocks> {
    return this.previousBlocksCache.get(formatBlockId(at), () =>
      this.client.ask(
        'liteServer.getConfigParams',
        { id: at, mode: WITH_PREVIOUS_BLOCKS, paramList: [GLOBAL_VERSION] },
        (answer) => verifyPreviousBlocks(answer, at),
      ),
    )
  }

  /** A public library; undefined when there is none of this hash. */
  library(hash: Buffer): Promise<Cell | undefined> {
    const key = hash.toString('latin1')
    return this.absentLibraries.get(key, () =>
      this.libraries
        .get(key, async () => {
          const at = await this.head()
          const args = { id: at, mode: 0, libraryList: [hash] }
          const found = await this.client.ask('liteServer.getLibrariesWithProof', args, (answer) => ({
            library: verifyLibrary(answer, at, hash),
          }))
          if (!found.library) throw NOT_PUBLISHED
          return found.library
        })
        .catch((error) => {
          if (error === NOT_PUBLISHED) return undefined
          throw error
        }),
    )
  }

  /** At most 16 transactions of an account, newest first, from `(lt, hash)` on. */
  transactions(
    address: RawAddress,
    from: { readonly lt: bigint; readonly hash: Buffer; readonly count: number },
    options: AskOptions = {},
  ): Promise<TransactionChunk> {
    const { workchain, hash: id } = address
    const key = `${workchain}${id.toString('latin1')}${from.lt}:${from.hash.toString('latin1')}${from.count}`
    return this.transactionsCache.get(key, () =>
      this.client.ask(
        'liteServer.getTransactions',
        { account: { workchain, id }, ...from },
        (answer) => verifyTransactionList(answer, from),
        options,
      ),
    )
  }

  /**
   * The proven head: this one, or, when its proof cannot be had (a server that makes heads up), the newest proven one, if it is not too old.
   */
  private trusted(head: BlockId, indexed: number): Promise<BlockId> {
    const { trust } = this.options
    if (!trust) return Promise.resolve(head)
    return this.trustedHeads.get(formatBlockId(head), async () => {
      try {
        await trust.prove(head)
        return head
      } catch (error) {
        const { latest } = trust
        if (latest.seqno >= indexed && latest.seqno + MAX_TRUSTED_LAG >= head.seqno) return latest
        throw error
      }
    })
  }
}

const NOT_PUBLISHED = new Error('no such library')

/** Servers answer with the first block for any earlier time; nothing was there then. */
function refuseBeforeFirst({ seqno, startLt, genUtime }: BlockInfo, selector: BlockSelector): void {
  const isBefore =
    ('lt' in selector && selector.lt < startLt) || ('utime' in selector && selector.utime < genUtime)
  if (seqno === 1 && isBefore) throw new NodeAccessError('before_first_block', 'not in db')
}

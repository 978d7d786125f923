import { untilFound } from '@shardwalk/concurrency'
import { type BlockId, masterchainId, type RawAddress, type ShortBlockId } from '@shardwalk/model'
import { LITE_MODE, type LiteResults } from '@shardwalk/tl'
import { firstAcceptance } from './first-acceptance.ts'
import { PoolCore } from './pool-core.ts'
import type { QueryOptions } from './query-options.ts'

const LOOKUP = LITE_MODE.lookupBlock

/** Options of the named methods: those of `query` except what the method sets itself. */
export type MethodOptions = Omit<QueryOptions, 'check'>

/** How an external message is sent. */
export interface SendOptions extends MethodOptions {
  /** Number of servers to send the message to; each forwards it to the network. Default 3. */
  readonly copies?: number
  /** After the first refusal, for others to accept it; default 2,000. Milliseconds. */
  readonly patienceMs?: number
}

/** The pool with a method per common lite server function; others go through `query`. */
export class LiteServerPool extends PoolCore {
  /** Asks a server for its head. `head()` returns the newest known one without a query. */
  getMasterchainInfo(options?: MethodOptions): Promise<LiteResults['liteServer.getMasterchainInfo']> {
    return this.query('liteServer.getMasterchainInfo', {}, options)
  }

  /**
   * Full id of a masterchain block with this seqno or a later one, as soon as a server reports it: the block
   * itself if it is new. Undefined if `timeoutMs` elapses first. Not proven: the caller must check that
   * blocks link.
   */
  async waitMasterchainSeqno(
    seqno: number,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<BlockId | undefined> {
    const deadline = this.clock.now() + options.timeoutMs
    const head = await this.waitHead(seqno, options)
    if (head === undefined || head.seqno === seqno) return head
    const timeoutMs = Math.max(deadline - this.clock.now(), 5000)
    return this.lookupBlock(masterchainId(seqno), { ...options, timeoutMs, urgent: true })
  }

  /** Full id of the block with this seqno. */
  async lookupBlock(id: ShortBlockId, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: LOOKUP.bySeqno, id }, options)).id
  }

  /** The block with the smallest end_lt >= `lt` in the shard chain of `id.shard`; `id.seqno` is ignored. */
  async lookupBlockByLt(id: ShortBlockId, lt: bigint, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: LOOKUP.byLt, id, lt }, options)).id
  }

  /** A block with gen_utime >= `utime`; which of several in the same second is undefined. */
  async lookupBlockByTime(id: ShortBlockId, utime: number, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: LOOKUP.byUtime, id, utime }, options)).id
  }

  /** The block's file, whose SHA-256 has been checked against `id.fileHash`. */
  async getBlock(id: BlockId, options?: MethodOptions): Promise<Buffer> {
    return (await this.query('liteServer.getBlock', { id }, options)).data
  }

  /** State file. Servers have it for zerostates and the first blocks only. Checked like `getBlock`. */
  async getState(id: BlockId, options?: MethodOptions): Promise<Buffer> {
    return (await this.query('liteServer.getState', { id }, { archive: true, ...options })).data
  }

  getBlockHeader(
    id: BlockId,
    mode = 0,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getBlockHeader']> {
    return this.query('liteServer.getBlockHeader', { id, mode }, options)
  }

  getAllShardsInfo(
    id: BlockId,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getAllShardsInfo']> {
    return this.query('liteServer.getAllShardsInfo', { id }, options)
  }

  /** The shard top that contains `shard` (with `exact`: that is `shard`) as of masterchain block `id`. */
  getShardInfo(
    id: BlockId,
    shard: Omit<ShortBlockId, 'seqno'> & { readonly exact?: boolean },
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getShardInfo']> {
    const { workchain, shard: prefix, exact = false } = shard
    return this.query('liteServer.getShardInfo', { id, workchain, shard: prefix, exact }, options)
  }

  /** Account state with proofs as of block `id`. */
  getAccountState(
    id: BlockId,
    account: RawAddress,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getAccountState']> {
    return this.query('liteServer.getAccountState', { id, account: accountId(account) }, options)
  }

  /** `params` is the bag of cells of a VmStack. `mode`: bits of `LITE_MODE.runMethod`. */
  runSmcMethod(
    call: {
      readonly id: BlockId
      readonly account: RawAddress
      readonly methodId: bigint
      readonly params: Buffer
      readonly mode?: number
    },
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.runSmcMethod']> {
    const { id, account, methodId, params, mode = LITE_MODE.runMethod.result } = call
    return this.query(
      'liteServer.runSmcMethod',
      { mode, id, account: accountId(account), methodId, params },
      options,
    )
  }

  /** Up to 16 transactions, newest first, from transaction `(lt, hash)` backwards. */
  getTransactions(
    account: RawAddress,
    from: { readonly lt: bigint; readonly hash: Buffer; readonly count: number },
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getTransactions']> {
    return this.query('liteServer.getTransactions', { account: accountId(account), ...from }, options)
  }

  getOneTransaction(
    id: BlockId,
    account: RawAddress,
    lt: bigint,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getOneTransaction']> {
    return this.query('liteServer.getOneTransaction', { id, account: accountId(account), lt }, options)
  }

  /** `mode`: bits of `LITE_MODE.config`. */
  getConfigAll(
    id: BlockId,
    mode = 0,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getConfigAll']> {
    return this.query('liteServer.getConfigAll', { id, mode }, options)
  }

  /**
   * Servers use only the first 16 hashes and omit unknown libraries. `data` is not checked against the hash.
   */
  async getLibraries(
    libraryList: readonly Buffer[],
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getLibraries']['result']> {
    return (await this.query('liteServer.getLibraries', { libraryList }, options)).result
  }

  /** `mode`: bits of `LITE_MODE.blockProof`; the one for `target` is set automatically. */
  getBlockProof(
    known: BlockId,
    target?: BlockId,
    options?: MethodOptions & { readonly mode?: number },
  ): Promise<LiteResults['liteServer.getBlockProof']> {
    const args = { mode: options?.mode ?? 0, knownBlock: known, ...(target && { targetBlock: target }) }
    return this.query('liteServer.getBlockProof', args, options)
  }

  /**
   * Sends an external message to several servers. Resolves when the first has accepted it; rejects with the
   * reason if none does: see `firstAcceptance`.
   */
  sendMessage(body: Buffer, options: SendOptions = {}): Promise<void> {
    const { copies = 3, patienceMs, ...rest } = options
    const names = this.readyServers().slice(0, copies)
    // If none is ready, send one query that waits for a server.
    const targets = names.length > 0 ? names : [undefined]
    const sends = targets.map((server) =>
      this.query('liteServer.sendMessage', { body }, server ? { ...rest, server } : rest),
    )
    return firstAcceptance(sends, { clock: this.clock, patienceMs })
  }

  /**
   * Newest masterchain block, as soon as servers report one with at least this seqno; undefined when
   * `timeoutMs` elapses first. Sends no query, because the head of every server is followed anyway. Not
   * proven.
   */
  waitHead(
    seqno: number,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<BlockId | undefined> {
    return untilFound({
      look: () => {
        const head = this.head()
        return head && head.seqno >= seqno ? head : undefined
      },
      listen: (onEvent) => this.onHead(onEvent),
      timeoutMs,
      signals: [signal, this.closingSignal],
      timers: this.clock,
    })
  }
}

const accountId = ({ workchain, hash }: RawAddress) => ({ workchain, id: hash })

import { type BlockId, masterchainId, type RawAddress, type ShortBlockId } from '@shardwalk/model'
import type { LiteResults } from '@shardwalk/tl'
import { LiteServerError } from '../errors.ts'
import { PoolCore, type QueryOptions } from './pool-core.ts'

/** Options of the named methods: those of `query` without what the method decides itself. */
export type MethodOptions = Omit<QueryOptions, 'check'>

export interface SendOptions extends MethodOptions {
  /** How many servers get the message; each passes it on to the network. Default 3. */
  readonly copies?: number
}

const DUPLICATE = /duplicate message/i

/** The pool with a method per lite_api function. Everything else goes through `query`. */
export class LiteServerPool extends PoolCore {
  /** Head as a server tells it now; `head()` knows the newest without asking. */
  getMasterchainInfo(options?: MethodOptions): Promise<LiteResults['liteServer.getMasterchainInfo']> {
    return this.query('liteServer.getMasterchainInfo', {}, options)
  }

  /**
   * Full id of the first masterchain block with at least this seqno that servers have: the block itself when it is new. Resolves as soon
   * as a server reports it; undefined when `timeoutMs` passed first. Unproven: the caller checks that blocks link.
   */
  async waitMasterchainSeqno(
    seqno: number,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<BlockId | undefined> {
    const deadline = this.clock.now() + options.timeoutMs
    const head = await this.headAtLeast(seqno, options)
    if (head === undefined || head.seqno === seqno) return head
    const timeoutMs = Math.max(deadline - this.clock.now(), 5000)
    return this.lookupBlock(masterchainId(seqno), { ...options, timeoutMs, urgent: true })
  }

  /** Full id of a block by its number (exact). */
  async lookupBlock(id: ShortBlockId, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: 1, id }, options)).id
  }

  /** The block with the smallest end_lt >= `lt` in the shard chain of `id.shard`; `id.seqno` is ignored. */
  async lookupBlockByLt(id: ShortBlockId, lt: bigint, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: 2, id, lt }, options)).id
  }

  /** A block with gen_utime >= `utime`; which of several in one second is not defined. */
  async lookupBlockByTime(id: ShortBlockId, utime: number, options?: MethodOptions): Promise<BlockId> {
    return (await this.query('liteServer.lookupBlock', { mode: 4, id, utime }, options)).id
  }

  /** The block's file; its SHA-256 is `id.fileHash`, whatever servers say. */
  async getBlock(id: BlockId, options?: MethodOptions): Promise<Buffer> {
    return (await this.query('liteServer.getBlock', { id }, options)).data
  }

  /** State file; servers give it for zerostates and the first blocks only. Checked as `getBlock`. */
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

  /** The shard top that contains `shard` (`exact`: that is `shard`) as of masterchain block `id`. */
  getShardInfo(
    id: BlockId,
    shard: Omit<ShortBlockId, 'seqno'> & { readonly exact?: boolean },
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getShardInfo']> {
    const { workchain, shard: prefix, exact = false } = shard
    return this.query('liteServer.getShardInfo', { id, workchain, shard: prefix, exact }, options)
  }

  /** Account with proofs as of block `id`. */
  getAccountState(
    id: BlockId,
    account: RawAddress,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getAccountState']> {
    return this.query('liteServer.getAccountState', { id, account: accountId(account) }, options)
  }

  /** `params`: bag of cells of a VmStack. `mode` bits: 1 shard proofs, 2 state proof, 4 result. */
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
    const { id, account, methodId, params, mode = 4 } = call
    return this.query(
      'liteServer.runSmcMethod',
      { mode, id, account: accountId(account), methodId, params },
      options,
    )
  }

  /** At most 16, newest first, from the transaction `(lt, hash)` back. */
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

  /** `mode` 0x8000: from the last key block at or before `id`, which needs no state on the server. */
  getConfigAll(
    id: BlockId,
    mode = 0,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getConfigAll']> {
    return this.query('liteServer.getConfigAll', { id, mode }, options)
  }

  getConfigParams(
    id: BlockId,
    paramList: readonly number[],
    mode = 0,
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getConfigParams']> {
    return this.query('liteServer.getConfigParams', { id, mode, paramList }, options)
  }

  /** Servers look at the first 16 hashes only; unknown libraries are left out. `data` is not checked against the hash here. */
  async getLibraries(
    libraryList: readonly Buffer[],
    options?: MethodOptions,
  ): Promise<LiteResults['liteServer.getLibraries']['result']> {
    return (await this.query('liteServer.getLibraries', { libraryList }, options)).result
  }

  /** `mode` is completed by the presence of `target`; 0x1000 builds the proof relative to the given blocks. */
  getBlockProof(
    known: BlockId,
    target?: BlockId,
    options?: MethodOptions & { readonly mode?: number },
  ): Promise<LiteResults['liteServer.getBlockProof']> {
    const args = { mode: options?.mode ?? 0, knownBlock: known, ...(target && { targetBlock: target }) }
    return this.query('liteServer.getBlockProof', args, options)
  }

  /**
   * Sends an external message to several servers. Resolves with how many took it, as soon as all have answered and at least one did; "duplicate
   * message" counts as taken. Rejects with the first refusal when none did.
   */
  async sendMessage(body: Buffer, options: SendOptions = {}): Promise<number> {
    const { copies = 3, ...rest } = options
    const names = this.readyServers().slice(0, copies)
    // None ready: one query that waits for a server.
    const targets = names.length > 0 ? names : [undefined]
    const results = await Promise.allSettled(
      targets.map((server) =>
        this.query('liteServer.sendMessage', { body }, server ? { ...rest, server } : rest),
      ),
    )
    const taken = results.filter(
      (result) => result.status === 'fulfilled' || isDuplicate(result.reason),
    ).length
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (taken === 0) throw refusals.find((reason) => reason instanceof LiteServerError) ?? refusals[0]
    return taken
  }

  private headAtLeast(
    seqno: number,
    { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<BlockId | undefined> {
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        this.clock.clearTimeout(timer)
        stopListening()
        signal?.removeEventListener('abort', aborted)
        this.closingSignal.removeEventListener('abort', closing)
      }
      const look = () => {
        const head = this.head()
        if (!head || head.seqno < seqno) return
        cleanUp()
        resolve(head)
      }
      const aborted = () => {
        cleanUp()
        reject(signal?.reason)
      }
      const closing = () => {
        cleanUp()
        reject(this.closingSignal.reason)
      }
      const stopListening = this.onHead(look)
      const timer = this.clock.setTimeout(() => {
        cleanUp()
        resolve(undefined)
      }, timeoutMs)
      signal?.addEventListener('abort', aborted, { once: true })
      this.closingSignal.addEventListener('abort', closing, { once: true })
      if (signal?.aborted) aborted()
      else if (this.closingSignal.aborted) closing()
      else look()
    })
  }
}

const isDuplicate = (error: unknown): boolean =>
  error instanceof LiteServerError && DUPLICATE.test(error.serverMessage)

const accountId = ({ workchain, hash }: RawAddress) => ({ workchain, id: hash })

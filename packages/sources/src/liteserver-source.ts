import { isNotFound, LiteServerError, type LiteServerPool } from '@shardwalk/liteserver'
import {
  type BlockId,
  DecodeError,
  FULL_SHARD,
  formatBlockId,
  formatShortId,
  masterchainId,
  type ShortBlockId,
  sameBlock,
} from '@shardwalk/model'
import {
  type AskOptions,
  BlockNotAvailable,
  type BlockSource,
  type ProveHead,
  type VersionOptions,
  type WaitOptions,
} from '@shardwalk/pipeline'
import { LITE_MODE, type LiteResults } from '@shardwalk/tl'
import { CredibleHead } from './credible-head.ts'
import {
  GlobalVersions,
  globalVersionOfKeyBlock,
  globalVersionOfKeyBlockProof,
  globalVersionOfZerostate,
} from './global-version.ts'
import { encodeBlockProof } from './pack/block-proof-file.ts'
import type { ProofSource } from './recording/record-proofs.ts'

/** How long a server that lags slightly may take to receive a new block. */
const LAG_MS = 1_000

/**
 * History waits for its turn at servers that limit requests. What a job has fetched is lost if one of its
 * requests gives up; a job that receives nothing at all is cancelled by its own deadline.
 */
const HISTORY_MS = 5 * 60_000

/** How a block is requested. A server that does not have a new one yet waits instead of refusing. */
function blockOptions(options: AskOptions) {
  const { urgent, mcBlockSeqno } = options
  const committedBy = mcBlockSeqno !== undefined ? { committedBy: mcBlockSeqno } : {}
  if (!urgent) return { patienceMs: HISTORY_MS, ...options, ...committedBy }
  if (mcBlockSeqno === undefined) return options
  return { ...options, ...committedBy, wait: { seqno: mcBlockSeqno, timeoutMs: LAG_MS } }
}

export interface LiteserverSourceOptions {
  /** From the global config; by default a server is asked. */
  readonly zerostateId?: BlockId
  /** How long a head is waited for that can be believed, before the oldest one is. Default 10 s. */
  readonly patienceMs?: number
}

const CONFIG_GLOBAL_VERSION = 8

/**
 * Blocks from lite servers. The pool does fail-over, hedging and the comparison with the file hash. A
 * masterchain id found by seqno is not proven until the walk has checked that blocks link.
 */
export class LiteserverSource implements BlockSource, ProofSource {
  readonly name = 'liteservers'
  private zerostate: Promise<BlockId> | undefined
  private readonly versions = new GlobalVersions()
  private readonly heads: CredibleHead

  constructor(
    private readonly pool: LiteServerPool,
    private readonly options: LiteserverSourceOptions = {},
  ) {
    this.heads = new CredibleHead({ pool, patienceMs: options.patienceMs })
  }

  proveHeadsWith(prove: ProveHead): void {
    this.heads.proveWith(prove)
  }

  zerostateId(): Promise<BlockId> {
    if (this.options.zerostateId) return Promise.resolve(this.options.zerostateId)
    this.zerostate ??= this.askZerostateId().catch((error) => {
      this.zerostate = undefined
      throw error
    })
    return this.zerostate
  }

  private async askZerostateId(): Promise<BlockId> {
    const { init } = await this.pool.getMasterchainInfo()
    return { ...init, shard: FULL_SHARD, seqno: 0 }
  }

  async head(options: WaitOptions = {}): Promise<BlockId> {
    const head = await this.waitForMasterchain(0, options)
    if (head) return head
    throw new BlockNotAvailable('masterchain head', this.name, { why: 'one server alone reports each' })
  }

  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    const block = await this.heads.wait(seqno, options)
    // No block may mean that the head has not moved or that no server is reachable; the latter makes this
    // query fail.
    if (!block) await this.pool.getMasterchainInfo(options)
    return block
  }

  masterchainBlockId(seqno: number, options: AskOptions = {}): Promise<BlockId> {
    return this.findBlock(masterchainId(seqno), options)
  }

  findBlock(id: ShortBlockId, options: AskOptions = {}): Promise<BlockId> {
    return this.orNotAvailable(formatShortId(id), () => this.pool.lookupBlock(id, blockOptions(options)))
  }

  roundTripMs(): number | undefined {
    const known = this.pool
      .servers()
      .flatMap(({ state, latencyMs }) => (state === 'ready' ? (latencyMs ?? []) : []))
    return known.length > 0 ? Math.min(...known) : undefined
  }

  getBlock(id: BlockId, options: AskOptions = {}): Promise<Buffer> {
    return this.orNotAvailable(formatBlockId(id), () => this.pool.getBlock(id, blockOptions(options)))
  }

  globalVersionAtKeyBlock(keyBlock: BlockId, options: VersionOptions = {}): Promise<number> {
    return this.versions.at(keyBlock, () => this.askGlobalVersion(keyBlock, options))
  }

  private async askGlobalVersion(
    keyBlock: BlockId,
    { inForceAt, ...options }: VersionOptions,
  ): Promise<number> {
    if (keyBlock.seqno === 0) {
      const zerostate = await this.getZerostate(keyBlock, options)
      if (zerostate) return globalVersionOfZerostate(zerostate)
      throw new BlockNotAvailable('masterchain zerostate', this.name)
    }
    try {
      return await globalVersionOfKeyBlock(this, keyBlock, options)
    } catch (error) {
      if (!(error instanceof BlockNotAvailable)) throw error
      const config = await this.keyBlockConfig(keyBlock, inForceAt ?? (await this.head(options)), options)
      if (config?.id.seqno !== keyBlock.seqno) throw error
      return globalVersionOfKeyBlockProof(config.configProof, keyBlock.rootHash)
    }
  }

  /**
   * Servers keep the proof of every key block after dropping the block. It is reached from any block up to
   * the next key block, and blocks older than the oldest key block that is kept may be kept themselves. A
   * server with another block in the place of the key block is reported.
   */
  private async keyBlockConfig(keyBlock: BlockId, inForceAt: BlockId, options: WaitOptions) {
    const args = { id: inForceAt, mode: LITE_MODE.config.fromKeyBlock, paramList: [CONFIG_GLOBAL_VERSION] }
    const check = (config: KeyBlockConfig) => problemWith(config, keyBlock)
    try {
      return await this.pool.query('liteServer.getConfigParams', args, { ...options, check })
    } catch (error) {
      if (error instanceof LiteServerError) return undefined
      throw error
    }
  }

  async getZerostate(id: BlockId, options: WaitOptions = {}): Promise<Buffer | undefined> {
    try {
      return await this.pool.getState(id, options)
    } catch (error) {
      // A final refusal: no server has this state.
      if (error instanceof LiteServerError) return undefined
      throw error
    }
  }

  private async orNotAvailable<T>(wanted: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!isNotFound(error)) throw error
      throw new BlockNotAvailable(wanted, this.name, { cause: error, why: error.serverMessage })
    }
  }

  /** Built from the forward link that proves the block from the preceding key block. */
  async blockProof(id: BlockId, keyBlock: BlockId, options: WaitOptions = {}): Promise<Buffer | undefined> {
    try {
      const { steps } = await this.pool.getBlockProof(keyBlock, id, {
        ...options,
        mode: LITE_MODE.blockProof.relative,
      })
      const link = steps.find(({ to }) => sameBlock(to, id))
      if (link?.kind !== 'liteServer.blockLinkForward') return undefined
      return encodeBlockProof(id, link.destProof, link.signatures)
    } catch (error) {
      if (error instanceof LiteServerError) return undefined
      throw error
    }
  }

  /** Closes the pool. */
  close(): Promise<void> {
    this.heads.close()
    return this.pool.close()
  }
}

type KeyBlockConfig = LiteResults['liteServer.getConfigParams']

/** Why this is not the configuration of the key block. Another key block may follow it by now. */
function problemWith({ id, configProof }: KeyBlockConfig, keyBlock: BlockId): string | undefined {
  if (id.seqno !== keyBlock.seqno) return undefined
  try {
    globalVersionOfKeyBlockProof(configProof, keyBlock.rootHash)
    return undefined
  } catch (error) {
    if (error instanceof DecodeError) return `${formatBlockId(keyBlock)}: ${error.message}`
    throw error
  }
}

import { loopUntilAborted, sleep, untilFound } from '@shardwalk/concurrency'
import type { DhtConfig } from '@shardwalk/dht'
import { type BlockId, formatBlockId, formatShortId, masterchainId, RecentMap } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import {
  type ClaimedIdentity,
  claimNodeKey,
  FullNodeClient,
  FullNodeNetwork,
  type FullNodeNetworkOptions,
  PeerBookFile,
  type PeerReport,
} from '@shardwalk/p2p'
import {
  type AskOptions,
  BlockNotAvailable,
  type BlockSource,
  readSkeleton,
  type WaitOptions,
} from '@shardwalk/pipeline'
import { GlobalVersions, globalVersionOfKeyBlock, globalVersionOfZerostate } from '../global-version.ts'
import { ArchiveSlices } from './archive-slices.ts'
import { BroadcastReader } from './broadcast-reader.ts'
import { FollowedHead } from './followed-head.ts'
import { FullNodeProofs } from './full-node-proofs.ts'
import { type FullNodeObserver, type FullNodeReport, fullNodeReport } from './full-node-report.ts'
import { KeptBlocks } from './kept-blocks.ts'
import { KeyBlocks } from './key-blocks.ts'
import { ownCopy } from './own-memory.ts'

export interface FullNodeSourceOptions {
  readonly dht: DhtConfig
  readonly zerostateId: BlockId
  /** Further blocks of the global config that are trusted. */
  readonly anchors?: readonly BlockId[]
  readonly log: Logger
  /** UDP port. Default: any free one. */
  readonly port?: number | undefined
  readonly host?: string
  /** Number of peers of each overlay from which on others are searched for less often. */
  readonly wantedPeers?: number | undefined
  /** Bytes of archives per second. Default: no limit. */
  readonly downloadLimit?: number | undefined
  /** Called with external messages that nodes forward; nothing of them is checked. */
  readonly onMessage?: ((boc: Buffer) => void) | undefined
  /** File that stores peers and the newest key block for the next start. Default: none. */
  readonly bookFile?: string | undefined
  /** File with this node's key, which is made if there is none. Default: a new key. */
  readonly keyFile?: string | undefined
  readonly observer?: FullNodeObserver | undefined
  /** See `UdpNodeOptions.line`. */
  readonly line?: FullNodeNetworkOptions['line']
}

/** The blocks of two minutes, or fewer if they are large. */
const KEPT = { bytes: 64 << 20, ageMs: 120_000 }
const KEPT_IDS = 8_192
/** Predecessors that are followed to a block, rather than downloading its archive. */
const NEAR = 8
/** The same if there is no archive. */
const FAR = 4_096
const DEFAULT_WAIT_MS = 10_000
/** How long a block is asked for that nodes may not have yet. */
const URGENT_MS = 20_000
const HISTORY_MS = 90_000
const AGAIN_MS = 100
/** What is learned within this time before a kill is learned again. */
const HOUSEKEEPING_MS = 5_000

/** What a source is opened with. */
interface Opened {
  readonly network: FullNodeNetwork
  readonly options: FullNodeSourceOptions
  readonly book: PeerBookFile | undefined
  /** Key block of an earlier start. */
  readonly remembered: BlockId | undefined
  readonly claimed: ClaimedIdentity | undefined
}

/**
 * Blocks from full nodes. Only masterchain blocks that validators have signed, and what they refer to, are
 * returned by seqno.
 */
export class FullNodeSource implements BlockSource {
  readonly name = 'full nodes'
  readonly network: FullNodeNetwork
  readonly client: FullNodeClient
  readonly following: FollowedHead
  readonly archives: ArchiveSlices
  readonly proofs: FullNodeProofs
  private readonly keyBlocks: KeyBlocks
  private readonly kept = new KeptBlocks(KEPT)
  private readonly reader = new BroadcastReader()
  private readonly ids = new RecentMap<number, BlockId>(KEPT_IDS)
  private readonly versions = new GlobalVersions()
  private readonly closing = new AbortController()
  private readonly housekeeping: Promise<void>
  private kernelDrops: number | undefined

  private readonly options: FullNodeSourceOptions

  private constructor(private readonly opened: Opened) {
    const { network, options, remembered } = opened
    this.network = network
    this.options = options
    this.client = new FullNodeClient(network)
    const anchors = [options.zerostateId, ...(options.anchors ?? [])]
    this.keyBlocks = new KeyBlocks(this.client, anchors, remembered)
    this.archives = new ArchiveSlices(this.client, this.keyBlocks)
    this.proofs = new FullNodeProofs(this.client, this.keyBlocks)
    this.following = new FollowedHead({
      client: this.client,
      keyBlocks: this.keyBlocks,
      blocks: this.kept,
      reader: this.reader,
      onValidators: (publicKeys) => network.authorise(publicKeys),
      log: options.log,
      onProven: (id) => this.learn(id),
      onNewBlock: options.observer?.onNewBlock,
    })
    this.housekeeping = this.keepHouse()
  }

  /**
   * Binds the socket and begins to search for nodes, which it does not wait for. Throws `NodeKeyDamaged` or
   * `UdpPortNotUsable`.
   */
  static async open(options: FullNodeSourceOptions): Promise<FullNodeSource> {
    const { keyFile, bookFile, zerostateId, log } = options
    const claimed = keyFile === undefined ? undefined : await claimNodeKey(keyFile)
    if (claimed && !claimed.identity)
      log.info(
        'another process has the key of this node; this one has a key and port of its own while it runs',
      )
    const book = bookFile === undefined ? undefined : new PeerBookFile(bookFile, zerostateId.fileHash)
    try {
      return await FullNodeSource.start(options, book, claimed)
    } catch (error) {
      await claimed?.release()
      throw error
    }
  }

  private static async start(
    options: FullNodeSourceOptions,
    book: PeerBookFile | undefined,
    claimed: ClaimedIdentity | undefined,
  ): Promise<FullNodeSource> {
    let source: FullNodeSource | undefined
    const { dht, zerostateId, log, host, wantedPeers, downloadLimit, line, observer } = options
    // The process that has the key has the port too.
    const port = claimed && !claimed.identity ? undefined : options.port
    const booked = await book?.read()
    const network = await FullNodeNetwork.open({
      dht,
      log,
      downloadLimit,
      zeroStateFileHash: zerostateId.fileHash,
      booked: booked?.peers,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(wantedPeers !== undefined && { wantedPeers }),
      ...(line && { line }),
      ...claimed?.identity,
      onLookup: observer?.onLookup,
      onBroadcast: (broadcast, authority) => {
        if (broadcast.kind !== 'tonNode.externalMessageBroadcast')
          void source?.following.receive(broadcast, authority)
        else options.onMessage?.(broadcast.message.data)
      },
    })
    source = new FullNodeSource({ network, options, book, remembered: booked?.keyBlock, claimed })
    return source
  }

  zerostateId(): Promise<BlockId> {
    return Promise.resolve(this.options.zerostateId)
  }

  async head(options: WaitOptions = {}): Promise<BlockId> {
    const head = await this.whenMoved(() => this.following.newest, options)
    if (head) return head
    const { peers } = this.network.masterchain
    throw new BlockNotAvailable('masterchain head', this.name, { why: `${peers.size} nodes were found` })
  }

  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    const reached = await this.whenMoved(() => {
      const { newest } = this.following
      return newest && newest.seqno >= seqno ? newest : undefined
    }, options)
    // No block may mean that the head has not moved or that no node was found; the latter must fail.
    if (!reached && !this.following.newest) await this.head({ ...options, timeoutMs: 0 })
    return reached
  }

  /** What `read` returns as soon as that is something; undefined when `timeoutMs` passed first. */
  private whenMoved(
    read: () => BlockId | undefined,
    { timeoutMs = DEFAULT_WAIT_MS, signal }: WaitOptions,
  ): Promise<BlockId | undefined> {
    const listen = (onEvent: () => void) => this.following.onMove(onEvent)
    return untilFound({ look: read, listen, timeoutMs, signals: [signal] })
  }

  private learn(id: BlockId): void {
    const { rootHash, fileHash } = id
    this.ids.set(id.seqno, { ...id, rootHash: ownCopy(rootHash), fileHash: ownCopy(fileHash) })
  }

  private idOf(seqno: number): BlockId | undefined {
    return this.ids.get(seqno) ?? this.archives.findId(seqno) ?? this.keyBlocks.find(seqno)
  }

  async masterchainBlockId(seqno: number, options: AskOptions = {}): Promise<BlockId> {
    const id =
      this.idOf(seqno) ??
      (await this.walkBack(seqno, NEAR, options)) ??
      (await this.archives.load(seqno)) ??
      (await this.walkBack(seqno, FAR, options))
    if (id) return id
    throw new BlockNotAvailable(formatShortId(masterchainId(seqno)), this.name)
  }

  /** Follows references from a later known block; undefined if none is known within `limit` blocks. */
  private async walkBack(seqno: number, limit: number, options: AskOptions): Promise<BlockId | undefined> {
    let at: BlockId | undefined
    for (let later = seqno + 1; later <= seqno + limit && !at; later++) at = this.idOf(later)
    while (at && at.seqno > seqno) {
      options.signal?.throwIfAborted()
      const bytes: Buffer = await this.getBlock(at, options)
      at = readSkeleton({ id: at, bytes })?.prev[0]
      if (at) this.learn(at)
    }
    return at
  }

  /** Nodes may not have a new block yet, and say nothing then: it is asked for again. */
  async getBlock(id: BlockId, options: AskOptions = {}): Promise<Buffer> {
    const { urgent, once, signal } = options
    const deadline = performance.now() + (options.timeoutMs ?? (urgent ? URGENT_MS : HISTORY_MS))
    for (;;) {
      signal?.throwIfAborted()
      const kept = this.kept.find(id) ?? this.archives.findBlock(id)
      if (kept) return kept
      try {
        return await this.client.block(id, { urgent })
      } catch (error) {
        if (once || performance.now() > deadline)
          throw new BlockNotAvailable(formatBlockId(id), this.name, { cause: error })
      }
      await sleep(AGAIN_MS, signal)
    }
  }

  globalVersionAtKeyBlock(keyBlock: BlockId, options: WaitOptions = {}): Promise<number> {
    return this.versions.at(keyBlock, () => this.askGlobalVersion(keyBlock, options))
  }

  private async askGlobalVersion(keyBlock: BlockId, options: WaitOptions): Promise<number> {
    if (keyBlock.seqno > 0) return globalVersionOfKeyBlock(this, keyBlock, options)
    return globalVersionOfZerostate(await this.getZerostate(keyBlock))
  }

  getZerostate(id: BlockId): Promise<Buffer> {
    return this.client.zerostate(id)
  }

  report(): FullNodeReport {
    const { network, client, following, archives, kernelDrops } = this
    return fullNodeReport({ network, client, following, archives, kernelDrops })
  }

  /** One report per known full node, those with most bytes of answers first. */
  peers(): readonly PeerReport[] {
    return this.network.peerReports()
  }

  private keepHouse(): Promise<void> {
    const { signal } = this.closing
    const { book, options } = this.opened
    return loopUntilAborted(
      async () => {
        await sleep(HOUSEKEEPING_MS, signal)
        this.archives.dropIdle()
        this.kernelDrops = await this.network.node.udp.kernelDrops()
        // Before peers have answered it would only lose what it has.
        if (this.client.hasPeers)
          await book?.write({ peers: this.network.book(), keyBlock: this.keyBlocks.newest })
      },
      {
        signal,
        onError: (error) => options.log.warn('what is known of full nodes was not stored', { error }),
      },
    )
  }

  async close(): Promise<void> {
    this.closing.abort()
    await this.housekeeping
    await this.following.close()
    await this.network.close()
    await this.reader.close()
    await this.opened.claimed?.release()
  }
}

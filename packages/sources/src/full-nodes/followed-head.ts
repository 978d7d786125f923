import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { isBlockBroadcast, type ReceivedBlock, shownProof } from '@shardwalk/full-node'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import type { FullNodeClient } from '@shardwalk/p2p'
import type { TonNodeBroadcast } from '@shardwalk/tl'
import type { BroadcastReader } from './broadcast-reader.ts'
import type { FullNodeObserver } from './full-node-report.ts'
import type { KeptBlocks } from './kept-blocks.ts'
import type { KeyBlocks } from './key-blocks.ts'
import { type OpenedBlock, openSigned, type SignedBlock } from './signed-link.ts'

export interface FollowedHeadOptions {
  readonly client: FullNodeClient
  readonly keyBlocks: KeyBlocks
  /** Gets every block that arrives. */
  readonly blocks: KeptBlocks
  readonly reader: Pick<BroadcastReader, 'read' | 'spend'>
  readonly log: Logger
  /** Called with masterchain blocks whose signatures were verified. */
  readonly onProven: (id: BlockId) => void
  /** Called with the public keys of the validators at the head. */
  readonly onValidators?: (publicKeys: readonly Buffer[]) => void
  /** Called with new blocks at the head. */
  readonly onNewBlock?: FullNodeObserver['onNewBlock'] | undefined
}

/** While no broadcasts arrive. */
const ASK_EVERY_MS = 150
/** After this a block whose broadcast has not arrived is requested. */
const SILENCE_MS = 1_000
const NO_PEERS_MS = 50
/** Until the next node is asked whether there is really nothing newer. */
const ASK_OTHERS_MS = 20
const EXTEND_EVERY_MS = 1_000
/** Seqnos by which a broadcast may be ahead of the head; beyond that, blocks are requested. */
const MAX_KEPT_AHEAD = 100_000

/** Numbers of new blocks by how they were received. */
export interface HeadCounts {
  broadcast: number
  asked: number
  /** Broadcasts whose signatures are not those of the validators, or that are damaged or too many. */
  refused: number
}

const unixTime = () => Date.now() / 1_000

/** The newest signed masterchain block: received in broadcasts, and requested when none arrive. */
export class FollowedHead {
  readonly counts: HeadCounts = { broadcast: 0, asked: 0, refused: 0 }
  private readonly start: BlockId
  private proven: BlockId
  private isCurrent = false
  private receivedAt = Number.NEGATIVE_INFINITY
  /** The key block whose validators `onValidators` was called with. */
  private announced: BlockId | undefined
  private extendedAt = Number.NEGATIVE_INFINITY
  private leaptAt = Number.NEGATIVE_INFINITY
  private readonly listeners = new Set<() => void>()
  private readonly stopping = new AbortController()
  private readonly following: Promise<void>

  constructor(private readonly options: FollowedHeadOptions) {
    this.start = options.keyBlocks.newest
    this.proven = this.start
    this.following = this.follow()
  }

  /**
   * The newest block; undefined until several nodes have answered that there is none after it, or a new one
   * was broadcast.
   */
  get newest(): BlockId | undefined {
    return this.isCurrent ? this.proven : undefined
  }

  /** Newest block that is proven, which may still be far behind. */
  get newestProven(): BlockId {
    return this.proven
  }

  /** Calls the listener on every move; returns a function that unsubscribes. */
  onMove(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private follow(): Promise<void> {
    const { signal } = this.stopping
    const { log } = this.options
    return loopUntilAborted(() => this.step(signal), {
      signal,
      firstDelayMs: 100,
      maxDelayMs: 1_000,
      onError: (error) => log.debug('the next block was not found', { error }),
    })
  }

  private async step(signal: AbortSignal): Promise<void> {
    const { client } = this.options
    if (!client.hasPeers) return sleep(NO_PEERS_MS, signal)
    if (!this.isCurrent && performance.now() - this.leaptAt > EXTEND_EVERY_MS) await this.leap()
    const next = await this.askNext()
    if (next) return this.take(next.block, 'asked', unixTime() - next.genUtime)
    if (!this.isCurrent && !client.isNewest(this.proven)) return sleep(ASK_OTHERS_MS, signal)
    this.reached()
    await this.announceValidators()
    const isReceiving = performance.now() - this.receivedAt < SILENCE_MS
    await sleep(isReceiving ? SILENCE_MS : ASK_EVERY_MS, signal)
  }

  /** Only at the head: its validators do not follow from older key blocks. */
  private async announceValidators(): Promise<void> {
    const { keyBlocks, onValidators } = this.options
    const { newest } = keyBlocks
    if (!onValidators || newest === this.announced) return
    onValidators(await keyBlocks.validatorKeys())
    this.announced = newest
  }

  /** Goes on to the newest key block at once. */
  private async leap(): Promise<void> {
    const { keyBlocks } = this.options
    await keyBlocks.extend().finally(() => this.leaveForgotten())
    this.moveTo(keyBlocks.newest)
    this.leaptAt = performance.now()
  }

  /** Drops the block of an earlier start if key blocks no longer lead to it. */
  private leaveForgotten(): void {
    const { keyBlocks } = this.options
    const isStart = this.proven === this.start
    if (isStart && !keyBlocks.find(this.start.seqno)) this.proven = keyBlocks.newest
  }

  private async askNext() {
    const { client, keyBlocks } = this.options
    // Not the newest: others may have gone on to key blocks after this one.
    const keyBlock = keyBlocks.inForceAfter(this.proven.seqno)
    const config = await keyBlocks.configProof(keyBlock)
    let genUtime = 0
    const block = await client.nextBlock(this.proven, (block) => {
      const opened = openSigned(block)
      const { toKeyBlock } = keyBlocks.verify(keyBlock, config, opened)
      if (toKeyBlock) keyBlocks.add(opened)
      genUtime = opened.header.genUtime
    })
    return block && { block, genUtime }
  }

  private take({ id, bytes }: ReceivedBlock, how: 'broadcast' | 'asked', ageSeconds: number): void {
    this.options.blocks.add(id, bytes)
    this.options.onProven(id)
    if (id.seqno <= this.proven.seqno) return
    this.counts[how]++
    if (this.isCurrent) this.options.onNewBlock?.(how, ageSeconds)
    this.moveTo(id)
  }

  private moveTo(id: BlockId): void {
    if (id.seqno <= this.proven.seqno) return
    this.proven = id
    if (this.isCurrent) this.notify()
  }

  private reached(): void {
    if (this.isCurrent) return
    this.isCurrent = true
    this.notify()
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener()
  }

  /**
   * Takes a broadcast; `authority` is the validator who authorised its sender. Never throws: errors are
   * counted.
   */
  async receive(broadcast: TonNodeBroadcast, authority?: string): Promise<void> {
    const arrivedAt = unixTime()
    try {
      if (!isBlockBroadcast(broadcast) || !this.isWanted(broadcast.id)) return
      const { reader, blocks } = this.options
      const isMasterchain = broadcast.id.workchain === MASTERCHAIN
      // Reading a large one may take a second, so its signatures are checked first if it shows them.
      const shown = isMasterchain ? shownProof(broadcast) : undefined
      const proven = shown && (await this.prove(shown, authority))
      if (shown && !proven) return
      const block = await reader.read(broadcast, authority)
      if (!isMasterchain) return blocks.add(block.id, block.bytes)
      const opened = proven ?? (block.signatures && (await this.prove(block, authority)))
      if (!opened) return
      this.receivedAt = performance.now()
      this.take(block, 'broadcast', arrivedAt - opened.header.genUtime)
      this.reached()
    } catch (error) {
      this.counts.refused++
      this.options.log.debug('a broadcast was refused', { error })
    }
  }

  /** Throws if validators have not signed the block; undefined if they are not known. */
  private async prove(block: SignedBlock, authority: string | undefined): Promise<OpenedBlock | undefined> {
    const opened = this.options.reader.spend(authority, () => openSigned(block))
    if (!(await this.knowsSigners(opened))) return undefined
    await this.options.keyBlocks.prove(opened)
    return opened
  }

  private isWanted(id: BlockId): boolean {
    if (id.workchain !== MASTERCHAIN) return !this.options.blocks.find(id)
    const ahead = id.seqno - this.proven.seqno
    return ahead > 0 && ahead <= MAX_KEPT_AHEAD
  }

  /** Anybody may name a key block that does not exist, so nodes are not asked about it each time. */
  private async knowsSigners({ header: { prevKeyBlockSeqno } }: OpenedBlock): Promise<boolean> {
    const { client, keyBlocks } = this.options
    if (keyBlocks.find(prevKeyBlockSeqno)) return true
    const now = performance.now()
    if (!client.hasPeers || now - this.extendedAt < EXTEND_EVERY_MS) return false
    this.extendedAt = now
    await keyBlocks.extend()
    return keyBlocks.find(prevKeyBlockSeqno) !== undefined
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.following
  }
}

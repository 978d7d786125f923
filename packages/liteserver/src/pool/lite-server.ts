import { setMaxListeners } from 'node:events'
import { type BlockId, DecodeError, errorMessage, masterchainId } from '@shardwalk/model'
import {
  LITE_ERROR,
  LITE_MODE,
  type LiteFunctionName,
  type LiteResults,
  type WaitPrefix,
} from '@shardwalk/tl'
import type { Connect, ConnectOptions } from '../adnl/client.ts'
import { type Clock, delay } from '../clock.ts'
import type { ServerAddress } from '../config/server-address.ts'
import { isNotFound, LiteServerError, QueryTimeout, TransportError } from '../errors.ts'
import { Bans } from './bans.ts'
import { followHead, type MasterchainInfo } from './head-follower.ts'
import type { BlockPosition } from './held-blocks.ts'
import { type NonfinalFunction, nonfinalOffers } from './nonfinal.ts'
import type { PoolMetrics } from './pool-metrics.ts'
import { RateLimit } from './rate-limit.ts'
import { RecentFaults } from './recent-faults.ts'
import { ServerBlocks } from './server-blocks.ts'
import { type LinkCall, ServerLink } from './server-link.ts'
import { isOverload, isUnknownFunction, outcomeOf } from './verdict.ts'
import { Latency, QueryWindow } from './window.ts'

type Hashes = Pick<BlockId, 'rootHash' | 'fileHash'>

/** What a server shares with the pool that it belongs to. */
export interface LiteServerContext {
  readonly connect: Connect
  readonly connectOptions: ConnectOptions
  readonly clock: Clock
  /** Random number from 0 to 1, for jitter. */
  readonly random: () => number
  readonly metrics: PoolMetrics
  /** Called after any change that may let a waiting query proceed, and when the connection is lost. */
  readonly changed: () => void
  /** Whether the pool learns of new heads without this server, from one that has no rate limit. */
  readonly isSpared: (server: LiteServer) => boolean
  /** Whether servers are asked if they report blocks that are not final. */
  readonly asksNonfinal: boolean
  /** A server with another zerostate belongs to another network. */
  readonly zeroState: Hashes | undefined
}

/** A query as one server gets it. */
export interface Call<N extends LiteFunctionName> extends LinkCall<N> {
  /** See `blockNeededBy`. */
  readonly block?: BlockPosition | undefined
}

const INITIAL_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** How long a server is avoided that did not answer. Source: node, lite-client ext-client.cpp. */
const STALLING_MS = 30_000
/** Masterchain block that only archive servers keep; a network that has just begun does not have it yet. */
const EARLY_BLOCK = 2

/** One server of the pool: keeps a connection to it, and what is known of it beyond that connection. */
export class LiteServer {
  readonly window = new QueryWindow()
  readonly latency = new Latency()
  readonly rate = new RateLimit()
  readonly faults = new RecentFaults()
  readonly blocks: ServerBlocks
  /** Functions that the server does not support. */
  readonly missing = new Set<LiteFunctionName>()
  /** What it answers of blocks that are not final; empty: nothing, or it has not been asked. */
  nonfinal: ReadonlySet<NonfinalFunction> = new Set()
  /** Newest masterchain block that it reports. */
  head: BlockId | undefined
  problem: string | undefined
  private readonly bans = new Bans()
  private unansweredAt = Number.NEGATIVE_INFINITY
  private link: ServerLink | undefined
  /** The connection by which it was asked for an early block; not before there is one. */
  private probed: ServerLink | undefined
  /** Connections that failed since the last one that worked. */
  private failures = 0
  private readonly stopping = new AbortController()
  private readonly context: LiteServerContext

  constructor(
    readonly address: ServerAddress,
    context: LiteServerContext,
  ) {
    this.context = context
    this.blocks = new ServerBlocks(context.clock)
    setMaxListeners(0, this.stopping.signal)
  }

  get name(): string {
    return this.address.name
  }

  /** Connected, and its head is known. */
  get ready(): boolean {
    return this.link !== undefined && this.head !== undefined
  }

  get banned(): boolean {
    return this.bans.isActive(this.context.clock.now())
  }

  /** When it was last reported for wrong data. */
  get bannedAt(): number | undefined {
    return this.bans.reportedAt
  }

  /**
   * It left a query unanswered recently, or returned what is no answer: the connection may be alive while the
   * server behind it is not.
   */
  get stalling(): boolean {
    return this.context.clock.now() - this.unansweredAt < STALLING_MS
  }

  /** Connects, and reconnects whenever the connection is lost, until stopped. */
  async run(): Promise<void> {
    const { clock, metrics } = this.context
    const { signal } = this.stopping
    while (!signal.aborted) {
      try {
        this.link = await this.connect()
        this.window.reset()
        await this.useUntilLost(this.link)
      } catch (error) {
        this.problem = errorMessage(error)
        if (!signal.aborted) this.faults.note('disconnects', clock.now())
      }
      this.link?.close()
      this.link = undefined
      this.head = undefined
      this.nonfinal = new Set()
      metrics.up.set({ server: this.name }, 0)
      this.context.changed()
      // The pause rejects only if the server is stopped, which ends the loop.
      await delay(clock, this.nextPause(), signal).catch(() => {})
    }
  }

  stop(): void {
    this.stopping.abort(new Error('stopped'))
    this.link?.close()
  }

  /** Bans the server for wrong data. */
  ban(reason: string): void {
    const now = this.context.clock.now()
    this.bans.add(now)
    this.faults.note('wrong_answers', now)
    this.problem = reason
  }

  /** Reserves a slot and a token for a query that needs this block, if any. */
  reserve(block?: BlockPosition): void {
    this.window.inFlight++
    if (block) this.blocks.asked(block)
    this.rate.take(this.context.clock.now())
  }

  /** One attempt. Releases the window slot taken by the caller. Rejects with the errors of `errors.ts`. */
  async call<N extends LiteFunctionName>(call: Call<N>): Promise<LiteResults[N]> {
    const { clock, metrics } = this.context
    const start = clock.now()
    // A block that already exists causes no wait, so the duration measures the server.
    const waits = call.wait !== undefined && call.wait.seqno > (this.head?.seqno ?? 0)
    let failure: unknown
    metrics.inFlight.set({ server: this.name }, this.window.inFlight)
    try {
      if (!this.link) throw new TransportError(this.name, 'not connected')
      const value = await this.link.ask(call)
      if (call.block) this.blocks.returned(call.block)
      if (!waits) this.learnPace(clock.now() - start)
      return value
    } catch (error) {
      failure = error
      this.learnFromFailure(call, error)
      throw error
    } finally {
      this.release(call, clock.now() - start, failure)
    }
  }

  private learnPace(ms: number): void {
    this.window.succeeded(ms <= 2 * (this.latency.ms ?? ms))
    this.latency.add(ms)
  }

  private learnFromFailure<N extends LiteFunctionName>({ name, block }: Call<N>, error: unknown): void {
    const now = this.context.clock.now()
    if (block && isNotFound(error)) this.learnAge(block)
    if (isUnknownFunction(error)) this.missing.add(name)
    // Not a reason for a ban: its form may be newer than this program.
    if (error instanceof DecodeError) this.faults.note('wrong_answers', now)
    if (error instanceof QueryTimeout || error instanceof DecodeError) this.unansweredAt = now
    if (isOverload(error)) this.window.shrink(now)
  }

  private learnAge(block: BlockPosition): void {
    if (!this.head) return
    this.blocks.refused(block, this.head.seqno)
    const { missingUpTo } = this.blocks
    if (missingUpTo !== undefined) this.context.metrics.missing.set({ server: this.name }, missingUpTo)
  }

  /** Gives the slot back and counts the query. `failure`: undefined if it was answered. */
  private release<N extends LiteFunctionName>(
    { name, block }: Call<N>,
    tookMs: number,
    failure: unknown,
  ): void {
    const { metrics, changed } = this.context
    this.window.inFlight--
    if (block) this.blocks.settled(block)
    const method = name.slice(name.indexOf('.') + 1)
    metrics.inFlight.set({ server: this.name }, this.window.inFlight)
    metrics.requests.inc({ method, outcome: outcomeOf(failure) })
    metrics.seconds.observe({ method }, tookMs / 1000)
    changed()
  }

  private async connect(): Promise<ServerLink> {
    const { connect, connectOptions, clock, metrics } = this.context
    const { signal } = this.stopping
    const connection = await connect(this.address, { ...connectOptions, clock, signal })
    return new ServerLink(connection, { server: this, clock, metrics, signal })
  }

  /** Follows the head and asks what the server supports until the connection is lost; throws the reason. */
  private async useUntilLost(link: ServerLink): Promise<void> {
    const { asksNonfinal, clock, isSpared, metrics } = this.context
    const lost = link.closed.then((error) => Promise.reject(error))
    // Prevents an unhandled rejection when nothing waits for it any more.
    lost.catch(() => {})
    const first = await Promise.race([this.readHead(link), lost])
    this.failures = 0
    this.problem = undefined
    metrics.up.set({ server: this.name }, 1)
    if (asksNonfinal) this.probeNonfinal(link).catch(() => {})
    const followed = {
      read: (wait?: WaitPrefix) => this.readHead(link, wait),
      isOver: () => this.link !== link,
      isSpared: () => isSpared(this),
      perSecond: () => this.rate.perSecond,
      clock,
      signal: this.stopping.signal,
    }
    await Promise.race([followHead(followed, first.last.seqno), lost])
  }

  private async readHead(link: ServerLink, wait?: WaitPrefix): Promise<MasterchainInfo> {
    const { clock, zeroState, metrics, changed } = this.context
    const start = clock.now()
    const info = await link.askAside('liteServer.getMasterchainInfo', {}, wait)
    if (zeroState && !hasSameHashes(info.init, zeroState)) {
      this.ban('serves another network')
      throw new DecodeError('masterchainInfo.init', 'the zerostate of another network')
    }
    if (!wait) this.latency.add(clock.now() - start)
    this.head = info.last
    if (this.probed !== link && info.last.seqno >= EARLY_BLOCK) {
      this.probed = link
      this.probeArchive(link).catch(() => {})
    }
    metrics.head.set({ server: this.name }, info.last.seqno)
    changed()
    return info
  }

  /** A server that finds an early masterchain block is an archive server. */
  private async probeArchive(link: ServerLink): Promise<void> {
    try {
      const args = { mode: LITE_MODE.lookupBlock.bySeqno, id: masterchainId(EARLY_BLOCK) }
      await link.askAside('liteServer.lookupBlock', args)
      this.blocks.archive = true
    } catch (error) {
      if (error instanceof LiteServerError && error.serverCode === LITE_ERROR.notReady)
        this.blocks.archive = false
    }
    this.context.changed()
  }

  /** Once per connection: it is a command line option, so a change of it restarts the server. */
  private async probeNonfinal(link: ServerLink): Promise<void> {
    const isOver = () => this.link !== link
    const found = await nonfinalOffers({
      ask: (name) => link.askAside(name, { mode: 0 }),
      isOver,
      pause: (ms) => delay(this.context.clock, ms, this.stopping.signal),
    })
    if (!isOver()) this.nonfinal = found
  }

  /** 0.5 s, doubling up to 30 s, with ±25 % jitter so that clients do not reconnect in step. */
  private nextPause(): number {
    const pause = Math.min(INITIAL_PAUSE_MS * 2 ** this.failures++, MAX_PAUSE_MS)
    return pause * (0.75 + this.context.random() / 2)
  }
}

const hasSameHashes = (a: Hashes, b: Hashes): boolean =>
  a.rootHash.equals(b.rootHash) && a.fileHash.equals(b.fileHash)

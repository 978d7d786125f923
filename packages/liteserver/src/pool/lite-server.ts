import { setMaxListeners } from 'node:events'
import { type BlockId, DecodeError, masterchainId } from '@shardwalk/model'
import {
  decodeAnswer,
  encodeFunction,
  encodeQuery,
  LITE_ERROR,
  LITE_MODE,
  type LiteArguments,
  type LiteFunctionName,
  type LiteResults,
  type WaitPrefix,
} from '@shardwalk/tl'
import type { AdnlConnection, Connect, ConnectOptions } from '../adnl/client.ts'
import { type Clock, delay } from '../clock.ts'
import type { ServerAddress } from '../config/server-address.ts'
import { isNotFound, LiteServerError, QueryTimeout, TransportError } from '../errors.ts'
import { FollowPace } from './follow-pace.ts'
import { type BlockPosition, HeldBlocks } from './held-blocks.ts'
import { type NonfinalFunction, nonfinalOffers } from './nonfinal.ts'
import type { PoolMetrics } from './pool-metrics.ts'
import { RateLimit } from './rate-limit.ts'
import { RecentFaults } from './recent-faults.ts'
import { isOverload, isRateLimit, isUnknownFunction, outcomeOf } from './verdict.ts'
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
export interface Call<N extends LiteFunctionName> {
  readonly name: N
  readonly args: LiteArguments[N]
  /** See `blockNeededBy`. */
  readonly block?: BlockPosition | undefined
  readonly wait?: WaitPrefix
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

const INITIAL_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
/** Maximum wait that servers accept; also how often a standing query is renewed. */
const STANDING_WAIT_MS = 10_000
const ANSWER_MS = 5000
/** How long a server is avoided after a timeout. Source: node, lite-client ext-client.cpp. */
const STALLING_MS = 30_000
const INITIAL_BAN_MS = 10 * 60_000
const MAX_BAN_MS = 6 * 60 * 60_000

/** One server of the pool: keeps a connection, follows the server's head and records its capabilities. */
export class LiteServer {
  readonly window = new QueryWindow()
  readonly latency = new Latency()
  readonly rate = new RateLimit()
  readonly held = new HeldBlocks()
  readonly faults = new RecentFaults()
  /** Functions that the server does not support. */
  readonly missing = new Set<LiteFunctionName>()
  /** What it answers of blocks that are not final; empty: nothing, or it has not been asked. */
  nonfinal: ReadonlySet<NonfinalFunction> = new Set()
  /** Newest masterchain block that it reports. */
  head: BlockId | undefined
  /** Whether it has the first blocks; undefined until asked. */
  archive: boolean | undefined
  problem: string | undefined
  bannedAt: number | undefined
  /** The unanswered query for a block that it may not have. */
  private probe: BlockPosition | undefined
  private timedOutAt = Number.NEGATIVE_INFINITY
  private bannedUntil = Number.NEGATIVE_INFINITY
  private bans = 0
  private connection: AdnlConnection | undefined
  /** Whether it knows `waitMasterchainSeqno`; some proxies do not. */
  private knowsWaits = true
  private failures = 0
  private readonly stopping = new AbortController()
  private readonly context: LiteServerContext

  constructor(
    readonly address: ServerAddress,
    context: LiteServerContext,
  ) {
    this.context = context
    setMaxListeners(0, this.stopping.signal)
  }

  get name(): string {
    return this.address.name
  }

  /** Connected, and its head is known. */
  get ready(): boolean {
    return this.connection !== undefined && this.head !== undefined
  }

  get banned(): boolean {
    return this.context.clock.now() < this.bannedUntil
  }

  /** It left a query unanswered recently; the connection may be alive while the server behind it is not. */
  get stalling(): boolean {
    return this.context.clock.now() - this.timedOutAt < STALLING_MS
  }

  /** Known to have a block of this age. */
  holds(block: BlockPosition): boolean {
    return this.archive === true || this.held.holds(block)
  }

  /** Known to have deleted the block. */
  lacks(block: BlockPosition): boolean {
    return this.archive !== true && this.held.lacks(block, this.context.clock.now())
  }

  /**
   * Whether the query must wait for the answer to an earlier one, which shows whether the server has blocks
   * of this age. Otherwise a server without them would be asked for as many as fit into its window.
   */
  mustProbe(block: BlockPosition): boolean {
    return this.probe !== undefined && this.isDoubtful(block)
  }

  certainlyLacks(block: BlockPosition): boolean {
    return this.archive !== true && this.held.certainlyLacks(block, this.context.clock.now())
  }

  /** Connects, and reconnects whenever the connection is lost, until stopped. */
  async run(): Promise<void> {
    const { connect, connectOptions, clock, metrics } = this.context
    const { signal } = this.stopping
    while (!signal.aborted) {
      try {
        this.connection = await connect(this.address, { ...connectOptions, clock, signal })
        this.window.reset()
        this.knowsWaits = true
        await this.follow(this.connection)
      } catch (error) {
        this.problem = error instanceof Error ? error.message : String(error)
        if (!signal.aborted) this.faults.note('disconnects', clock.now())
      }
      this.connection?.close()
      this.connection = undefined
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
    this.connection?.close()
  }

  /** Bans the server, longer at each repetition; reports during a ban do not extend it. */
  ban(reason: string): void {
    const now = this.context.clock.now()
    if (!this.banned) this.bans++
    this.faults.note('wrong_answers', now)
    this.problem = reason
    this.bannedAt = now
    this.bannedUntil = now + Math.min(INITIAL_BAN_MS * 4 ** (this.bans - 1), MAX_BAN_MS)
  }

  /** One attempt. Releases the window slot taken by the caller. Rejects with the errors of `errors.ts`. */
  async call<N extends LiteFunctionName>(call: Call<N>): Promise<LiteResults[N]> {
    const { clock, metrics, changed } = this.context
    const start = clock.now()
    // A block that already exists causes no wait, so the duration measures the server.
    const waits = call.wait !== undefined && call.wait.seqno > (this.head?.seqno ?? 0)
    const { block } = call
    let failure: unknown
    metrics.inFlight.set({ server: this.name }, this.window.inFlight)
    try {
      const value = await this.ask(call)
      if (block) this.held.returned(block)
      this.answered(clock.now() - start, waits)
      return value
    } catch (error) {
      failure = error
      if (block) this.learnAge(block, error)
      if (isUnknownFunction(error)) this.missing.add(call.name)
      if (error instanceof QueryTimeout) this.timedOutAt = clock.now()
      if (isOverload(error)) this.window.shrink(clock.now())
      throw error
    } finally {
      this.window.inFlight--
      if (this.probe === block) this.probe = undefined
      const method = call.name.slice(call.name.indexOf('.') + 1)
      metrics.inFlight.set({ server: this.name }, this.window.inFlight)
      metrics.requests.inc({ method, outcome: outcomeOf(failure) })
      metrics.seconds.observe({ method }, (clock.now() - start) / 1000)
      changed()
    }
  }

  /** Reserves a slot and a token for a query that needs this block, if any. */
  reserve(block?: BlockPosition): void {
    this.window.inFlight++
    if (block && this.isDoubtful(block)) this.probe ??= block
    this.rate.take(this.context.clock.now())
  }

  private isDoubtful(block: BlockPosition): boolean {
    return this.archive !== true && !block.unproven && this.held.mayLack(block)
  }

  private learnAge(position: BlockPosition, error: unknown): void {
    if (!isNotFound(error)) return
    // When an archive server does not find a block, the reason is not its age.
    if (this.archive === true || !this.head) return
    this.held.refused(position, this.head.seqno, this.context.clock.now())
    const { missingUpTo } = this.held
    if (missingUpTo !== undefined) this.context.metrics.missing.set({ server: this.name }, missingUpTo)
  }

  private answered(ms: number, waited: boolean): void {
    if (waited) return
    this.window.succeeded(ms <= 2 * (this.latency.ms ?? ms))
    this.latency.add(ms)
  }

  private async ask<N extends LiteFunctionName>({
    name,
    args,
    wait,
    timeoutMs,
    signal,
  }: Call<N>): Promise<LiteResults[N]> {
    const connection = this.connection
    if (!connection) throw new TransportError(this.name, 'not connected')
    const sentAt = this.context.clock.now()
    const waits = this.knowsWaits ? wait : undefined
    const bytes = await connection
      .query(encodeQuery(encodeFunction(name, args), waits), {
        timeoutMs,
        method: name,
        ...(signal && { signal }),
      })
      .catch((error: unknown) => {
        if (error instanceof QueryTimeout) this.faults.note('timeouts', this.context.clock.now())
        throw error
      })
    const answer = decodeAnswer(name, bytes)
    const error = answer.ok
      ? undefined
      : new LiteServerError(this.name, name, answer.error.code, answer.error.message)
    this.learnRate(sentAt, isRateLimit(error))
    if (answer.ok) return answer.value
    if (!waits || !isUnknownFunction(error)) throw error
    return this.askAtOnce({ name, args, timeoutMs, ...(signal && { signal }) })
  }

  /** After a refusal that may be of the wait or of the function: the answer without a wait shows which. */
  private async askAtOnce<N extends LiteFunctionName>(call: Call<N>): Promise<LiteResults[N]> {
    this.rate.take(this.context.clock.now())
    try {
      const value = await this.ask(call)
      this.knowsWaits = false
      return value
    } catch (error) {
      if (error instanceof LiteServerError && !isUnknownFunction(error) && !isRateLimit(error))
        this.knowsWaits = false
      throw error
    }
  }

  private learnRate(sentAt: number, isRefused: boolean): void {
    const now = this.context.clock.now()
    if (isRefused) {
      this.rate.refused(sentAt, now)
      this.faults.note('rate_limits', now)
    } else this.rate.succeeded(now)
    const { perSecond } = this.rate
    if (perSecond !== undefined) this.context.metrics.rateLimit.set({ server: this.name }, perSecond)
  }

  /** Follows the head with a standing wait query until the connection is lost; throws the reason. */
  private async follow(connection: AdnlConnection): Promise<void> {
    const lost = connection.closed.then((error) => Promise.reject(error))
    // Prevents an unhandled rejection if nobody is waiting any more.
    lost.catch(() => {})
    await Promise.race([this.readHead(), lost])
    this.failures = 0
    this.problem = undefined
    this.context.metrics.up.set({ server: this.name }, 1)
    this.probeArchive().catch(() => {})
    if (this.context.asksNonfinal) this.probeNonfinal(connection).catch(() => {})
    await Promise.race([this.followHead(connection), lost])
  }

  /** A pause may outlast the connection: the next one is followed by itself. */
  private async followHead(connection: AdnlConnection): Promise<void> {
    const { clock, isSpared } = this.context
    const pace = new FollowPace()
    while (this.connection === connection) {
      const start = clock.now()
      const next = this.head!.seqno + 1
      try {
        await this.readHead({ seqno: next, timeoutMs: STANDING_WAIT_MS })
      } catch (error) {
        if (!(error instanceof LiteServerError)) throw error
        // There may be no new block during the wait.
        if (error.serverCode !== LITE_ERROR.timeout) await this.afterRefusedWait(error)
      }
      const pauseMs = pace.next({
        tookMs: clock.now() - start,
        isNewer: this.head!.seqno >= next,
        perSecond: this.rate.perSecond,
        isSpared: isSpared(this),
      })
      if (pauseMs > 0) await delay(clock, pauseMs, this.stopping.signal)
    }
  }

  /** The server may be far behind the head that it had before. */
  private async afterRefusedWait(refusal: LiteServerError): Promise<void> {
    await delay(this.context.clock, 1000, this.stopping.signal)
    if (isRateLimit(refusal)) return
    await this.readHead().catch((error) => {
      if (!(error instanceof LiteServerError)) throw error
    })
  }

  private async readHead(wait?: WaitPrefix): Promise<void> {
    const start = this.context.clock.now()
    this.rate.take(start)
    const timeoutMs = ANSWER_MS + (wait?.timeoutMs ?? 0)
    const info = await this.ask({
      name: 'liteServer.getMasterchainInfo',
      args: {},
      timeoutMs,
      signal: this.stopping.signal,
      ...(wait && { wait }),
    })
    const { zeroState } = this.context
    if (zeroState && !hasSameHashes(info.init, zeroState)) {
      this.ban('serves another network')
      throw new DecodeError('masterchainInfo.init', 'the zerostate of another network')
    }
    if (!wait) this.latency.add(this.context.clock.now() - start)
    this.head = info.last
    this.context.metrics.head.set({ server: this.name }, info.last.seqno)
    this.context.changed()
  }

  /** A server that finds masterchain block 2 is an archive server. */
  private async probeArchive(): Promise<void> {
    try {
      const args = { mode: LITE_MODE.lookupBlock.bySeqno, id: masterchainId(2) }
      this.rate.take(this.context.clock.now())
      await this.ask({
        name: 'liteServer.lookupBlock',
        args,
        timeoutMs: ANSWER_MS,
        signal: this.stopping.signal,
      })
      this.archive = true
    } catch (error) {
      if (error instanceof LiteServerError && error.serverCode === LITE_ERROR.notReady) this.archive = false
    }
    this.context.changed()
  }

  /** Once a connection: whoever runs the server decides, and restarts it to change that. */
  private async probeNonfinal(connection: AdnlConnection): Promise<void> {
    const { clock } = this.context
    const { signal } = this.stopping
    const found = await nonfinalOffers({
      ask: (name) => {
        this.rate.take(clock.now())
        return this.ask({ name, args: { mode: 0 }, timeoutMs: ANSWER_MS, signal })
      },
      isOver: () => this.connection !== connection,
      pause: (ms) => delay(clock, ms, signal),
    })
    if (this.connection === connection) this.nonfinal = found
  }

  /** 0.5 s, doubling up to 30 s, with ±25 % jitter so that clients do not reconnect in step. */
  private nextPause(): number {
    const pause = Math.min(INITIAL_PAUSE_MS * 2 ** this.failures++, MAX_PAUSE_MS)
    return pause * (0.75 + this.context.random() / 2)
  }
}

const hasSameHashes = (a: Hashes, b: Hashes): boolean =>
  a.rootHash.equals(b.rootHash) && a.fileHash.equals(b.fileHash)

import { setMaxListeners } from 'node:events'
import { type BlockId, formatBlockId } from '@shardwalk/model'
import { type Logger, type Metrics, noMetrics, silentLogger } from '@shardwalk/observability'
import type { LiteArguments, LiteCall, LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { type Connect, type ConnectOptions, connectAdnl } from '../adnl/client.ts'
import { type Clock, delay, systemClock } from '../clock.ts'
import type { ServerAddress } from '../config/server-address.ts'
import {
  LiteServerError,
  NoServerAvailable,
  PoolClosed,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '../errors.ts'
import { mcBlockSeqnoOf, problemWith } from './answers.ts'
import { Dispatcher, type Need } from './dispatcher.ts'
import { hedged } from './hedge.ts'
import { type BlockPosition, blockNeededBy, SETTLED_BLOCKS } from './held-blocks.ts'
import { LiteServer, type LiteServerContext } from './lite-server.ts'
import type { NonfinalFunction } from './nonfinal.ts'
import { type PoolMetrics, poolMetrics } from './pool-metrics.ts'
import type { Answer, QueryOptions } from './query-options.ts'
import type { FaultCounts } from './recent-faults.ts'
import { isRateLimit, NOT_FOUND_CODES, verdictOn } from './verdict.ts'

export interface PoolOptions {
  readonly servers: readonly ServerAddress[]
  /** The network's zerostate; servers of another network are rejected. */
  readonly zeroState?: BlockId
  /**
   * Whether servers are asked, once a connection, if they tell of blocks that are not final. Default false.
   */
  readonly asksNonfinal?: boolean
  readonly connection?: Omit<ConnectOptions, 'signal' | 'clock'>
  readonly metrics?: Metrics
  readonly log?: Logger
  readonly clock?: Clock
  /** Random number from 0 to 1, for jitter. */
  readonly random?: () => number
  readonly connect?: Connect
}

export interface ServerStatus {
  readonly name: string
  readonly state: 'ready' | 'banned' | 'connecting'
  readonly headSeqno: number | undefined
  readonly latencyMs: number | undefined
  readonly archive: boolean | undefined
  /** Whether it tells of blocks that are not final; see `PoolOptions.asksNonfinal`. */
  readonly nonfinal: boolean
  /** Newest masterchain block that it no longer has, if known. */
  readonly missingUpTo: number | undefined
  /** Learned rate limit in requests per second; undefined if it never refused a request for its rate. */
  readonly requestsPerSecond: number | undefined
  readonly inFlight: number
  readonly window: number
  readonly problem: string | undefined
  /** Faults of the last five minutes. */
  readonly faults: FaultCounts
}

export interface ReportedHead {
  readonly id: BlockId
  /** Names of the servers that report it; at least one. */
  readonly servers: readonly string[]
}

const QUERY_MS = 10_000
/** The node limits a query to 4.5 s. */
const ATTEMPT_MS = 5000
const NOT_YET_PAUSE_MS = 200
const MAX_PAUSE_MS = 2000
/**
 * Number of rounds in which all servers must answer "not found". It is higher when no masterchain seqno
 * indicates whether the block is old or still in production.
 */
const NOT_FOUND_ROUNDS = 3
const NOT_FOUND_ROUNDS_OF_UNKNOWN_AGE = 5
/** Number of archive servers whose "not found" is final for such a block. */
const REQUIRED_DENIALS = 2
/** A lookup by seqno does not imply that the block exists; a full id does, because it came from somewhere. */
const LOOKUPS: ReadonlySet<LiteFunctionName> = new Set<LiteFunctionName>([
  'liteServer.lookupBlock',
  'liteServer.lookupBlockWithProof',
])
const MIN_HEDGE_MS = 30
/** If all servers have rate limits, so many of those with the highest ones report the head promptly. */
const FOLLOWED_SERVERS = 3

/** State of one query. */
interface Progress {
  deadline: number
  /** Until then it waits for a busy server. */
  readonly patientUntil: number
  readonly block: BlockPosition | undefined
  readonly tried: Set<LiteServer>
  /** Servers of this round that answered "not found", and the number of rounds in which all did. */
  notFound: number
  notFoundRounds: number
  /** Archive servers that answered "not found" for an old block. */
  readonly denials: Set<LiteServer>
  archive: Need['archive']
  rounds: number
}

/** Many servers as one: selects, retries, fails over and checks. `LiteServerPool` adds named methods. */
export class PoolCore {
  /** See `PoolOptions.zeroState`. */
  readonly zeroState: BlockId | undefined
  /** Shared with the dispatcher. */
  private readonly liteServers: LiteServer[]
  private readonly serverContext: LiteServerContext
  private readonly dispatcher: Dispatcher
  private readonly runs = new Set<Promise<void>>()
  private readonly time: Clock
  private readonly log: Logger
  private readonly metrics: PoolMetrics
  private readonly closing = new AbortController()
  private readonly headListeners = new Set<() => void>()

  constructor(options: PoolOptions) {
    this.zeroState = options.zeroState
    this.time = options.clock ?? systemClock
    this.log = options.log ?? silentLogger
    this.metrics = poolMetrics(options.metrics ?? noMetrics)
    this.serverContext = {
      connect: options.connect ?? connectAdnl,
      connectOptions: options.connection ?? {},
      clock: this.time,
      random: options.random ?? Math.random,
      metrics: this.metrics,
      changed: () => this.changed(),
      isSpared: (server) => this.isSpared(server),
      asksNonfinal: options.asksNonfinal ?? false,
      zeroState: this.zeroState,
    }
    // Every waiting query adds a listener; do not warn about it.
    setMaxListeners(0, this.closing.signal)
    this.liteServers = options.servers.map((address) => new LiteServer(address, this.serverContext))
    this.dispatcher = new Dispatcher(this.liteServers, this.time)
    for (const server of this.liteServers) this.run(server)
  }

  /** Sends a query to the best server and returns its checked answer. See `queryFrom`. */
  async query<N extends LiteFunctionName>(
    name: N,
    args: LiteArguments[N],
    options?: QueryOptions<N>,
  ): Promise<LiteResults[N]> {
    return (await this.queryFrom(name, args, options)).value
  }

  /**
   * Like `query`, with the name of the server that answered. Rejects with `LiteServerError` if the refusal is
   * final, otherwise at the deadline with the last refusal or error (`TransportError`, `QueryTimeout`,
   * `WrongAnswer`, `NoServerAvailable`), or with the signal's reason.
   */
  async queryFrom<N extends LiteFunctionName>(
    name: N,
    args: LiteArguments[N],
    options: QueryOptions<N> = {},
  ): Promise<Answer<LiteResults[N]>> {
    const timeoutMs = options.timeoutMs ?? QUERY_MS + (options.wait?.timeoutMs ?? 0)
    const progress: Progress = {
      deadline: this.time.now() + timeoutMs,
      patientUntil: this.time.now() + (options.patienceMs ?? 0),
      block: blockNeededBy({ name, args } as LiteCall, options),
      tried: new Set(),
      notFound: 0,
      notFoundRounds: 0,
      denials: new Set(),
      archive: options.archive ? 'first' : undefined,
      rounds: 0,
    }
    const mcBlockSeqno =
      options.mcBlockSeqno ?? options.wait?.seqno ?? mcBlockSeqnoOf({ name, args } as LiteCall)
    let last: unknown
    for (;;) {
      if (progress.block && !options.server && this.dispatcher.isOlderThanAllHold(progress.block))
        throw last ?? new LiteServerError('every server', name, 651, 'the block is older than those it keeps')
      const server = await this.acquire(name, mcBlockSeqno, progress, options).catch((error) => {
        // A broken connection says less than that no server has come back since.
        const isWorthMore = last !== undefined && !(last instanceof TransportError)
        throw error instanceof NoServerAvailable && isWorthMore ? last : error
      })
      if (!server) {
        // No server was asked and none is left: all are known to lack the function.
        last ??= new LiteServerError('every server', name, 621, 'unknown query')
        if (progress.notFound === progress.tried.size) progress.notFoundRounds++
        if (this.isFinal(last, mcBlockSeqno, progress)) throw last
        const pauseMs = Math.min(NOT_YET_PAUSE_MS * 2 ** progress.rounds++, MAX_PAUSE_MS)
        await this.pause(Math.min(pauseMs, progress.deadline - this.time.now()), options.signal)
        progress.tried.clear()
        progress.notFound = 0
      } else {
        const headThen = server.head?.seqno
        try {
          return await this.attempt(server, name, args, mcBlockSeqno, progress, options)
        } catch (error) {
          // Silence of an attempt that the deadline ended says less than the refusal before it.
          const isCutShort = error instanceof QueryTimeout && error.timeoutMs < ATTEMPT_MS
          if (!isCutShort || !(last instanceof LiteServerError)) last = error
          if (options.once) throw error
          await this.afterFailure(error, { server, headThen }, name, mcBlockSeqno, progress, options)
        }
      }
      if (last !== undefined && this.time.now() >= progress.deadline) throw last
    }
  }

  /** Newest masterchain block that servers report; undefined until one is ready. Not proven. */
  head(): BlockId | undefined {
    const best = this.dispatcher.bestHead()
    return this.dispatcher.ready().find((s) => s.head?.seqno === best)?.head
  }

  /** All heads that servers report now, newest first. Not proven. */
  heads(): readonly ReportedHead[] {
    const heads = new Map<string, { id: BlockId; servers: string[] }>()
    for (const { name, head } of this.dispatcher.ready()) {
      const key = formatBlockId(head!)
      const known = heads.get(key)
      if (known) known.servers.push(name)
      else heads.set(key, { id: head!, servers: [name] })
    }
    return [...heads.values()].sort((a, b) => b.id.seqno - a.id.seqno)
  }

  /** Calls the listener whenever a server reports a new head. Returns a function that unsubscribes. */
  onHead(listener: () => void): () => void {
    this.headListeners.add(listener)
    return () => void this.headListeners.delete(listener)
  }

  /**
   * Bans a server that gave wrong data; it is asked again during the ban only if no other server is ready.
   */
  report(server: string, reason: string): void {
    const found = this.liteServers.find((s) => s.name === server)
    if (!found) return
    found.ban(reason)
    this.metrics.reports.inc({ server })
    this.log.error('lite server reported', { server, reason })
  }

  servers(): readonly ServerStatus[] {
    return this.liteServers.map((s) => ({
      name: s.name,
      state: s.banned ? 'banned' : s.ready ? 'ready' : 'connecting',
      headSeqno: s.head?.seqno,
      latencyMs: s.latency.ms,
      archive: s.archive,
      nonfinal: s.nonfinal.size > 0,
      missingUpTo: s.held.missingUpTo,
      requestsPerSecond: s.rate.perSecond,
      inFlight: s.window.inFlight,
      window: s.window.size,
      problem: s.problem,
      faults: s.faults.read(this.time.now()),
    }))
  }

  /**
   * Replaces the list of servers. What is known about remaining servers is kept; queries in progress on
   * removed ones fail over.
   */
  replaceServers(addresses: readonly ServerAddress[]): { readonly added: number; readonly removed: number } {
    if (this.closing.signal.aborted) return { added: 0, removed: 0 }
    const isSame = (server: LiteServer, address: ServerAddress) =>
      server.name === address.name && server.address.publicKey.equals(address.publicKey)
    const kept = this.liteServers.filter((server) => addresses.some((address) => isSame(server, address)))
    const gone = this.liteServers.filter((server) => !kept.includes(server))
    const added = addresses
      .filter((address) => !kept.some((server) => isSame(server, address)))
      .map((address) => new LiteServer(address, this.serverContext))
    this.liteServers.splice(0, this.liteServers.length, ...kept, ...added)
    for (const server of gone) server.stop()
    for (const server of added) this.run(server)
    return { added: added.length, removed: gone.length }
  }

  /** Names of the servers that may be asked now. */
  readyServers(): readonly string[] {
    return this.dispatcher.ready().map((s) => s.name)
  }

  /** Those of them that answer the query for blocks that are not final. */
  nonfinalServers(name: NonfinalFunction): readonly string[] {
    return this.dispatcher
      .ready()
      .filter((s) => s.nonfinal.has(name) && !s.banned)
      .map((s) => s.name)
  }

  /** Closes all connections and rejects all queries. No timers remain. */
  async close(): Promise<void> {
    this.closing.abort(new PoolClosed())
    this.dispatcher.close()
    for (const server of this.liteServers) server.stop()
    await Promise.all(this.runs)
  }

  /** The pool's clock, for waits in derived methods. */
  protected get clock(): Clock {
    return this.time
  }

  protected get closingSignal(): AbortSignal {
    return this.closing.signal
  }

  private run(server: LiteServer): void {
    const running = server.run().finally(() => this.runs.delete(running))
    this.runs.add(running)
  }

  private changed(): void {
    if (this.closing.signal.aborted) return
    this.dispatcher.drain()
    for (const listener of this.headListeners) listener()
  }

  /**
   * A server with a rate limit is asked for its head rarely if one without a limit, or enough servers that
   * accept more requests, are not behind it.
   */
  private isSpared(server: LiteServer): boolean {
    const current = this.dispatcher.ready().filter((s) => s.head!.seqno >= server.head!.seqno)
    const rate = (s: LiteServer) => s.rate.perSecond ?? Number.POSITIVE_INFINITY
    const better = current.filter((s) => s !== server && rate(s) > rate(server))
    return better.length >= FOLLOWED_SERVERS || better.some((s) => s.rate.perSecond === undefined)
  }

  private async acquire<N extends LiteFunctionName>(
    method: N,
    mcBlockSeqno: number | undefined,
    progress: Progress,
    { urgent = false, signal, server }: QueryOptions<N>,
  ): Promise<LiteServer | undefined> {
    const { block, tried, archive } = progress
    const need: Need = {
      method,
      mcBlockSeqno,
      block,
      archive,
      tried,
      server,
    }
    const startedAt = this.time.now()
    // Patience is for servers that are busy, not for those that are away.
    const patientUntil = this.dispatcher.ready().length > 0 ? progress.patientUntil : 0
    const deadline = Math.max(progress.deadline, patientUntil)
    const acquired = await this.dispatcher.acquire(need, { deadline, urgent, ...(signal && { signal }) })
    if (patientUntil > startedAt) progress.deadline += this.time.now() - startedAt
    return acquired
  }

  private attempt<N extends LiteFunctionName>(
    first: LiteServer,
    name: N,
    args: LiteArguments[N],
    mcBlockSeqno: number | undefined,
    progress: Progress,
    options: QueryOptions<N>,
  ): Promise<Answer<LiteResults[N]>> {
    const { urgent, signal, wait, check } = options
    const left = progress.deadline - this.time.now()
    const timeoutMs = Math.max(1, Math.min(left, ATTEMPT_MS + (wait?.timeoutMs ?? 0)))
    const ask = async (server: LiteServer): Promise<Answer<LiteResults[N]>> => {
      const value = await server.call({
        name,
        args,
        block: progress.block,
        timeoutMs,
        ...(wait && { wait }),
        ...(signal && { signal }),
      })
      const problem = problemWith(name, args, value) ?? check?.(value)
      if (problem === undefined) return { value, server: server.name }
      this.report(server.name, problem)
      throw new WrongAnswer(server.name, name, problem)
    }
    const isThere = wait === undefined || wait.seqno <= (first.head?.seqno ?? 0)
    if (!urgent || !isThere) return ask(first)
    const second = () => {
      const tried = new Set([...progress.tried, first])
      const other = this.dispatcher.tryAcquire({ method: name, mcBlockSeqno, tried, server: options.server })
      return other && ask(other)
    }
    const afterMs = Math.max(2 * (first.latency.ms ?? MIN_HEDGE_MS), MIN_HEDGE_MS)
    return hedged(ask(first), { second, afterMs, clock: this.time })
  }

  /** Decides how the query continues; throws if it ends. */
  private async afterFailure<N extends LiteFunctionName>(
    error: unknown,
    { server, headThen = 0 }: { readonly server: LiteServer; readonly headThen: number | undefined },
    method: N,
    mcBlockSeqno: number | undefined,
    progress: Progress,
    { signal }: QueryOptions<N>,
  ): Promise<void> {
    signal?.throwIfAborted()
    this.closing.signal.throwIfAborted()
    const wasBehind = headThen < (mcBlockSeqno ?? this.dispatcher.bestHead())
    const verdict = verdictOn(error, { method, mcBlockSeqno, serverHead: server.head?.seqno, wasBehind })
    this.log.debug('lite server query failed', { server: server.name, method, verdict, error })
    if (verdict === 'fail') throw error
    if (verdict === 'wait')
      return this.pause(NOT_YET_PAUSE_MS, signal, () => this.dispatcher.bestHead() >= mcBlockSeqno!)
    // The query waits for a token of this server or of another one.
    if (isRateLimit(error)) return
    progress.tried.add(server)
    if (error instanceof LiteServerError && NOT_FOUND_CODES.has(error.serverCode)) {
      progress.notFound++
      if (server.archive && LOOKUPS.has(method) && isSettled(mcBlockSeqno, server.head?.seqno))
        progress.denials.add(server)
      if (progress.denials.size >= REQUIRED_DENIALS) throw error
    }
    if (verdict === 'older') {
      // -400 may also mean a bad query, so only archive servers are worth asking.
      const maybeBad = error instanceof LiteServerError && error.serverCode === -400
      if (maybeBad && server.archive) throw error
      progress.archive = maybeBad ? 'only' : 'first'
    }
  }

  /** Whether the query is over once every server has been asked. */
  private isFinal(error: unknown, mcBlockSeqno: number | undefined, { notFoundRounds }: Progress): boolean {
    if (!(error instanceof LiteServerError)) return false
    const { serverCode } = error
    if (serverCode === -400 || serverCode === 621 || error.serverMessage.startsWith('Unknown constructor'))
      return true
    if (mcBlockSeqno === undefined) return notFoundRounds >= NOT_FOUND_ROUNDS_OF_UNKNOWN_AGE
    const head = this.dispatcher.bestHead()
    return notFoundRounds >= NOT_FOUND_ROUNDS && mcBlockSeqno <= head
  }

  /** Ends early once `until` holds; rejects if the query is aborted or the pool closed. */
  private async pause(ms: number, signal: AbortSignal | undefined, until?: () => boolean): Promise<void> {
    // Not AbortSignal.any: long-lived source signals would keep every combined signal alive.
    const ended = new AbortController()
    const stop = until && this.onHead(() => until() && ended.abort(WOKEN))
    const unlink = [this.closing.signal, ...(signal ? [signal] : [])].map((source) => follow(source, ended))
    try {
      await delay(this.time, ms, ended.signal)
    } catch (error) {
      if (error !== WOKEN) throw error
    } finally {
      stop?.()
      for (const remove of unlink) remove()
    }
  }
}

const isSettled = (mcBlockSeqno: number | undefined, head: number | undefined): boolean =>
  mcBlockSeqno !== undefined && head !== undefined && mcBlockSeqno + SETTLED_BLOCKS <= head

const WOKEN = new Error('woken')

/** Aborts `target` when `source` aborts; returns a function that undoes this. */
function follow(source: AbortSignal, target: AbortController): () => void {
  const abort = () => target.abort(source.reason)
  if (source.aborted) abort()
  source.addEventListener('abort', abort, { once: true })
  return () => source.removeEventListener('abort', abort)
}

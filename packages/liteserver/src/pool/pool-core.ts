import { setMaxListeners } from 'node:events'
import { type BlockId, formatBlockId } from '@shardwalk/model'
import { type Logger, type Metrics, noMetrics, silentLogger } from '@shardwalk/observability'
import type { LiteArguments, LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { type Connect, type ConnectOptions, connectAdnl } from '../adnl/client.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { ServerAddress } from '../config/server-address.ts'
import { PoolClosed } from '../errors.ts'
import { Dispatcher } from './dispatcher.ts'
import { LiteServer, type LiteServerContext } from './lite-server.ts'
import type { NonfinalFunction } from './nonfinal.ts'
import { type PoolMetrics, poolMetrics } from './pool-metrics.ts'
import { PoolQuery, type QueryContext } from './pool-query.ts'
import type { Answer, QueryOptions } from './query-options.ts'
import type { FaultCounts } from './recent-faults.ts'

/** The servers of a pool, and what it does for itself. */
export interface PoolOptions {
  readonly servers: readonly ServerAddress[]
  /** The network's zerostate; servers of another network are rejected. */
  readonly zeroState?: BlockId
  /**
   * Whether servers are asked, once a connection, if they report blocks that are not final. Default false.
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

/**
 * A server as the pool sees it now. `latencyMs`: moving average of its answers; `window`: queries that may be
 * in flight; `problem`: why it is not ready; undefined: not known yet.
 */
export interface ServerStatus {
  readonly name: string
  readonly state: 'ready' | 'banned' | 'connecting'
  readonly headSeqno: number | undefined
  readonly latencyMs: number | undefined
  readonly archive: boolean | undefined
  /** Whether it reports blocks that are not final; see `PoolOptions.asksNonfinal`. */
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

/** A masterchain block that servers report as their newest; nothing of it has been verified. */
export interface ReportedHead {
  readonly id: BlockId
  /** Names of the servers that report it; at least one. */
  readonly servers: readonly string[]
}

/** If all servers have rate limits: number of those with the highest limits that report the head promptly. */
const FOLLOWED_SERVERS = 3

/** Many servers as one: selects, retries, fails over and checks. `LiteServerPool` adds named methods. */
export class PoolCore {
  /** See `PoolOptions.zeroState`. */
  readonly zeroState: BlockId | undefined
  /** Shared with the dispatcher. */
  private readonly liteServers: LiteServer[]
  private readonly serverContext: LiteServerContext
  private readonly dispatcher: Dispatcher
  private readonly queryContext: QueryContext
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
    this.queryContext = {
      dispatcher: this.dispatcher,
      clock: this.time,
      log: this.log,
      closing: this.closing.signal,
      onHead: (listener) => this.onHead(listener),
      report: (server, reason) => this.report(server, reason),
    }
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
    return new PoolQuery(this.queryContext, name, args, options).answer()
  }

  /** Number of servers, whether or not they can be reached. */
  get size(): number {
    return this.liteServers.length
  }

  /** Newest masterchain block that servers report; undefined until one is ready. Not proven. */
  head(): BlockId | undefined {
    const best = this.dispatcher.bestHead()
    return this.dispatcher.ready().find((s) => s.head?.seqno === best)?.head
  }

  /** All heads that servers report now, newest first, of equal seqnos those of more servers. Not proven. */
  heads(): readonly ReportedHead[] {
    const heads = new Map<string, { id: BlockId; servers: string[] }>()
    for (const { name, head } of this.dispatcher.ready()) {
      const key = formatBlockId(head!)
      const known = heads.get(key)
      if (known) known.servers.push(name)
      else heads.set(key, { id: head!, servers: [name] })
    }
    return [...heads.values()].sort((a, b) => b.id.seqno - a.id.seqno || b.servers.length - a.servers.length)
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
      archive: s.blocks.archive,
      nonfinal: s.nonfinal.size > 0,
      missingUpTo: s.blocks.missingUpTo,
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
}

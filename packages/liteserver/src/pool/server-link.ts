import {
  decodeAnswer,
  encodeFunction,
  encodeQuery,
  type LiteArguments,
  type LiteFunctionName,
  type LiteResults,
  type WaitPrefix,
} from '@shardwalk/tl'
import type { AdnlConnection } from '../adnl/client.ts'
import type { Clock } from '../clock.ts'
import { LiteServerError, QueryTimeout } from '../errors.ts'
import type { PoolMetrics } from './pool-metrics.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RecentFaults } from './recent-faults.ts'
import { isRateLimit, isUnknownFunction } from './verdict.ts'

/** What the queries of a link teach about its server; it outlives the connection. */
export interface LinkedServer {
  readonly name: string
  readonly rate: RateLimit
  readonly faults: RecentFaults
}

/** A query as it is sent. */
export interface LinkCall<N extends LiteFunctionName> {
  readonly name: N
  readonly args: LiteArguments[N]
  readonly wait?: WaitPrefix
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

interface LinkOptions {
  readonly server: LinkedServer
  readonly clock: Clock
  readonly metrics: PoolMetrics
  /** Ends what the pool asks for itself. */
  readonly signal: AbortSignal
}

const ANSWER_MS = 5000

/** A connection that is asked functions and learns the server's rate limit. */
export class ServerLink {
  /** Whether the server knows `waitMasterchainSeqno`; some proxies do not. */
  private knowsWaits = true

  constructor(
    private readonly connection: AdnlConnection,
    private readonly options: LinkOptions,
  ) {}

  /** Resolves (never rejects) with the reason when the connection is closed. */
  get closed(): AdnlConnection['closed'] {
    return this.connection.closed
  }

  close(): void {
    this.connection.close()
  }

  /** The caller has charged the query to the server's rate. Rejects with the errors of `errors.ts`. */
  async ask<N extends LiteFunctionName>(call: LinkCall<N>): Promise<LiteResults[N]> {
    const { server, clock } = this.options
    const { name, wait } = call
    const sentAt = clock.now()
    const waits = this.knowsWaits ? wait : undefined
    const answer = decodeAnswer(name, await this.send(call, waits))
    const error = answer.ok
      ? undefined
      : new LiteServerError(server.name, name, answer.error.code, answer.error.message)
    this.learnRate(sentAt, isRateLimit(error))
    if (answer.ok) return answer.value
    if (!waits || !isUnknownFunction(error)) throw error
    return this.askAtOnce(call)
  }

  /** A query of the pool itself; it is charged here, and its signal is the server's. */
  askAside<N extends LiteFunctionName>(
    name: N,
    args: LiteArguments[N],
    wait?: WaitPrefix,
  ): Promise<LiteResults[N]> {
    const { server, clock, signal } = this.options
    server.rate.take(clock.now())
    const timeoutMs = ANSWER_MS + (wait?.timeoutMs ?? 0)
    return this.ask({ name, args, timeoutMs, signal, ...(wait && { wait }) })
  }

  private async send<N extends LiteFunctionName>(
    { name, args, timeoutMs, signal }: LinkCall<N>,
    wait: WaitPrefix | undefined,
  ): Promise<Buffer> {
    const query = encodeQuery(encodeFunction(name, args), wait)
    try {
      return await this.connection.query(query, { timeoutMs, method: name, ...(signal && { signal }) })
    } catch (error) {
      const { server, clock } = this.options
      if (error instanceof QueryTimeout) server.faults.note('timeouts', clock.now())
      throw error
    }
  }

  /** After a refusal that may be of the wait or of the function: the answer without a wait shows which. */
  private async askAtOnce<N extends LiteFunctionName>({
    wait: _,
    ...call
  }: LinkCall<N>): Promise<LiteResults[N]> {
    const { server, clock } = this.options
    server.rate.take(clock.now())
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
    const { server, clock, metrics } = this.options
    const now = clock.now()
    if (isRefused) {
      server.rate.refused(sentAt, now)
      server.faults.note('rate_limits', now)
    } else server.rate.succeeded(now)
    const { perSecond } = server.rate
    if (perSecond !== undefined) metrics.rateLimit.set({ server: server.name }, perSecond)
  }
}

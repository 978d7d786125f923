import { abortWith } from '@shardwalk/concurrency'
import type { Logger } from '@shardwalk/observability'
import {
  LITE_ERROR,
  type LiteArguments,
  type LiteCall,
  type LiteFunctionName,
  type LiteResults,
} from '@shardwalk/tl'
import { type Clock, delay } from '../clock.ts'
import {
  concernsQuery,
  isNotFound,
  LiteServerError,
  NoServerAvailable,
  QueryTimeout,
  TransportError,
  WrongAnswer,
} from '../errors.ts'
import { mcBlockSeqnoOf, problemWith } from './answers.ts'
import type { Dispatcher, Need } from './dispatcher.ts'
import { hedged } from './hedge.ts'
import { type BlockPosition, blockNeededBy, SETTLED_BLOCKS } from './held-blocks.ts'
import type { LiteServer } from './lite-server.ts'
import type { Answer, QueryOptions } from './query-options.ts'
import { QueryRounds } from './query-rounds.ts'
import { isRateLimit, verdictOn } from './verdict.ts'

/** What a query uses of its pool. */
export interface QueryContext {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly log: Logger
  /** Aborts when the pool is closed. */
  readonly closing: AbortSignal
  /** Calls the listener whenever a server reports a new head. Returns a function that unsubscribes. */
  readonly onHead: (listener: () => void) => () => void
  /** Bans a server that gave wrong data. */
  readonly report: (server: string, reason: string) => void
}

const QUERY_MS = 10_000
/** The node limits a query to 4.5 s. */
const ATTEMPT_MS = 5000
const NOT_YET_PAUSE_MS = 200
/** A lookup by seqno does not imply that the block exists; a full id does, because it came from somewhere. */
const LOOKUPS: ReadonlySet<LiteFunctionName> = new Set<LiteFunctionName>([
  'liteServer.lookupBlock',
  'liteServer.lookupBlockWithProof',
])
const MIN_HEDGE_MS = 30

/** One query: it goes from server to server until one answers or all have failed. */
export class PoolQuery<N extends LiteFunctionName> {
  private deadline: number
  /** Until then it waits for a busy server. */
  private readonly patientUntil: number
  /** Masterchain block the answer depends on, if known. */
  private readonly mcBlockSeqno: number | undefined
  private readonly block: BlockPosition | undefined
  private readonly rounds = new QueryRounds()
  private archive: Need['archive']

  constructor(
    private readonly context: QueryContext,
    private readonly name: N,
    private readonly args: LiteArguments[N],
    private readonly options: QueryOptions<N>,
  ) {
    const { wait, timeoutMs = QUERY_MS + (wait?.timeoutMs ?? 0), patienceMs = 0, mcBlockSeqno } = options
    const call = { name, args } as LiteCall
    const now = context.clock.now()
    this.deadline = now + timeoutMs
    this.patientUntil = now + patienceMs
    this.mcBlockSeqno = mcBlockSeqno ?? wait?.seqno ?? mcBlockSeqnoOf(call)
    this.block = blockNeededBy(call, options)
    this.archive = options.archive ? 'first' : undefined
  }

  /** The errors are those of `PoolCore.queryFrom`. */
  async answer(): Promise<Answer<LiteResults[N]>> {
    let last: unknown
    for (;;) {
      this.throwIfDeletedEverywhere(last)
      const server = await this.acquire().catch((error: unknown) => {
        throw error instanceof NoServerAvailable && isUseful(last) ? last : error
      })
      if (server) {
        const headThen = server.head?.seqno
        try {
          return await this.attempt(server)
        } catch (error) {
          if (this.options.once) throw error
          // If the deadline cut this attempt short, the refusal before it is the more useful error.
          if (!isCutShort(error) || !(last instanceof LiteServerError)) last = error
          await this.afterFailure(error, server, headThen)
        }
      } else {
        // No server was asked and none is left: all are known to lack the function.
        last ??= new LiteServerError('every server', this.name, LITE_ERROR.protoViolation, 'unknown query')
        await this.nextRound(last)
      }
      if (last !== undefined && this.context.clock.now() >= this.deadline) throw last
    }
  }

  private throwIfDeletedEverywhere(last: unknown): void {
    if (!this.block || this.options.server || !this.context.dispatcher.isOlderThanAllHold(this.block)) return
    const why = 'the block is older than those it keeps'
    throw last ?? new LiteServerError('every server', this.name, LITE_ERROR.notReady, why)
  }

  private async acquire(): Promise<LiteServer | undefined> {
    const { dispatcher, clock } = this.context
    const { urgent = false, signal, server } = this.options
    const { mcBlockSeqno, block, archive } = this
    const { tried } = this.rounds
    const need: Need = { method: this.name, mcBlockSeqno, block, archive, tried, server }
    const startedAt = clock.now()
    // Worth waiting only while some server is connected.
    const patientUntil = dispatcher.ready().length > 0 ? this.patientUntil : 0
    const deadline = Math.max(this.deadline, patientUntil)
    const acquired = await dispatcher.acquire(need, { deadline, urgent, ...(signal && { signal }) })
    if (patientUntil > startedAt) this.deadline += clock.now() - startedAt
    return acquired
  }

  /** Every server has been asked: throws `last`, or begins another round after a pause. */
  private async nextRound(last: unknown): Promise<void> {
    const pauseMs = this.rounds.next()
    if (this.isFinal(last)) throw last
    await this.pause(Math.min(pauseMs, this.deadline - this.context.clock.now()))
  }

  private isFinal(error: unknown): boolean {
    if (!(error instanceof LiteServerError)) return false
    if (concernsQuery(error.serverCode) || error.serverMessage.startsWith('Unknown constructor')) return true
    const { mcBlockSeqno } = this
    if (!this.rounds.isMissing({ isDated: mcBlockSeqno !== undefined })) return false
    return mcBlockSeqno === undefined || mcBlockSeqno <= this.context.dispatcher.bestHead()
  }

  private attempt(first: LiteServer): Promise<Answer<LiteResults[N]>> {
    const { dispatcher, clock } = this.context
    const { urgent, wait } = this.options
    const timeoutMs = Math.max(1, Math.min(this.deadline - clock.now(), ATTEMPT_MS + (wait?.timeoutMs ?? 0)))
    const isThere = wait === undefined || wait.seqno <= (first.head?.seqno ?? 0)
    if (!urgent || !isThere) return this.ask(first, timeoutMs)
    const second = () => {
      const tried = new Set([...this.rounds.tried, first])
      const need = { method: this.name, mcBlockSeqno: this.mcBlockSeqno, tried, server: this.options.server }
      const other = dispatcher.tryAcquire(need)
      return other && this.ask(other, timeoutMs)
    }
    const afterMs = Math.max(2 * (first.latency.ms ?? MIN_HEDGE_MS), MIN_HEDGE_MS)
    return hedged(this.ask(first, timeoutMs), { second, afterMs, clock })
  }

  private async ask(server: LiteServer, timeoutMs: number): Promise<Answer<LiteResults[N]>> {
    const { name, args, block } = this
    const { signal, wait, check } = this.options
    const value = await server.call({
      name,
      args,
      block,
      timeoutMs,
      ...(wait && { wait }),
      ...(signal && { signal }),
    })
    const problem = problemWith(name, args, value) ?? check?.(value)
    if (problem === undefined) return { value, server: server.name }
    this.context.report(server.name, problem)
    throw new WrongAnswer(server.name, name, problem)
  }

  /** Decides how the query continues; throws if it ends. `headThen`: of the server when it was asked. */
  private async afterFailure(error: unknown, server: LiteServer, headThen = 0): Promise<void> {
    const { dispatcher, log, closing } = this.context
    const { name: method, mcBlockSeqno } = this
    this.options.signal?.throwIfAborted()
    closing.throwIfAborted()
    const wasBehind = headThen < (mcBlockSeqno ?? dispatcher.bestHead())
    const verdict = verdictOn(error, { method, mcBlockSeqno, serverHead: server.head?.seqno, wasBehind })
    log.debug('lite server query failed', { server: server.name, method, verdict, error })
    if (verdict === 'fail') throw error
    if (verdict === 'wait') return this.pause(NOT_YET_PAUSE_MS, () => dispatcher.bestHead() >= mcBlockSeqno!)
    // The query waits for a token of this server or of another one.
    if (isRateLimit(error)) return
    if (isNotFound(error)) {
      const isOld = isSettled(mcBlockSeqno, server.head?.seqno)
      this.rounds.addNotFound(server, {
        isDenial: server.blocks.archive === true && LOOKUPS.has(method) && isOld,
      })
      if (this.rounds.isDenied) throw error
    } else this.rounds.addFailure(server)
    if (verdict === 'older') {
      // The query may also be wrong, so only archive servers are worth asking.
      const maybeBad = error instanceof LiteServerError && error.serverCode === LITE_ERROR.badQuery
      if (maybeBad && server.blocks.archive) throw error
      this.archive = maybeBad ? 'only' : 'first'
    }
  }

  /** Ends early once `until` holds; rejects if the query is aborted or the pool closed. */
  private async pause(ms: number, until?: () => boolean): Promise<void> {
    const { clock, closing, onHead } = this.context
    const { signal } = this.options
    const ended = new AbortController()
    const stop = until && onHead(() => until() && ended.abort(WOKEN))
    const unlink = [closing, ...(signal ? [signal] : [])].map((source) => abortWith(ended, source))
    try {
      await delay(clock, ms, ended.signal)
    } catch (error) {
      if (error !== WOKEN) throw error
    } finally {
      stop?.()
      for (const remove of unlink) remove()
    }
  }
}

/** Of a broken connection and no server since, the latter is the more useful error. */
const isUseful = (error: unknown): boolean => error !== undefined && !(error instanceof TransportError)

const isCutShort = (error: unknown): boolean => error instanceof QueryTimeout && error.timeoutMs < ATTEMPT_MS

const isSettled = (mcBlockSeqno: number | undefined, head: number | undefined): boolean =>
  mcBlockSeqno !== undefined && head !== undefined && mcBlockSeqno + SETTLED_BLOCKS <= head

const WOKEN = new Error('woken')

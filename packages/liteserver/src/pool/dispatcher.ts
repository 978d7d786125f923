import { MASTERCHAIN } from '@shardwalk/model'
import type { LiteFunctionName } from '@shardwalk/tl'
import type { Clock } from '../clock.ts'
import { NoServerAvailable, PoolClosed } from '../errors.ts'
import type { BlockPosition } from './held-blocks.ts'
import type { LiteServer } from './lite-server.ts'

/** What a query requires of a server. */
export interface Need {
  readonly method: LiteFunctionName
  readonly mcBlockSeqno?: number | undefined
  /** The block that the query needs, if it needs nothing else. */
  readonly block?: BlockPosition | undefined
  /** `first`: prefer archive servers. `only`: exclude servers known not to be archive servers. */
  readonly archive?: 'first' | 'only' | undefined
  /** Servers already tried in this round. */
  readonly tried: ReadonlySet<LiteServer>
  /** If set, use only this server (`host:port`). */
  readonly server?: string | undefined
}

interface Waiter {
  readonly need: Need
  readonly urgent: boolean
  settle(server: LiteServer | undefined, error?: unknown): void
}

/**
 * A banned server is used again after this long if no other server is ready. Its answers are checked as
 * always.
 */
const BANNED_FALLBACK_MS = 2000
/** The end of a ban or of the period above causes no event, so waiting queries check this often. */
const RECHECK_INTERVAL_MS = 50
/** Blocks this far behind the head are history: servers known to hold such old ones are asked first. */
const HISTORY_BLOCKS = 1000
/** Assumed latency of a server that has not answered yet. */
const UNKNOWN_LATENCY_MS = 200

/** Assigns servers to queries: the best one with a free slot, or the query waits; urgent queries go first. */
export class Dispatcher {
  private waiters: Waiter[] = []
  private timer: unknown
  private closed = false

  constructor(
    readonly servers: readonly LiteServer[],
    private readonly clock: Clock,
  ) {}

  /**
   * Waits for a server whose window and rate limit allow the query, and reserves a slot in the window, which
   * the server's `call` releases. Resolves with undefined if every suitable server has been tried. Rejects
   * with `NoServerAvailable` at the deadline, `PoolClosed`, or the signal's reason.
   */
  acquire(
    need: Need,
    limits: { readonly deadline: number; readonly urgent: boolean; readonly signal?: AbortSignal },
  ) {
    const { deadline, urgent, signal } = limits
    return new Promise<LiteServer | undefined>((resolve, reject) => {
      if (this.closed) return reject(new PoolClosed())
      if (signal?.aborted) return reject(signal.reason)
      if (this.servers.length === 0) return reject(new NoServerAvailable(need.method, []))
      const found = this.find(need, urgent)
      if (found !== 'wait') return resolve(reserve(found, need))
      const aborted = () => waiter.settle(undefined, signal?.reason)
      const timer = this.clock.setTimeout(
        () => waiter.settle(undefined, new NoServerAvailable(need.method, this.describe())),
        deadline - this.clock.now(),
      )
      const waiter: Waiter = {
        need,
        urgent,
        settle: (server, error) => {
          this.waiters = this.waiters.filter((other) => other !== waiter)
          this.clock.clearTimeout(timer)
          signal?.removeEventListener('abort', aborted)
          if (error !== undefined) reject(error)
          else resolve(server)
        },
      }
      signal?.addEventListener('abort', aborted, { once: true })
      this.enqueue(waiter)
    })
  }

  /** Like `acquire`, but never waits. */
  tryAcquire(need: Need): LiteServer | undefined {
    const found = this.find(need, true)
    return found === 'wait' ? undefined : reserve(found, need)
  }

  /** The best server now; undefined if all were tried, `wait` if none is ready or has a free slot. */
  private find(need: Need, urgent: boolean): LiteServer | undefined | 'wait' {
    const ready = this.ready().filter((s) => !need.server || s.name === need.server)
    if (ready.length === 0) return 'wait'
    const { block } = need
    const fitting = narrow(ready, (s) => !block || !s.blocks.lacks(block)).filter(
      (s) =>
        !need.tried.has(s) &&
        !s.missing.has(need.method) &&
        !(need.archive === 'only' && s.blocks.archive === false),
    )
    if (fitting.length === 0) return undefined
    const now = this.clock.now()
    const free = this.preferred(fitting, need).filter(
      (s) => s.window.free && s.rate.allows(urgent, now) && !(block && s.blocks.mustProbe(block)),
    )
    if (free.length === 0) return 'wait'
    const head = this.bestHead()
    const isHistory = block?.workchain === MASTERCHAIN && block.seqno + HISTORY_BLOCKS < head
    const chosen = isHistory ? narrow(free, (s) => s.blocks.holds(block)) : free
    return chosen.reduce((best, s) => (this.cost(s, head) < this.cost(best, head) ? s : best))
  }

  /**
   * Servers that may be asked: connected, synced and not banned; if there is none, servers banned some time
   * ago.
   */
  ready(): readonly LiteServer[] {
    const connected = this.servers.filter((s) => s.ready)
    const honest = connected.filter((s) => !s.banned)
    if (honest.length > 0) return honest
    return connected.filter((s) => this.clock.now() - s.bannedAt! >= BANNED_FALLBACK_MS)
  }

  /** Whether asking for the block is pointless because every server has repeatedly shown to be too young. */
  isOlderThanAllHold(block: BlockPosition): boolean {
    const ready = this.ready()
    return ready.length > 0 && ready.every((s) => s.blocks.certainlyLacks(block))
  }

  /** Newest head among the servers that may be asked. */
  bestHead(): number {
    return this.ready().reduce((best, s) => Math.max(best, s.head?.seqno ?? 0), 0)
  }

  /** Assigns servers to waiting queries after a change. */
  drain(): void {
    for (const waiter of [...this.waiters]) {
      const found = this.find(waiter.need, waiter.urgent)
      if (found !== 'wait') waiter.settle(reserve(found, waiter.need))
    }
  }

  describe(): readonly string[] {
    return this.servers.map((s) => {
      const state = s.banned
        ? 'banned'
        : s.ready
          ? `busy (${s.window.inFlight} of ${s.window.size}${limitOf(s)})`
          : 'not connected'
      return `${s.name} ${state}${s.problem ? `: ${s.problem}` : ''}`
    })
  }

  close(): void {
    this.closed = true
    this.clock.clearTimeout(this.timer)
    for (const waiter of [...this.waiters]) waiter.settle(undefined, new PoolClosed())
  }

  private enqueue(waiter: Waiter): void {
    const at = waiter.urgent ? this.waiters.findIndex((other) => !other.urgent) : -1
    if (at < 0) this.waiters.push(waiter)
    else this.waiters.splice(at, 0, waiter)
    this.scheduleRecheck()
  }

  private scheduleRecheck(): void {
    this.clock.clearTimeout(this.timer)
    if (this.waiters.length === 0 || this.closed) return
    this.timer = this.clock.setTimeout(() => {
      this.drain()
      this.scheduleRecheck()
    }, RECHECK_INTERVAL_MS)
  }

  /**
   * Narrows the choice to servers that have the block, then to those that are not stalling, then to archive
   * servers if preferred. A criterion that no server meets is ignored.
   */
  private preferred(
    servers: readonly LiteServer[],
    { mcBlockSeqno = 0, archive }: Need,
  ): readonly LiteServer[] {
    const synced = narrow(servers, (s) => s.head!.seqno >= mcBlockSeqno)
    const steady = narrow(synced, (s) => !s.stalling)
    return archive ? narrow(steady, (s) => s.blocks.archive === true) : steady
  }

  /**
   * Expected response time, increased for each block (up to 4) by which the server lags behind the newest
   * head.
   */
  private cost(server: LiteServer, head: number): number {
    const load = 1 + server.window.inFlight / server.window.size
    const lag = Math.min(Math.max(head - server.head!.seqno, 0), 4)
    // Requests that others can answer are not charged to a limited server.
    const scarcity = server.rate.perSecond === undefined ? 1 : 2
    return (server.latency.ms ?? UNKNOWN_LATENCY_MS) * load * (1 + lag) * scarcity
  }
}

function limitOf({ rate: { perSecond } }: LiteServer): string {
  return perSecond === undefined ? '' : `, at most ${perSecond.toFixed(1)} requests per second`
}

function narrow(
  servers: readonly LiteServer[],
  criterion: (server: LiteServer) => boolean,
): readonly LiteServer[] {
  const left = servers.filter(criterion)
  return left.length > 0 ? left : servers
}

/**
 * Takes the slot and the token at once: the query starts in a later microtask, after other waiters have been
 * considered.
 */
function reserve(server: LiteServer | undefined, need: Need): LiteServer | undefined {
  server?.reserve(need.block)
  return server
}

import { decodeFunction, decodeQuery, encodeAnswer, encodeError, type LiteCall } from '@shardwalk/tl'
import type { AdnlConnection, Connect } from '../src/adnl/client.ts'
import type { Clock } from '../src/clock.ts'
import { serverAddress } from '../src/config/server-address.ts'
import { QueryTimeout, type ServerAddress, TransportError } from '../src/index.ts'
import { fileOf, idOf } from './fake-chain.ts'

/** Deterministic random numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Time that passes only in `run`. */
export class SimulatedClock implements Clock {
  private time = 0
  private sequence = 0
  private readonly timers = new Map<number, { readonly at: number; readonly callback: () => void }>()

  now(): number {
    return this.time
  }

  setTimeout(callback: () => void, ms: number): number {
    this.timers.set(++this.sequence, { at: this.time + Math.max(ms, 0), callback })
    return this.sequence
  }

  clearTimeout(handle: unknown): void {
    this.timers.delete(handle as number)
  }

  /** Lets time pass without firing timers, like a machine that sleeps. */
  sleep(ms: number): void {
    this.time += ms
  }

  /** Fires the timers of the next `ms` in order, each after everything that the earlier ones caused. */
  async run(ms: number): Promise<void> {
    const end = this.time + ms
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      let next: number | undefined
      for (const [id, { at }] of this.timers)
        if (at <= end && (next === undefined || at < this.timers.get(next)!.at)) next = id
      if (next === undefined) break
      const { at, callback } = this.timers.get(next)!
      this.timers.delete(next)
      this.time = Math.max(this.time, at)
      callback()
    }
    this.time = end
  }
}

export const FIRST_HEAD = 100_000
export const BLOCK_MS = 400

/** When a masterchain block appears; those up to `FIRST_HEAD` exist from the start. */
export const timeOf = (seqno: number): number => Math.max(0, (seqno - FIRST_HEAD) * BLOCK_MS)

export interface Behavior {
  readonly latencyMs?: number
  /** Blocks by which its head is behind the network's. */
  readonly staleBy?: number
  /** Requests that it accepts within any second. */
  readonly perSecond?: number
  /** Oldest block that it has. */
  readonly oldest?: number
  /** Probability that a request makes it close the connection. */
  readonly closes?: number
  /** Runs the function at once in spite of `waitMasterchainSeqno`. */
  readonly ignoresWaits?: boolean
  /** Does not know `waitMasterchainSeqno`. */
  readonly refusesWaits?: boolean
}

/** A lite server of simulated time over an endless masterchain. */
export class SimulatedServer {
  readonly address: ServerAddress
  /** Requests that arrived, by function. */
  readonly asked = new Map<string, number>()
  refused = 0
  private readonly arrivals: number[] = []

  constructor(
    name: string,
    public behavior: Behavior,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {
    this.address = serverAddress(name, 1, Buffer.alloc(32))
  }

  countOf(...methods: readonly string[]): number {
    return methods.reduce((sum, method) => sum + (this.asked.get(`liteServer.${method}`) ?? 0), 0)
  }

  connect(): AdnlConnection {
    const { name } = this.address
    const outstanding = new Set<(error: unknown) => void>()
    let lost!: (error: TransportError) => void
    const closed = new Promise<TransportError>((resolve) => {
      lost = resolve
    })
    const close = (problem: string) => {
      const error = new TransportError(name, problem)
      for (const reject of [...outstanding]) reject(error)
      lost(error)
    }
    return {
      closed,
      pingMs: undefined,
      get inFlight() {
        return outstanding.size
      },
      close: () => close('closed by the client'),
      query: (query, { timeoutMs, signal, method = 'query' }) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason)
          const settle = (act: () => void) => {
            if (!outstanding.delete(fail)) return
            this.clock.clearTimeout(timer)
            this.clock.clearTimeout(arrival)
            signal?.removeEventListener('abort', aborted)
            act()
          }
          const fail = (error: unknown) => settle(() => reject(error))
          const aborted = () => fail(signal?.reason)
          const timer = this.clock.setTimeout(
            () => fail(new QueryTimeout(name, method, timeoutMs)),
            timeoutMs,
          )
          const arrival = this.clock.setTimeout(() => {
            if (this.random() < (this.behavior.closes ?? 0)) return close('connection reset')
            this.arrive(query, (bytes) => settle(() => resolve(bytes)))
          }, this.latency / 2)
          outstanding.add(fail)
          signal?.addEventListener('abort', aborted, { once: true })
        }),
    }
  }

  private get latency(): number {
    return this.behavior.latencyMs ?? 50
  }

  private get head(): number {
    const { staleBy = 0 } = this.behavior
    return FIRST_HEAD + Math.floor(this.clock.now() / BLOCK_MS - staleBy)
  }

  private arrive(query: Buffer, reply: (bytes: Buffer) => void): void {
    const { wait, functionBytes } = decodeQuery(query)
    const call = decodeFunction(functionBytes)
    this.asked.set(call.name, (this.asked.get(call.name) ?? 0) + 1)
    const send = (bytes: Buffer) => this.clock.setTimeout(() => reply(bytes), this.latency / 2)
    const now = this.clock.now()
    while (this.arrivals.length > 0 && this.arrivals[0]! <= now - 1000) this.arrivals.shift()
    if (this.arrivals.length >= (this.behavior.perSecond ?? Number.POSITIVE_INFINITY)) {
      this.refused++
      return void send(encodeError(228, 'ratelimit'))
    }
    this.arrivals.push(now)
    const missing = wait && !this.behavior.ignoresWaits ? wait.seqno - this.head : 0
    if (wait && this.behavior.refusesWaits) return void send(encodeError(621, 'unknown query'))
    if (missing > 100) return void send(encodeError(651, 'too big masterchain block seqno'))
    if (missing <= 0) return void send(this.run(call))
    const appearsIn = timeOf(wait!.seqno + (this.behavior.staleBy ?? 0)) - now
    if (appearsIn > wait!.timeoutMs)
      this.clock.setTimeout(() => send(encodeError(652, 'timeout')), wait!.timeoutMs)
    else this.clock.setTimeout(() => send(this.run(call)), appearsIn)
  }

  private run(call: LiteCall): Buffer {
    if (call.name === 'liteServer.getMasterchainInfo') {
      const zero = idOf(0)
      return encodeAnswer(call.name, { last: idOf(this.head), stateRootHash: zero.rootHash, init: zero })
    }
    if (call.name === 'liteServer.getTransactions') return this.transactionsFrom(call.args.lt)
    if (call.name !== 'liteServer.getBlock' && call.name !== 'liteServer.lookupBlock')
      return encodeError(621, 'unknown query')
    const { seqno } = call.args.id
    const isInvented =
      call.name === 'liteServer.getBlock' && !call.args.id.rootHash.equals(idOf(seqno).rootHash)
    if (isInvented || seqno < (this.behavior.oldest ?? 0) || seqno > this.head)
      return encodeError(651, 'block is not in db')
    if (call.name === 'liteServer.getBlock')
      return encodeAnswer(call.name, { id: call.args.id, data: fileOf(seqno) })
    return encodeAnswer(call.name, { id: idOf(seqno), mode: 0, headerProof: Buffer.alloc(0) })
  }

  /** The transaction is in the masterchain block whose seqno is its lt. */
  private transactionsFrom(lt: bigint): Buffer {
    const seqno = Number(lt)
    if (seqno < (this.behavior.oldest ?? 0) || seqno > this.head)
      return encodeError(-400, 'cannot compute block with specified transaction: block not found')
    return encodeAnswer('liteServer.getTransactions', { ids: [idOf(seqno)], transactions: fileOf(seqno) })
  }
}

/** Connects to simulated servers by name. */
export const connectTo =
  (servers: readonly SimulatedServer[]): Connect =>
  async ({ name }) =>
    servers.find(({ address }) => address.name === name)!.connect()

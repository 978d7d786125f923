import type { Socket } from 'node:net'
import { Pace } from '@shardwalk/concurrency'
import { ChannelListener, type ChannelListenerOptions, INDEXED_CHANNEL } from '@shardwalk/db'
import {
  CLOSE,
  EventHub,
  errorText,
  Outbox,
  type Protocol,
  Refused,
  Subscriber,
  type Transport,
  V1,
  V2,
} from '@shardwalk/streaming'
import { pinned } from '../replicas/chosen-replica.ts'
import type { ApiServices } from '../services.ts'
import { BlockFollower } from './block-follower.ts'
import { ConfirmedTeller } from './confirmed-teller.ts'
import { describe } from './descriptions.ts'
import { PendingTeller } from './pending-teller.ts'
import { tellMissed } from './replay.ts'
import { ResumeTurns } from './resume-turns.ts'
import { SilentPeers } from './silent-peers.ts'
import { STREAM_PLANS, StreamPlaces, type StreamPlans } from './stream-places.ts'
import type { Unsettled } from './unsettled.ts'

/** Beats between two keep-alives of a connection: each has its turn. */
const BEATS = 15
const BEAT_MS = 1_000

export interface StreamingOptions {
  readonly plans?: Partial<StreamPlans> | undefined
  /** Whether version 1 is offered beside version 2. Default: no. */
  readonly v1?: boolean | undefined
  /** Where to listen for commits; default: the tables are looked at every second. */
  readonly pool?: ChannelListenerOptions['pool'] | undefined
  /** Between two looks when nothing notifies. Milliseconds. */
  readonly pollMs?: number | undefined
  /** A connection has a keep-alive every 15 of them, default 1,000. Milliseconds. */
  readonly beatMs?: number | undefined
  /** See `FollowerOptions`. */
  readonly now?: (() => number) | undefined
  /** See `SilentPeers`. */
  readonly tcpTables?: readonly string[] | undefined
  /** Default 10,000. Milliseconds. */
  readonly partingMs?: number | undefined
}

/** Beats between two looks at what peers have not acknowledged. */
const LOOK_BEATS = 10
/** How long a client that is sent away has to read what was sent before. Milliseconds. */
const PARTING_MS = 10_000

/** A connection and how it is kept alive. */
export interface Connection {
  readonly protocol: Protocol
  readonly transport: Transport
  /** `after`: see `Frame`. */
  readonly keepAlive: (after: number | undefined) => void
  /** Of a client that never answers, which is gone when it acknowledges nothing. */
  readonly socket?: Socket | undefined
}

interface Open extends Connection {
  readonly subscriber: Subscriber
  readonly beat: number
}

/** All streams of the process: one reader of the tables, one index of subscriptions. */
export class Streams {
  /** Those that clients may speak. */
  readonly protocols: readonly Protocol[]
  readonly places: StreamPlaces
  readonly hub: EventHub
  readonly follower: BlockFollower
  readonly resumes: ResumeTurns
  private readonly pending: PendingTeller | undefined
  private readonly open = new Map<Subscriber, Open>()
  private readonly stop = new AbortController()
  private readonly listener: ChannelListener | undefined
  private readonly beats: NodeJS.Timeout
  private beat = 0
  private readonly peers: SilentPeers
  private isLooking = false
  /** How long a client that is sent away has to read what was sent before. Milliseconds. */
  readonly partingMs: number
  private readonly metrics: ReturnType<typeof streamMetrics>

  constructor(
    private readonly services: ApiServices,
    {
      plans,
      v1,
      pool,
      pollMs,
      beatMs = BEAT_MS,
      now,
      tcpTables,
      partingMs = PARTING_MS,
    }: StreamingOptions = {},
  ) {
    this.protocols = v1 ? [V2, V1] : [V2]
    this.partingMs = partingMs
    this.peers = new SilentPeers(tcpTables)
    this.places = new StreamPlaces({ ...STREAM_PLANS, ...plans })
    this.metrics = streamMetrics(services, this)
    const pace = new Pace()
    const ports = {
      now: () => performance.now(),
      describe: (addresses: readonly string[], metadata: boolean) => describe(services, addresses, metadata),
      rest: async () => pace.rest(),
      confirms: () => this.confirmingServers > 0,
      onSent: (type: string, finality: string) => this.metrics.events.inc({ type, finality }),
    }
    this.hub = new EventHub(ports, this.protocols)
    const { signal } = this.stop
    const afterLook = async () => confirmed?.settle()
    this.follower = new BlockFollower({ services, hub: this.hub, signal, pollMs, now, afterLook })
    this.resumes = new ResumeTurns(this.follower)
    if (pool)
      this.listener = new ChannelListener({
        pool,
        channel: INDEXED_CHANNEL,
        onNews: () => this.follower.wake(),
      })
    const { pending } = services
    const confirmed =
      pending && new ConfirmedTeller({ services, pending, hub: this.hub, follower: this.follower })
    void this.follower.run()
    this.pending = pending && new PendingTeller({ services, pending, hub: this.hub, signal })
    void this.pending?.run()
    this.beats = setInterval(() => void this.keepAlive(), beatMs).unref()
  }

  /** Lite servers that tell of blocks before they are final. */
  get confirmingServers(): number {
    return this.services.pending?.confirmingServers ?? 0
  }

  get isClosed(): boolean {
    return this.stop.signal.aborted
  }

  connect(connection: Connection): Subscriber {
    const outbox = new Outbox(
      connection.transport,
      undefined,
      () => this.metrics.coalesced.inc({}),
      () => this.metrics.slow.inc({}),
    )
    const subscriber = new Subscriber(outbox, connection.protocol)
    this.hub.subscribers.add(subscriber)
    this.open.set(subscriber, { ...connection, subscriber, beat: this.open.size % BEATS })
    return subscriber
  }

  /** The connection is gone. */
  disconnect(subscriber: Subscriber): void {
    if (!this.open.delete(subscriber)) return
    subscriber.outbox.drop()
    this.hub.subscribers.remove(subscriber)
  }

  /** Throws `Refused` if the tables cannot tell what happened after the block. */
  async checkResume(from: number): Promise<void> {
    const { range } = await this.services.head.read()
    if (!range) throw new Refused('resume_from is not possible: nothing is indexed yet')
    if (from < range.from)
      throw new Refused(`resume_from ${from} is not indexed: ${range.from} to ${range.to} are`)
  }

  /**
   * Sends what the connection missed after a block, and then what happens meanwhile. Clients take turns at
   * what has to be read for that. Until all of it is told, nothing says how far the connection is.
   */
  resume(subscriber: Subscriber, from: number, client: string): void {
    subscriber.outbox.hold()
    subscriber.gaps++
    this.follower.inTurn(async () => {
      // Not awaited: others do not wait for one connection.
      void this.tellMissed(subscriber, from, client).finally(() => {
        subscriber.gaps--
        subscriber.outbox.release()
      })
    })
  }

  private async tellMissed(subscriber: Subscriber, from: number, client: string): Promise<void> {
    const { hub, follower } = this
    const to = follower.position ?? from
    try {
      const services = await pinned(this.services, to)
      await this.checkResume(from)
      const inTurn = <T>(read: () => Promise<T>) => this.resumes.take(client, read)
      const { pending } = this
      if (pending && subscriber.subscription.minFinality !== 'finalized')
        for (const frame of await inTurn(() => pending.missedBy(subscriber)))
          await subscriber.outbox.pushAhead(frame)
      const expect = (unsettled: Unsettled) => follower.addMissed(unsettled, to, subscriber)
      await tellMissed({ services, hub, subscriber, from, to, inTurn, expect })
    } catch (error) {
      if (!(error instanceof Refused)) {
        this.services.log.warn('missed events cannot be read', { error })
        return subscriber.outbox.close(CLOSE.tryAgain, 'missed events cannot be read')
      }
      await subscriber.outbox.pushAhead({ kind: 'status', text: errorText(error.message, undefined) })
    }
  }

  close(): void {
    this.stop.abort()
    this.listener?.close()
    clearInterval(this.beats)
    for (const { subscriber } of this.open.values())
      subscriber.outbox.close(CLOSE.goingAway, 'the server is shutting down')
  }

  /** At every beat another part of the connections. */
  private async keepAlive(): Promise<void> {
    const turn = ++this.beat % BEATS
    if (this.beat % LOOK_BEATS === 0) void this.endSilent()
    const pace = new Pace()
    for (const { beat, keepAlive, subscriber } of this.open.values()) {
      if (beat === turn) keepAlive(this.positionOf(subscriber))
      await pace.rest()
    }
  }

  /** Everything up to this block was sent to the connection; undefined: that cannot be said. */
  private positionOf({ outbox, gaps }: Subscriber): number | undefined {
    return outbox.isBehind || gaps > 0 ? undefined : this.follower.complete
  }

  private async endSilent(): Promise<void> {
    if (this.isLooking) return
    this.isLooking = true
    const sockets = [...this.open.values()].flatMap(({ socket }) => socket ?? [])
    for (const socket of await this.peers.find(sockets)) {
      this.metrics.silent.inc({})
      socket.destroy()
    }
    this.isLooking = false
  }
}

function streamMetrics({ metrics }: ApiServices, streams: Streams) {
  metrics.gauge('streaming_connections', 'Open streams.', [], (gauge) => gauge.set({}, streams.places.count))
  metrics.gauge('streaming_subscribed_addresses', 'Addresses that streams are subscribed to.', [], (gauge) =>
    gauge.set({}, streams.hub.subscribers.addresses),
  )
  metrics.gauge(
    'streaming_resumes_waiting',
    'Streams that wait for their turn to read what they missed.',
    [],
    (gauge) => gauge.set({}, streams.resumes.waiting),
  )
  return {
    events: metrics.counter('streaming_events_total', 'Events handed to streams.', ['type', 'finality']),
    coalesced: metrics.counter('streaming_coalesced_total', 'Events replaced by newer ones in a queue.', []),
    silent: metrics.counter(
      'streaming_silent_disconnects_total',
      'Streams closed: peers did not answer.',
      [],
    ),
    slow: metrics.counter('streaming_slow_disconnects_total', 'Streams closed because nobody read them.', []),
  }
}

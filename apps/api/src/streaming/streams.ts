import type { Socket } from 'node:net'
import { Pace } from '@shardwalk/concurrency'
import { type BlockFollower, LiveEvents, type LiveEventsOptions } from '@shardwalk/live-events'
import {
  CLOSE,
  type EventHub,
  Outbox,
  type Protocol,
  Subscriber,
  type Transport,
  V1,
  V2,
} from '@shardwalk/streaming'
import type { ApiServices } from '../services.ts'
import { eventServices } from './event-services.ts'
import { SilentPeers } from './silent-peers.ts'
import { STREAM_PLANS, StreamPlaces, type StreamPlans } from './stream-places.ts'

/** Beats between two keep-alives of a connection: each has its turn. */
const BEATS = 15
const BEAT_MS = 1_000

export interface StreamingOptions extends Pick<LiveEventsOptions, 'pool' | 'pollMs' | 'now'> {
  readonly plans?: Partial<StreamPlans> | undefined
  /** Whether version 1 is offered beside version 2. Default: no. */
  readonly v1?: boolean | undefined
  /** A connection has a keep-alive every 15 of them, default 1,000. Milliseconds. */
  readonly beatMs?: number | undefined
  /** See `SilentPeers`. */
  readonly tcpTables?: readonly string[] | undefined
  /** Default 10,000. Milliseconds. */
  readonly partingMs?: number | undefined
}

/** Beats between two checks of what peers have not acknowledged. */
const CHECK_BEATS = 10
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

/** All streams of the process: one source of events, and the connections that are kept alive. */
export class Streams {
  /** Those that clients may speak. */
  readonly protocols: readonly Protocol[]
  readonly places: StreamPlaces
  readonly events: LiveEvents
  readonly hub: EventHub
  readonly follower: BlockFollower
  private readonly open = new Map<Subscriber, Open>()
  private readonly beats: NodeJS.Timeout
  private beat = 0
  private readonly peers: SilentPeers
  private isLooking = false
  /** How long a client that is sent away has to read what was sent before. Milliseconds. */
  readonly partingMs: number
  private readonly metrics: ReturnType<typeof streamMetrics>

  constructor(
    services: ApiServices,
    { plans, v1, beatMs = BEAT_MS, tcpTables, partingMs = PARTING_MS, ...following }: StreamingOptions = {},
  ) {
    this.protocols = v1 ? [V2, V1] : [V2]
    this.partingMs = partingMs
    this.peers = new SilentPeers(tcpTables)
    this.places = new StreamPlaces({ ...STREAM_PLANS, ...plans })
    this.metrics = streamMetrics(services, this)
    this.events = new LiveEvents({
      ...following,
      services: eventServices(services),
      protocols: this.protocols,
      onSent: (type, finality) => this.metrics.events.inc({ type, finality }),
    })
    this.hub = this.events.hub
    this.follower = this.events.follower
    this.beats = setInterval(() => void this.keepAlive(), beatMs).unref()
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

  close(): void {
    this.events.close()
    clearInterval(this.beats)
    for (const { subscriber } of this.open.values())
      subscriber.outbox.close(CLOSE.goingAway, 'the server is shutting down')
  }

  /** At every beat another part of the connections. */
  private async keepAlive(): Promise<void> {
    const turn = ++this.beat % BEATS
    if (this.beat % CHECK_BEATS === 0) void this.endSilent()
    const pace = new Pace()
    for (const { beat, keepAlive, subscriber } of this.open.values()) {
      if (beat === turn) keepAlive(this.events.positionOf(subscriber))
      await pace.rest()
    }
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
    (gauge) => gauge.set({}, streams.events.resumes.waiting),
  )
  return {
    events: metrics.counter('streaming_events_total', 'Events handed to streams.', ['type', 'finality']),
    coalesced: metrics.counter('streaming_coalesced_total', 'Events replaced by newer ones in a queue.', []),
    silent: metrics.counter(
      'streaming_silent_disconnects_total',
      'Streams closed: peers did not answer.',
      [],
    ),
    slow: metrics.counter('streaming_slow_disconnects_total', 'Streams closed: not read.', []),
  }
}

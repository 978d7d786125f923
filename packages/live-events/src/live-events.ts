import { Pace } from '@shardwalk/concurrency'
import { ChannelListener, type ChannelListenerOptions, INDEXED_CHANNEL } from '@shardwalk/db'
import {
  type Beginning,
  CLOSE,
  EventHub,
  errorText,
  type HubPorts,
  type Protocol,
  Refused,
  type Subscriber,
} from '@shardwalk/streaming'
import { BlockFollower, type FollowerOptions } from './block-follower.ts'
import { ConfirmedPublisher } from './confirmed-publisher.ts'
import { describe } from './descriptions.ts'
import type { EventServices } from './event-services.ts'
import { sendMissedEvents } from './missed-events.ts'
import { PendingPublisher } from './pending-publisher.ts'
import { recentFrom } from './recent-from.ts'
import { ResumeTurns } from './resume-turns.ts'
import type { Unsettled } from './unsettled.ts'

/**
 * A client may have heard of later blocks from a server that was ahead of this one, or before the database
 * was made anew. It has missed nothing then. Further blocks, seven minutes of mainnet, are a mistake.
 */
const MAX_AHEAD = 1_000

/** Sources and protocols of the events of a process. */
export interface LiveEventsOptions extends Pick<FollowerOptions, 'pollMs' | 'now'> {
  readonly services: EventServices
  readonly protocols: readonly Protocol[]
  /** Where to listen for commits; default: the tables are looked at every second. */
  readonly pool?: ChannelListenerOptions['pool'] | undefined
  readonly onSent?: HubPorts['onSent']
}

/** Tells connections what happens, and what they missed. One for all connections of the process. */
export class LiveEvents {
  readonly hub: EventHub
  readonly follower: BlockFollower
  readonly resumes: ResumeTurns
  private readonly pending: PendingPublisher | undefined
  private readonly listener: ChannelListener | undefined
  private readonly stop = new AbortController()

  constructor(private readonly options: LiveEventsOptions) {
    const { services, protocols, pool, pollMs, now } = options
    const { pending } = services
    const { signal } = this.stop
    const hub = new EventHub(this.hubPorts(), protocols)
    const afterPoll = async () => confirmed?.settle()
    const follower = new BlockFollower({ services, hub, signal, pollMs, now, afterPoll })
    this.hub = hub
    this.follower = follower
    this.resumes = new ResumeTurns(follower)
    if (pool)
      this.listener = new ChannelListener({
        pool,
        channel: INDEXED_CHANNEL,
        onNotification: () => follower.wake(),
      })
    const confirmed = pending && new ConfirmedPublisher({ services, pending, hub, follower })
    void follower.run()
    this.pending = pending && new PendingPublisher({ services, pending, hub, signal })
    void this.pending?.run()
  }

  private hubPorts(): HubPorts {
    const { services, onSent } = this.options
    const pace = new Pace()
    return {
      now: () => performance.now(),
      describe: (addresses, metadata) => describe(services, addresses, metadata),
      rest: async () => pace.rest(),
      confirms: () => this.confirmingServers > 0,
      onSent,
    }
  }

  /** Lite servers that show blocks before they are final. */
  get confirmingServers(): number {
    return this.options.services.pending?.confirmingServers ?? 0
  }

  get isClosed(): boolean {
    return this.stop.signal.aborted
  }

  close(): void {
    this.stop.abort()
    this.listener?.close()
  }

  /** Throws `Refused` if the tables do not say what happened after the block. */
  async checkResume(from: Beginning): Promise<void> {
    if (from === 'recent') return
    const range = await this.options.services.indexedRange()
    if (!range) throw new Refused('resume_from is not possible: nothing is indexed yet', 503)
    if (from < range.from)
      throw new Refused(`resume_from ${from} is not indexed: ${range.from} to ${range.to} are`, 400, range)
    if (from > range.to + MAX_AHEAD)
      throw new Refused(
        `resume_from ${from} is far beyond what is indexed: ${range.from} to ${range.to} are`,
        400,
        range,
      )
  }

  /**
   * Sends what the connection missed, and then what happens meanwhile. Clients take turns at what has to be
   * read for that. Until all of it is published, nothing says how far the connection is.
   */
  resume(subscriber: Subscriber, from: Beginning, client: string): void {
    subscriber.outbox.hold()
    subscriber.gaps++
    this.follower.inTurn(async () => {
      // Not awaited: others do not wait for one connection.
      void this.sendMissed(subscriber, from, client).finally(() => {
        subscriber.gaps--
        subscriber.outbox.release()
      })
    })
  }

  private async sendMissed(subscriber: Subscriber, asked: Beginning, client: string): Promise<void> {
    const { hub, follower } = this
    const to = follower.position ?? (asked === 'recent' ? 0 : asked)
    try {
      const services = await this.options.services.pinned(to)
      await this.checkResume(asked)
      const from = asked === 'recent' ? await recentFrom(services, to) : asked
      const inTurn = <T>(read: () => Promise<T>) => this.resumes.take(client, read)
      const { pending } = this
      if (pending && subscriber.subscription.minFinality !== 'finalized')
        for (const frame of await inTurn(() => pending.missedBy(subscriber)))
          await subscriber.outbox.pushAhead(frame)
      const expect = (unsettled: Unsettled) => follower.addMissed(unsettled, to, subscriber)
      await sendMissedEvents({ services, hub, subscriber, from, to, inTurn, expect })
    } catch (error) {
      if (!(error instanceof Refused)) {
        this.options.services.log.warn('missed events cannot be read', { error })
        return subscriber.outbox.close(CLOSE.tryAgain, 'missed events cannot be read')
      }
      await subscriber.outbox.pushAhead({ kind: 'status', text: errorText(error) })
    }
  }

  /** Everything up to this block was sent to the connection; undefined: not known. */
  positionOf({ outbox, gaps }: Subscriber): number | undefined {
    return outbox.isBehind || gaps > 0 ? undefined : this.follower.complete
  }
}

import type { Json } from '@shardwalk/api-schema'
import type { Members, News } from './events.ts'
import type { Finality } from './finality.ts'
import type { ReadOptions, Subscription, SubscriptionLimits } from './subscription.ts'

/** A version of the streaming API: how its clients ask, and in what words they are told. */
export interface Protocol {
  readonly version: 'v1' | 'v2'
  /** Whether events say up to which block everything was sent, and clients may go on from there. */
  readonly resumes: boolean
  /** Reads the body of a stream, parsed JSON, which `checkLimits` has to pass. Throws `Refused`. */
  readonly readSubscription: (body: unknown, options: ReadOptions) => Subscription
  /** What the refusal of a frame begins with that is none. */
  readonly wrongFrame: string
  /** What changes the subscription of a WebSocket, by the name of the operation. */
  readonly operations: ReadonlyMap<string, Operation>
  /** What news are for its clients: none, one or several events. */
  readonly eventsOf: (news: News) => readonly ToldEvent[]
  /** Those of the accounts that the subscription wants the event of; undefined: it does not want it. */
  readonly wanted: (candidate: Candidate) => readonly string[] | undefined
  /** `body`: the part of the event that depends on the connection. */
  readonly textOf: (event: ToldEvent, body: Json, described: Members) => Json
}

/** Throws `Refused`. */
export type Operation = (request: OperationRequest) => Change

export interface OperationRequest {
  readonly frame: unknown
  readonly before: Subscription
  readonly limits: SubscriptionLimits
  readonly actionsVersion?: string | undefined
}

export interface Change {
  /** The acknowledgement. */
  readonly status: string
  readonly subscription: Subscription
}

/** News as a protocol tells them. */
export interface ToldEvent {
  readonly type: string
  readonly news: News
  /** Of the trace, for those who are told; undefined: it leaves open what becomes of the rest. */
  readonly finality: Finality | undefined
  /** Of snapshots, of which a newer one replaces an older one that waits. */
  readonly snapshotOf: string | undefined
}

export interface Candidate {
  readonly event: ToldEvent
  readonly subscription: Subscription
  /** Those of the connection that the event concerns. */
  readonly accounts: readonly string[]
  /** Whether blocks are known before they are final. */
  readonly confirms: boolean
}

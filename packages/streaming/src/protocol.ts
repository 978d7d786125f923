import type { Json } from '@shardwalk/api-schema'
import type { ChainEvent, Members } from './events.ts'
import type { Finality } from './finality.ts'
import type { ReadOptions, Subscription, SubscriptionLimits } from './subscription.ts'

/** A version of the streaming API: how clients subscribe, and what notifications look like. */
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
  /** What an event is for its clients: none, one or several notifications. */
  readonly notificationsOf: (event: ChainEvent) => readonly Notification[]
  /** Those of the accounts that the subscription wants the event of; undefined: it does not want it. */
  readonly wanted: (candidate: Candidate) => readonly string[] | undefined
  /** `body`: the part of the event that depends on the connection. */
  readonly textOf: (notification: Notification, body: Json, described: Members) => Json
}

/** Throws `Refused`. */
export type Operation = (request: OperationRequest) => Change

/** A frame of a WebSocket that changes its subscription. */
export interface OperationRequest {
  readonly frame: unknown
  readonly before: Subscription
  readonly limits: SubscriptionLimits
  readonly actionsVersion?: string | undefined
}

/** What a frame has changed. */
export interface Change {
  /** The acknowledgement. */
  readonly status: string
  readonly subscription: Subscription
}

/** An event as a protocol sends it. */
export interface Notification {
  readonly type: string
  readonly event: ChainEvent
  /** Of the trace, for those who get it; undefined: it leaves open what becomes of the rest. */
  readonly finality: Finality | undefined
  /** Of snapshots, of which a newer one replaces an older one that waits. */
  readonly snapshotOf: string | undefined
}

/** A notification for one connection that may want it. */
export interface Candidate {
  readonly notification: Notification
  readonly subscription: Subscription
  /** Those of the connection that the event concerns. */
  readonly accounts: readonly string[]
  /** Whether blocks are known before they are final. */
  readonly confirms: boolean
}

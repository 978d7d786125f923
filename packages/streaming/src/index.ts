// Subscriptions and events of the streaming API, without connections.

export { actionReplyFor } from './event-share.ts'
export type {
  ActionPart,
  ActionsEvent,
  ChainEvent,
  Descriptions,
  JettonEvent,
  StateEvent,
  TraceEvent,
  TransactionPart,
  TransactionsEvent,
} from './events.ts'
export { eventText } from './events.ts'
export { type Finality, lower } from './finality.ts'
export { EventHub, type HubPorts } from './hub.ts'
export { CLOSE, type Frame, Outbox, type Transport } from './outbox.ts'
export type { Protocol } from './protocol.ts'
export { V1 } from './protocol-v1.ts'
export { V2 } from './protocol-v2.ts'
export { errorText, Refused, statusText } from './refusal.ts'
export { idOf, Session } from './session.ts'
export { Subscriber, type Subscribers } from './subscribers.ts'
export { type Beginning, checkLimits, type Subscription } from './subscription.ts'

export { makeWebhooksDueAfterSetBack } from './after-set-back.ts'
export { claimEvents, prolongEvent, releaseEvent } from './claim-events.ts'
export { acceptEvent, dropEvent, failEvent, failText } from './delivery-outcomes.ts'
export { type DueWebhook, dueWebhooks, passBlocks } from './due-webhooks.ts'
export { limitOutbox } from './limit-outbox.ts'
export type { OutboxEvent } from './outbox-event.ts'
export {
  type DeadEvent,
  deleteWebhook,
  discardDead,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type NewWebhook,
  type Retried,
  retryWebhook,
  type WebhookStatus,
} from './registry.ts'
export { rotateSecret } from './secrets.ts'

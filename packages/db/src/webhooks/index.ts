export {
  acceptEvent,
  claimEvents,
  type DueWebhook,
  dropEvent,
  dueWebhooks,
  type FailedDelivery,
  failEvent,
  type OutboxEvent,
  passBlocks,
  releaseEvent,
  tendOutbox,
} from './outbox.ts'
export {
  COUNTED_EVENTS,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  type NewWebhook,
  retryWebhook,
  type WebhookStatus,
} from './registry.ts'

// Events of the outbox: written and delivered.
export { WebhookDispatcher } from './dispatcher.ts'

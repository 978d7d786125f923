export { keysByHash } from './by-hash.ts'
export { listCrossing } from './crossing.ts'
export { type StoredMessage, withCode } from './init-state.ts'
export { receivedLater } from './late-receivers.ts'
export { listMessages, type MessageListFilter } from './list-messages.ts'
export { beforeMessage, receivedSoon, receiverOf, wasSentBy } from './message-ends.ts'
export {
  type AccountFilter,
  accountOf,
  crossedLists,
  type MessageFilter,
  messageConditions,
  namesOneList,
} from './message-filter.ts'
export { loadEnds, messageParts } from './message-parts.ts'
export {
  isUnsent,
  MESSAGE_COLUMNS,
  MESSAGE_TYPES,
  type MessageKey,
  type MessageRow,
  messageKey,
} from './message-rows.ts'
export type { MessageList, Side } from './message-scan.ts'
export { messagesWithBody } from './with-body.ts'

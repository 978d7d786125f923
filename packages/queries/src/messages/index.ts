export { ltsOfMessages } from './by-hash.ts'
export { listCrossing } from './crossing.ts'
export { type StoredMessage, withCode } from './init-state.ts'
export { listMessages, type MessageListFilter, type Side } from './list-messages.ts'
export { beforeMessage, receiverOf, wasSentBy } from './message-ends.ts'
export {
  type AccountFilter,
  accountOf,
  crossedLists,
  type MessageFilter,
  messageConditions,
  messagesWith,
  namesOneList,
} from './message-filter.ts'
export { type MessageEnds, messageParts, toEnds } from './message-parts.ts'
export {
  isUnsent,
  MESSAGE_COLUMNS,
  MESSAGE_TYPES,
  type MessageKey,
  type MessageRow,
  messageKey,
} from './message-rows.ts'
export type { MessageList } from './message-scan.ts'
export { messagesWithBody } from './with-body.ts'

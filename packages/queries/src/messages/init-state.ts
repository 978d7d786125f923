import { joinInitState } from '@shardwalk/db'
import type { MessageRow } from './message-rows.ts'

/** A message as it is stored, and the code that was taken out of its state-init (docs/schema.md). */
export interface StoredMessage extends MessageRow {
  readonly code: Buffer | null
}

/**
 * The message with its complete state-init. Called for each message when it is printed: doing so for all
 * messages of a page at once takes long.
 */
export function withCode(message: MessageRow, code: Buffer | null | undefined): MessageRow {
  const { init_state: stored } = message
  return stored && code
    ? { ...message, init_state: joinInitState(stored, code), init_code_hash: null }
    : message
}

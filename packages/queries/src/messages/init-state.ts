import { joinInitState } from '@shardwalk/db'
import type { MessageRow } from './message-rows.ts'

/** The message with its complete state-init; the stored one lacks the code (docs/schema.md). */
export function withCode(message: MessageRow, code: Buffer | null | undefined): MessageRow {
  if (!message.init_state || !code) return message
  return { ...message, init_state: joinInitState(message.init_state, code), init_code_hash: null }
}

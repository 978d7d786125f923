import { joinInitState } from '@shardwalk/db'
import type { MessageRow } from './message-rows.ts'

/** The same message with its whole state-init: the stored one lacks its code (docs/schema.md). */
export function withCode(message: MessageRow, code: Buffer | null | undefined): MessageRow {
  if (!message.init_state || !code) return message
  return { ...message, init_state: joinInitState(message.init_state, code), init_code_hash: null }
}

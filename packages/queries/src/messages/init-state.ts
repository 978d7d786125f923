import { joinInitState } from '@shardwalk/db'
import type { MessageRow } from './message-rows.ts'

/**
 * The message with its complete state-init; the stored one lacks the code (docs/schema.md). It is put
 * together when it is read for the first time: doing so for all messages of a page at once takes long.
 */
export function withCode(message: MessageRow, code: Buffer | null | undefined): MessageRow {
  const { init_state: stored } = message
  if (!stored || !code) return message
  let whole: Buffer | undefined
  return {
    ...message,
    get init_state() {
      whole ??= joinInitState(stored, code)
      return whole
    },
    init_code_hash: null,
  }
}

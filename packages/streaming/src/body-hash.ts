import type { TransactionPart } from './events.ts'

interface Reply {
  readonly in_msg: { readonly message_content: { readonly hash: string } | null } | null
}

/** Of transactions that were looked at for some connection. */
const HASHES = new WeakMap<TransactionPart, string | undefined>()

/**
 * Hash of the body of the message that the transaction received, standard base64; undefined: it received
 * none. Read from the reply, because few connections ask for it.
 */
export function bodyHashOf(part: TransactionPart): string | undefined {
  if (HASHES.has(part)) return HASHES.get(part)
  const { in_msg: message } = JSON.parse(part.reply) as Reply
  const hash = message?.message_content?.hash
  HASHES.set(part, hash)
  return hash
}

import { opcode } from './declared.ts'

/**
 * What any contract may send or get. Source: docs.ton.org, "Internal messages"; ton,
 * crypto/block/transaction.cpp.
 */
export const MESSAGE = {
  /** Snake text follows. */
  textComment: opcode('text_comment'),
  /**
   * Snake bytes follow that only sender and receiver can read. Source: docs.ton.org, "Message encryption".
   */
  encryptedComment: opcode('encrypted_text_comment'),
  /** Put before the first 256 bits of a body that came back. Source: `prepare_bounce_phase`. */
  bounced: opcode('bounce'),
} as const

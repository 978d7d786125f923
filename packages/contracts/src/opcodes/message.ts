import { opcode } from './declared.ts'

/**
 * Opcodes that any contract may send or receive. Source: docs.ton.org, "Internal messages"; ton,
 * crypto/block/transaction.cpp.
 */
export const MESSAGE = {
  /** Snake text follows. */
  textComment: opcode('text_comment'),
  /**
   * Snake bytes follow that only sender and receiver can decrypt. Source: docs.ton.org, "Message encryption".
   */
  encryptedComment: opcode('encrypted_text_comment'),
  /** Precedes the first 256 bits of the body in a bounced message. Source: `prepare_bounce_phase`. */
  bounced: opcode('bounce'),
  /**
   * The body of a bounced message whose sender asked for more than 256 bits of it, since global version 12.
   * Source: ton, doc/GlobalVersions.md; block.tlb `new_bounce_body#fffffffe original_body:^Cell …`.
   */
  newBounced: opcode('new_bounce_body'),
} as const

/** Opcodes of messages that came back. */
export const BOUNCES: readonly number[] = [MESSAGE.bounced, MESSAGE.newBounced]

import { EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import type { MessageRow } from './message-rows.ts'

/**
 * True if this is the full hash of the body. Bodies are found by 8 bytes of their hash, which others may
 * share.
 */
export function hasBody({ body }: Pick<MessageRow, 'body'>, hash: Buffer): boolean {
  if (body === null) return EMPTY_CELL.hash().equals(hash)
  const bag = parseBoc(body, { allowLevel: true })
  return bag.hash(bag.root).equals(hash)
}

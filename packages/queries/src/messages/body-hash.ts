import { EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import type { MessageRow } from './message-rows.ts'

/**
 * Whether this is the whole hash of the body: the tables find bodies by 8 bytes of it, which others may
 * share.
 */
export function hasBody({ body }: Pick<MessageRow, 'body'>, hash: Buffer): boolean {
  if (body === null) return EMPTY_CELL.hash().equals(hash)
  const bag = parseBoc(body, { allowLevel: true })
  return bag.hash(bag.root).equals(hash)
}

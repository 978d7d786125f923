import { decodePrefix, encodeBoxed, overlayMessage, overlayQuery } from '@shardwalk/tl'

/** A query to members of an overlay: the function follows the prefix. */
export const overlayQueryOf = (overlay: Buffer, query: Buffer): Buffer =>
  Buffer.concat([encodeBoxed(overlayQuery, { overlay }, 36), query])

/** A message to members of an overlay. */
export const overlayMessageOf = (overlay: Buffer, message: Buffer): Buffer =>
  Buffer.concat([encodeBoxed(overlayMessage, { overlay }, 36), message])

/** The overlay that a query or message is for, and what follows; undefined if it is for none. */
export function withoutOverlayPrefix(
  bytes: Buffer,
): { readonly overlay: Buffer; readonly rest: Buffer } | undefined {
  const prefixed = decodePrefix(overlayQuery, bytes) ?? decodePrefix(overlayMessage, bytes)
  return prefixed && { overlay: prefixed.value.overlay, rest: prefixed.rest }
}

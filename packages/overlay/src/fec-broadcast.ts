import { publicKeyId, sha256 } from '@shardwalk/adnl'
import {
  broadcastFecId,
  broadcastFecPartId,
  broadcastToSign,
  encodeBoxed,
  encodeUnion,
  fecType,
  type OverlayBroadcast,
} from '@shardwalk/tl'

/** One symbol of a broadcast that is sent in parts. */
export type FecPart = Extract<OverlayBroadcast, { kind: 'overlay.broadcastFec' }>

/** Bit of `flags`: the id does not depend on who sends it. */
export const ANY_SENDER = 1
/** What takes the place of the sender in such an id. */
export const NO_SOURCE = Buffer.alloc(32)
/** Longer payloads are cut into symbols. Source: ton-blockchain/ton, overlay/overlays.h. */
export const MAX_SIMPLE_SIZE = 768
/** Bytes of a symbol of a broadcast; the last one is padded. */
export const SYMBOL_SIZE = 768

/** Id that all parts of a broadcast have. Source: ton-blockchain/ton, overlay/broadcast-fec.cpp. */
export const fecBroadcastId = ({ src, fec, dataHash, dataSize, flags }: FecPart): Buffer =>
  sha256(
    encodeBoxed(broadcastFecId, {
      src: (flags & ANY_SENDER) === 0 ? publicKeyId(src) : NO_SOURCE,
      type: sha256(encodeUnion(fecType, fec)),
      dataHash,
      size: dataSize,
      flags,
    }),
  )

/** What the source signs of a part. */
export function signedPartBytes(broadcastHash: Buffer, { data, seqno, date }: FecPart): Buffer {
  const part = encodeBoxed(broadcastFecPartId, { broadcastHash, dataHash: sha256(data), seqno })
  return encodeBoxed(broadcastToSign, { hash: sha256(part), date })
}

/** Whether the numbers of a part agree with each other and the rules of nodes. */
export function isWellFormed({ fec, dataSize, seqno, data }: FecPart, maxSize: number): boolean {
  const { symbolSize, symbolsCount } = fec
  if (dataSize < 1 || dataSize > maxSize || fec.dataSize !== dataSize) return false
  if (symbolSize !== SYMBOL_SIZE || data.length !== SYMBOL_SIZE) return false
  return symbolsCount === Math.ceil(dataSize / SYMBOL_SIZE) && seqno < 2 * symbolsCount + 4
}

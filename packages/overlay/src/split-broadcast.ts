import { type AdnlKey, publicKeyId, sha256 } from '@shardwalk/adnl'
import { BlockEncoder, symbolCount } from '@shardwalk/raptorq'
import { broadcastId, broadcastToSign, encodeBoxed, encodeUnion, overlayBroadcast } from '@shardwalk/tl'
import {
  ANY_SENDER,
  type FecPart,
  fecBroadcastId,
  MAX_SIMPLE_SIZE,
  SYMBOL_SIZE,
  signedPartBytes,
} from './fec-broadcast.ts'

interface Sender {
  readonly key: AdnlKey
  readonly unixTime: number
}

/** The messages of a broadcast that is as small as external messages are, or not. */
export function* broadcastMessages(payload: Buffer, sender: Sender): Generator<Buffer> {
  if (payload.length <= MAX_SIMPLE_SIZE) yield simpleBroadcast(payload, sender)
  else yield* splitBroadcast(payload, sender)
}

function simpleBroadcast(data: Buffer, { key, unixTime }: Sender): Buffer {
  const src = { kind: 'pub.ed25519' as const, key: key.publicKey }
  const date = Math.floor(unixTime)
  const id = sha256(encodeBoxed(broadcastId, { src: publicKeyId(src), dataHash: sha256(data), flags: 0 }))
  const signature = key.sign(encodeBoxed(broadcastToSign, { hash: id, date }))
  const certificate = { kind: 'overlay.emptyCertificate' as const }
  return encodeUnion(overlayBroadcast, {
    kind: 'overlay.broadcast',
    src,
    certificate,
    flags: 0,
    data,
    date,
    signature,
  })
}

/**
 * The messages of a broadcast: as many symbols as the payload has, and the same number of repair symbols.
 * Source: ton-blockchain/ton, overlay/broadcast-fec.cpp.
 */
export function* splitBroadcast(payload: Buffer, { key, unixTime }: Sender): Generator<Buffer> {
  const shape = { dataSize: payload.length, symbolSize: SYMBOL_SIZE }
  const symbolsCount = symbolCount(shape)
  const encoder = new BlockEncoder(payload, SYMBOL_SIZE)
  const common = {
    kind: 'overlay.broadcastFec' as const,
    src: { kind: 'pub.ed25519' as const, key: key.publicKey },
    certificate: { kind: 'overlay.emptyCertificate' as const },
    dataHash: sha256(payload),
    dataSize: payload.length,
    flags: ANY_SENDER,
    fec: { kind: 'fec.raptorQ' as const, ...shape, symbolsCount },
    date: Math.floor(unixTime),
  }
  for (let seqno = 0; seqno < 2 * symbolsCount; seqno++) {
    const part: FecPart = { ...common, seqno, data: encoder.symbol(seqno), signature: Buffer.alloc(0) }
    const signature = key.sign(signedPartBytes(fecBroadcastId(part), part))
    yield encodeUnion(overlayBroadcast, { ...part, signature })
  }
}

import { type AdnlKey, sha256 } from '@shardwalk/adnl'
import { BlockEncoder, symbolCount } from '@shardwalk/raptorq'
import { encodeUnion, overlayBroadcast } from '@shardwalk/tl'
import { ANY_SENDER, type FecPart, fecBroadcastId, SYMBOL_SIZE, signedPartBytes } from './fec-broadcast.ts'

/**
 * The messages of a broadcast: as many symbols as the payload has, and the same number of repair symbols.
 * Source: ton-blockchain/ton, overlay/broadcast-fec.cpp.
 */
export function* splitBroadcast(
  payload: Buffer,
  { key, unixTime }: { readonly key: AdnlKey; readonly unixTime: number },
): Generator<Buffer> {
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

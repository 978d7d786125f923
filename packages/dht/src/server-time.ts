import { decodeUnion, dhtAnswer, dhtFunction, encodeUnion } from '@shardwalk/tl'
import { type DhtServer, isSelfSigned } from './server.ts'

/** Asks a server for its own entry, which it signs anew each time. */
export const TIME_QUESTION = encodeUnion(dhtFunction, { kind: 'dht.getSignedAddressList' })

/**
 * Unix seconds by the clock of the server when it answered `TIME_QUESTION`; undefined if it has not signed
 * the answer. Throws `DecodeError`. Source: ton-blockchain/ton, dht/dht.cpp, get_self_node.
 */
export function serverTime(answer: Buffer, { publicKey }: DhtServer): number | undefined {
  const node = decodeUnion(dhtAnswer, answer)
  if (node.kind !== 'dht.node' || node.id.kind !== 'pub.ed25519' || !node.id.key.equals(publicKey))
    return undefined
  return isSelfSigned(node) ? node.version : undefined
}

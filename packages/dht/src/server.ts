import { isUsableKey, publicKeyId, type UdpAddress, udpAddressOf, verifySignature } from '@shardwalk/adnl'
import { type DhtNode, dhtNode, encodeBoxed } from '@shardwalk/tl'

/** A server of the hash table according to its own signed entry. */
export interface DhtServer {
  readonly id: Buffer
  readonly publicKey: Buffer
  readonly address: UdpAddress
  readonly version: number
}

const SIGNATURE = 64
const NETWORK_ID = 4

/**
 * The server that an entry describes; undefined if its signature is wrong or it has no address that we can
 * reach. Source: ton-blockchain/ton, dht/dht-node.cpp.
 */
export function serverOf(node: DhtNode, unixTime: number): DhtServer | undefined {
  const address = udpAddressOf(node.addrList, unixTime)
  if (node.id.kind !== 'pub.ed25519' || node.version === 0 || !address || !isSelfSigned(node))
    return undefined
  return { id: publicKeyId(node.id), publicKey: node.id.key, address, version: node.version }
}

/** The servers among the entries of a list, see `serverOf`. */
export const serversOf = (nodes: readonly DhtNode[], unixTime: number): readonly DhtServer[] =>
  nodes.map((node) => serverOf(node, unixTime)).filter((server) => server !== undefined)

/** Whether a server has signed its entry. Networks with an id put it before the signature and sign it too. */
export function isSelfSigned(node: DhtNode): boolean {
  const prefix = node.signature.length - SIGNATURE
  if (node.id.kind !== 'pub.ed25519' || (prefix !== 0 && prefix !== NETWORK_ID)) return false
  const signed = encodeBoxed(dhtNode, { ...node, signature: node.signature.subarray(0, prefix) })
  return verifySignature(node.id.key, signed, node.signature.subarray(prefix)) && isUsableKey(node.id.key)
}

import { type AdnlKey, ipNumber, publicKeyId, type UdpAddress } from '@shardwalk/adnl'
import {
  addressList,
  type DhtNode,
  type DhtValue,
  dhtKeyDescription,
  dhtNode,
  dhtValue,
  encodeBoxed,
  type OverlayNode,
  overlayNodes,
} from '@shardwalk/tl'
import { addressKey, overlayNodesKey } from './keys.ts'

const NOTHING = Buffer.alloc(0)
const TTL_SECONDS = 3_600

/** Who signs what and when. */
export interface SignOptions {
  readonly key: AdnlKey
  /** IPv4. */
  readonly address: UdpAddress
  /** Unix seconds. */
  readonly unixTime: number
}

const addressesOf = ({ address, unixTime }: SignOptions) => ({
  addrs: [{ kind: 'adnl.address.udp' as const, ip: ipNumber(address.host), port: address.port }],
  version: Math.floor(unixTime),
  reinitDate: Math.floor(unixTime),
  priority: 0,
  expireAt: 0,
})
const publicKeyOf = (key: AdnlKey) => ({ kind: 'pub.ed25519', key: key.publicKey }) as const

/** Entry of a server of the hash table. */
export function signServer(options: SignOptions): DhtNode {
  const { key, unixTime } = options
  const node = {
    id: publicKeyOf(key),
    addrList: addressesOf(options),
    version: Math.floor(unixTime),
    signature: NOTHING,
  }
  return { ...node, signature: key.sign(encodeBoxed(dhtNode, node)) }
}

/** Value that says where a node is. */
export function signAddress(options: SignOptions): DhtValue {
  const { key, unixTime } = options
  const id = publicKeyOf(key)
  const description = {
    key: addressKey(publicKeyId(id)),
    id,
    updateRule: { kind: 'dht.updateRule.signature' } as const,
    signature: NOTHING,
  }
  const value = {
    key: { ...description, signature: key.sign(encodeBoxed(dhtKeyDescription, description)) },
    value: encodeBoxed(addressList, addressesOf(options)),
    ttl: Math.floor(unixTime) + TTL_SECONDS,
    signature: NOTHING,
  }
  return { ...value, signature: key.sign(encodeBoxed(dhtValue, value)) }
}

/** Value that names members of an overlay. They have signed for themselves. */
export function membersValue(
  overlay: { readonly name: Buffer; readonly id: Buffer },
  nodes: readonly OverlayNode[],
  unixTime: number,
): DhtValue {
  return {
    key: {
      key: overlayNodesKey(overlay.id),
      id: { kind: 'pub.overlay', name: overlay.name },
      updateRule: { kind: 'dht.updateRule.overlayNodes' },
      signature: NOTHING,
    },
    value: encodeBoxed(overlayNodes, { nodes }),
    ttl: Math.floor(unixTime) + TTL_SECONDS,
    signature: NOTHING,
  }
}

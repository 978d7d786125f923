import type { ChannelDirection } from './datagram.ts'
import { type AdnlKey, publicKeyId } from './keys.ts'

/** A channel between two nodes: cheaper than datagrams to a node, for it needs no key exchange for each. */
export interface Channel {
  readonly incoming: ChannelDirection
  readonly outgoing: ChannelDirection
}

/** What both ends of a channel know: 32-byte ids, and an ed25519 key of each for this channel. */
export interface ChannelEnds {
  /** Ids of the two nodes. */
  readonly ownId: Buffer
  readonly peerId: Buffer
  /** Keys that each side made for this channel. */
  readonly ownKey: AdnlKey
  readonly peerKey: Buffer
}

/** Throws if the peer's key is a point of small order. Source: ton-blockchain/ton, adnl/adnl-channel.cpp. */
export function openChannel({ ownId, peerId, ownKey, peerKey }: ChannelEnds): Channel {
  const secret = ownKey.sharedSecret(peerKey)
  const reversed = Buffer.from(secret).reverse()
  const order = Buffer.compare(ownId, peerId)
  return {
    incoming: directionOf(order > 0 ? reversed : secret),
    outgoing: directionOf(order < 0 ? reversed : secret),
  }
}

const directionOf = (key: Buffer): ChannelDirection => ({ id: publicKeyId({ kind: 'pub.aes', key }), key })

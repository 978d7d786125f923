export { type Channel, type ChannelEnds, openChannel } from './channel.ts'
export type { NodeClock, RandomBytes } from './clock.ts'
export {
  addresseeOf,
  type ChannelDirection,
  openForChannel,
  openForNode,
  sealForChannel,
  sealForNode,
} from './datagram.ts'
export { AdnlKey, isUsableKey, montgomeryU, publicKeyId, sha256, shortId, verifySignature } from './keys.ts'
export { cutMessage, MessageParts, type MessagePartsOptions } from './message-parts.ts'
export { isSignedBy, type Packet, readPacket, signedPacket } from './packet.ts'
export { type AdnlCounts, type AdnlLimits, AdnlNode, type AdnlNodeOptions } from './peer/adnl-node.ts'
export type { AdnlPeer } from './peer/adnl-peer.ts'
export { NoAnswer } from './peer/open-queries.ts'
export { RoundTrip, type RoundTripLimits } from './peer/round-trip.ts'
export { ipNumber, type UdpAddress, udpAddressOf } from './peer/udp-address.ts'
export { SeqnoWindow } from './seqno-window.ts'

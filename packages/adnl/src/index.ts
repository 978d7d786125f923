export { type Channel, type ChannelEnds, openChannel } from './channel.ts'
export {
  ADDRESSEE_LENGTH,
  addresseeOf,
  type ChannelDirection,
  MAX_DATAGRAM,
  openForChannel,
  openForNode,
  sealForChannel,
  sealForNode,
} from './datagram.ts'
export { AdnlKey, montgomeryU, publicKeyId, sha256, shortId, verifySignature } from './keys.ts'
export { cutMessage, MessageParts, type MessagePartsOptions } from './message-parts.ts'
export { isSignedBy, type Packet, readPacket, signedPacket } from './packet.ts'
export { SeqnoWindow } from './seqno-window.ts'

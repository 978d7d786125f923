export { type AdnlMessage, type AdnlMessages, decodeAdnl, encodeAdnl } from './adnl.ts'
export { decodePrefix, decodeUnion, encodeBoxed, encodeUnion } from './codec.ts'
export {
  decodeCandidateHashData,
  encodeCandidateHashData,
  encodeFinalizeVote,
  encodeSignedBlockId,
} from './consensus.ts'
export {
  decodeAnswer,
  decodeFunction,
  decodeObject,
  decodeObjectAs,
  encodeAnswer,
  encodeError,
  encodeFunction,
  encodeObject,
  functionNameOf,
  LITE_ERROR_ID,
  type LiteArguments,
  type LiteCall,
  type LiteFunctionName,
  type LiteResults,
} from './lite-api.ts'
export { LITE_ERROR } from './lite-errors.ts'
export { LITE_MODE } from './lite-modes.ts'
export {
  type AdnlAddressList,
  addressList,
  decodePacketContents,
  decodePeerMessage,
  encodePacketContents,
  encodePeerMessage,
  type PacketContents,
  type PeerMessage,
} from './peers/adnl-udp.ts'
export {
  type DhtAnswer,
  type DhtFunction,
  type DhtKey,
  type DhtNode,
  type DhtValue,
  dhtAnswer,
  dhtFunction,
  dhtKey,
  dhtKeyDescription,
  dhtNode,
  dhtValue,
} from './peers/dht.ts'
export {
  broadcastFecId,
  broadcastFecPartId,
  broadcastId,
  broadcastToSign,
  certificateId,
  certificateIdV2,
  type OverlayBroadcast,
  type OverlayCertificate,
  type OverlayNode,
  overlayAnswer,
  overlayBroadcast,
  overlayFunction,
  overlayMessage,
  overlayNodes,
  overlayNodeToSign,
  overlayQuery,
} from './peers/overlay.ts'
export { encodePublicKey, type PublicKey } from './peers/public-key.ts'
export {
  fecType,
  isRldp2Datagram,
  type Rldp2Datagram,
  type RldpMessage,
  rldp2Datagram,
  rldpMessage,
} from './peers/rldp.ts'
export {
  blockBroadcastCompressedData,
  type DataFull,
  decodeTonNodeAnswer,
  FORGET_PEER,
  isForgetPeer,
  shardPublicOverlayId,
  type TonNodeAnswer,
  type TonNodeBroadcast,
  type TonNodeFunction,
  tonNodeAnswer,
  tonNodeBroadcast,
  tonNodeFunction,
} from './peers/ton-node.ts'
export { decodeQuery, encodeQuery, type WaitPrefix } from './query.ts'
export type { LiteObject } from './registry.ts'

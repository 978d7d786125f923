import { type Boxed, bytes, type Infer, int256, object, uint32, union, vector } from '../codec.ts'
import { publicKey, shortId } from './public-key.ts'
import { fecType } from './rldp.ts'

/** Membership in an overlay, signed by the member. `version`: Unix seconds of signing. */
export const overlayNode = object('overlay.node', 0xb86b8a83, {
  id: publicKey,
  overlay: int256,
  version: uint32,
  signature: bytes,
})
export type OverlayNode = Infer<typeof overlayNode>

/** What a member signs. */
export const overlayNodeToSign = object('overlay.node.toSign', 0x03d8a8e1, {
  id: shortId,
  overlay: int256,
  version: uint32,
})
/** Members that a node knows, as question and answer of `overlay.getRandomPeers`. */
export const overlayNodes = object('overlay.nodes', 0xe487290e, { nodes: vector(overlayNode) })

/** Permission to broadcast, signed by its issuer. `expireAt`: Unix seconds. */
export const CERTIFICATES = [
  object('overlay.emptyCertificate', 0x32dabccf, {}),
  object('overlay.certificate', 0xe09ed731, {
    issuedBy: publicKey,
    expireAt: uint32,
    maxSize: uint32,
    signature: bytes,
  }),
  object('overlay.certificateV2', 0xb43f9c83, {
    issuedBy: publicKey,
    expireAt: uint32,
    maxSize: uint32,
    flags: uint32,
    signature: bytes,
  }),
] as const
export type OverlayCertificate = Boxed<(typeof CERTIFICATES)[number]>
const certificate = union('overlay.Certificate', ...CERTIFICATES)

/** `date`: Unix seconds. */
export const OVERLAY_BROADCASTS = [
  object('overlay.broadcast', 0xb15a2b6b, {
    src: publicKey,
    certificate,
    flags: uint32,
    data: bytes,
    date: uint32,
    signature: bytes,
  }),
  object('overlay.broadcastFec', 0xbad7c36a, {
    src: publicKey,
    certificate,
    dataHash: int256,
    dataSize: uint32,
    flags: uint32,
    data: bytes,
    seqno: uint32,
    fec: fecType,
    date: uint32,
    signature: bytes,
  }),
  object('overlay.broadcastFecShort', 0xf1881342, {
    src: publicKey,
    certificate,
    broadcastHash: int256,
    partDataHash: int256,
    seqno: uint32,
    signature: bytes,
  }),
] as const
export type OverlayBroadcast = Boxed<(typeof OVERLAY_BROADCASTS)[number]>
export const overlayBroadcast = union('overlay.Broadcast', ...OVERLAY_BROADCASTS)

/** Objects of which the hash or a signature is taken. */
export const broadcastId = object('overlay.broadcast.id', 0x51fd789a, {
  src: int256,
  dataHash: int256,
  flags: uint32,
})
/** `type`: SHA-256 of the boxed `fec.Type`; `size`: bytes of the whole payload. */
export const broadcastFecId = object('overlay.broadcastFec.id', 0xfb3155a6, {
  src: int256,
  type: int256,
  dataHash: int256,
  size: uint32,
  flags: uint32,
})
/** `dataHash`: SHA-256 of the symbol, of which `seqno` is the number. */
export const broadcastFecPartId = object('overlay.broadcastFec.partId', 0xa46962d0, {
  broadcastHash: int256,
  dataHash: int256,
  seqno: uint32,
})
/** `hash`: of the id of the broadcast or of its part. `date`: Unix seconds. */
export const broadcastToSign = object('overlay.broadcast.toSign', 0xfa374e7c, { hash: int256, date: uint32 })
/** What the issuer of a certificate signs. `node`: short id of who may broadcast. */
export const certificateId = object('overlay.certificateId', 0x8fae60b9, {
  overlayId: int256,
  node: int256,
  expireAt: uint32,
  maxSize: uint32,
})
/** The same for `overlay.certificateV2`. */
export const certificateIdV2 = object('overlay.certificateIdV2', 0xfc6cd2a7, {
  overlayId: int256,
  node: int256,
  expireAt: uint32,
  maxSize: uint32,
  flags: uint32,
})

/** Prefixes: what follows is a function, or a broadcast. */
export const overlayQuery = object('overlay.query', 0xccfd8443, { overlay: int256 })
export const overlayMessage = object('overlay.message', 0x75252420, { overlay: int256 })

/** Source: ton_api.tl, functions of `overlay`. */
export const MEMBER_FUNCTIONS = [
  object('overlay.getRandomPeers', 0x48ee64ab, { peers: overlayNodes }),
  object('overlay.ping', 0x690cb481, {}),
] as const
/** Queries between members about the overlay itself. */
export const overlayFunction = union('overlay.Function', ...MEMBER_FUNCTIONS)

export const pong = object('overlay.pong', 0x67700804, {})
/** Answers to `overlayFunction`. */
export const overlayAnswer = union('overlay.Answer', overlayNodes, pong)

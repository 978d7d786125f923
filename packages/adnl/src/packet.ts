import { DecodeError } from '@shardwalk/model'
import {
  decodePacketContents,
  encodePacketContents,
  type PacketContents,
  type PeerMessage,
} from '@shardwalk/tl'
import { type AdnlKey, shortId, verifySignature } from './keys.ts'

/** Bits of `flags` that have a meaning. */
const KNOWN_FLAGS = 0x1fff
const SIGNATURE_FLAG = 0x800

/** A packet as its receiver sees it. */
export interface Packet extends PacketContents {
  /** All messages, of which the first form has one and the second several. */
  readonly all: readonly PeerMessage[]
}

/** Contents of a packet. Throws `DecodeError` if it is not valid TL or contradicts itself. */
export function readPacket(contents: Buffer): Packet {
  const packet = decodePacketContents(contents)
  const { flags, message, messages, from, fromShort } = packet
  if ((flags & ~KNOWN_FLAGS) !== 0)
    throw new DecodeError('adnl.packetContents.flags', `${flags.toString(16)} has unknown bits`)
  if (message && messages)
    throw new DecodeError('adnl.packetContents.messages', 'stands beside a single message')
  if (from && fromShort && !shortIdOf(from)?.equals(fromShort.id))
    throw new DecodeError('adnl.packetContents.from_short', 'is not the id of the sender')
  return { ...packet, all: message ? [message] : (messages ?? []) }
}

const shortIdOf = (key: NonNullable<PacketContents['from']>): Buffer | undefined =>
  key.kind === 'pub.ed25519' ? shortId(key.key) : undefined

/** Contents without a signature, as packets in channels have them. */
export const plainPacket = (packet: PacketContents): Buffer => encodePacketContents(packet)

/** Signed contents, as packets outside of channels have them. */
export const signedPacket = (key: AdnlKey, packet: PacketContents): Buffer =>
  encodePacketContents({ ...packet, signature: key.sign(signedBytes(packet)) })

/** Whether the packet is signed by an ed25519 public key. */
export function isSignedBy(publicKey: Buffer, packet: PacketContents): boolean {
  const { signature } = packet
  if (signature?.length !== 64) return false
  return verifySignature(publicKey, signedBytes(packet), signature)
}

/** The packet without its signature. Source: ton-blockchain/ton, adnl/adnl-packet.cpp. */
function signedBytes({ signature: _, ...packet }: PacketContents): Buffer {
  return encodePacketContents({ ...packet, flags: packet.flags & ~SIGNATURE_FLAG })
}

import { QUERY_MESSAGES } from '../adnl.ts'
import { TlProblem } from '../bytes.ts'
import {
  type Boxed,
  bytes,
  decodeWhole,
  encodeBoxed,
  encodeUnion,
  hex,
  type Infer,
  int32,
  int128,
  int256,
  nat,
  object,
  uint32,
  uint64,
  union,
  vector,
  when,
} from '../codec.ts'
import { publicKey, shortId } from './public-key.ts'

/** Where a node listens. Source: ton_api.tl, adnl.Address. */
export const ADNL_ADDRESSES = [
  object('adnl.address.udp', 0x670da6e7, { ip: int32, port: int32 }),
  object('adnl.address.udp6', 0xe31d63fa, { ip: int128, port: int32 }),
  object('adnl.address.tunnel', 0x092b02eb, { to: int256, pubkey: publicKey }),
  object('adnl.address.reverse', 0x27795286, {}),
  object('adnl.address.quic', 0x78017253, { ip: int32, port: int32 }),
] as const
const address = union('adnl.Address', ...ADNL_ADDRESSES)

/** Dates and `expireAt` in Unix seconds; `version` grows with every change. */
export const addressList = object('adnl.addressList', 0x2227e658, {
  addrs: vector(address),
  version: uint32,
  reinitDate: uint32,
  priority: int32,
  expireAt: uint32,
})
export type AdnlAddressList = Infer<typeof addressList>

/** Messages of packets between nodes. Source: ton_api.tl, adnl.Message. */
export const PEER_MESSAGES = [
  object('adnl.message.createChannel', 0xe673c3bb, { key: int256, date: uint32 }),
  object('adnl.message.confirmChannel', 0x60dd1d69, { key: int256, peerKey: int256, date: uint32 }),
  object('adnl.message.custom', 0x204818f5, { data: bytes }),
  object('adnl.message.nop', 0x17f8dfda, {}),
  object('adnl.message.reinit', 0x10c20520, { date: uint32 }),
  ...QUERY_MESSAGES,
  object('adnl.message.part', 0xfd452d39, { hash: int256, totalSize: uint32, offset: uint32, data: bytes }),
] as const
export type PeerMessage = Boxed<(typeof PEER_MESSAGES)[number]>
const peerMessage = union('adnl.Message', ...PEER_MESSAGES)

/** The plain content of a datagram. Source: ton_api.tl. */
export const packetContents = object('adnl.packetContents', 0xd142cd89, {
  rand1: bytes,
  flags: nat,
  from: when(0, publicKey),
  fromShort: when(1, shortId),
  message: when(2, peerMessage),
  messages: when(3, vector(peerMessage)),
  address: when(4, addressList),
  priorityAddress: when(5, addressList),
  seqno: when(6, uint64),
  confirmSeqno: when(7, uint64),
  recvAddrListVersion: when(8, uint32),
  recvPriorityAddrListVersion: when(9, uint32),
  reinitDate: when(10, uint32),
  dstReinitDate: when(10, uint32),
  signature: when(11, bytes),
  rand2: bytes,
})
export type PacketContents = Infer<typeof packetContents>

/** Throws `DecodeError` also for bytes that follow. */
export const decodePacketContents = (bytes: Buffer): PacketContents =>
  decodeWhole('adnl.packetContents', bytes, (reader) => {
    const id = reader.uint32()
    if (id !== packetContents.id) throw new TlProblem(`unknown object ${hex(id)}`)
    return packetContents.read(reader)
  })

/** The plain content of a datagram, with its constructor id. */
export const encodePacketContents = (contents: PacketContents): Buffer =>
  encodeBoxed(packetContents, contents, 1440)

/** The message with its constructor id. */
export const encodePeerMessage = (message: PeerMessage): Buffer => encodeUnion(peerMessage, message, 1440)

/** Throws `DecodeError` also for bytes that follow. */
export const decodePeerMessage = (bytes: Buffer): PeerMessage =>
  decodeWhole('adnl.message', bytes, (reader) => peerMessage.read(reader))

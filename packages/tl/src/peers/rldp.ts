import { type Boxed, bytes, int256, object, uint32, uint64, union } from '../codec.ts'

/** How a part was divided into symbols. `roundRobin` and `online` of the scheme are not in use. */
export const fecRaptorQ = object('fec.raptorQ', 0x8b93a7e0, {
  dataSize: uint32,
  symbolSize: uint32,
  symbolsCount: uint32,
})
/** Of the codes of ton_api.tl, nodes use RaptorQ only. */
export const fecType = union('fec.Type', fecRaptorQ)

/** Datagrams of a transfer. Source: ton_api.tl, rldp2.MessagePart. */
export const RLDP2_OBJECTS = [
  object('rldp2.messagePart', 0x11480b6e, {
    transferId: int256,
    fecType,
    part: uint32,
    totalSize: uint64,
    seqno: uint32,
    data: bytes,
  }),
  object('rldp2.confirm', 0x23e69945, {
    transferId: int256,
    part: uint32,
    maxSeqno: uint32,
    receivedMask: uint32,
    receivedCount: uint32,
  }),
  object('rldp2.complete', 0x36b9081f, { transferId: int256, part: uint32 }),
] as const
export type Rldp2Datagram = Boxed<(typeof RLDP2_OBJECTS)[number]>
export const rldp2Datagram = union('rldp2.MessagePart', ...RLDP2_OBJECTS)

const RLDP2_IDS: ReadonlySet<number> = new Set(RLDP2_OBJECTS.map(({ id }) => id))
/** Whether the bytes begin with the id of one; what follows may still be malformed. */
export const isRldp2Datagram = (data: Buffer): boolean =>
  data.length >= 4 && RLDP2_IDS.has(data.readUInt32LE(0))

/** What is transferred. `timeout`: Unix seconds. Source: ton_api.tl, rldp.Message. */
export const RLDP_MESSAGES = [
  object('rldp.message', 0x7d1bcd1e, { id: int256, data: bytes }),
  object('rldp.query', 0x8a794d69, { queryId: int256, maxAnswerSize: uint64, timeout: uint32, data: bytes }),
  object('rldp.answer', 0xa3fc5c03, { queryId: int256, data: bytes }),
] as const
export type RldpMessage = Boxed<(typeof RLDP_MESSAGES)[number]>
export const rldpMessage = union('rldp.Message', ...RLDP_MESSAGES)

import type { Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'

/**
 * Typed cells of LayerZero. Source: LayerZero-Labs/LayerZero-v2, packages/layerzero-v2/ton/src/classes: every
 * one starts with 350 bits that describe its layout, a name and field types, then ones.
 */
const HEADER_BITS = 350

const LZ_SEND_NAME = BigInt(`0x${Buffer.from('lzSend').toString('hex')}`)
const LZ_SEND_HEADER = 582890735024998957421269964955452773563747974476099581n
const PACKET_HEADER = 417359019239977417716476838698419835n
const PATH_HEADER = 8903714975572488637007080065659n
const STATUS_HEADER = 38421788582694199859296615363593851n

function expectHeader(slice: Slice, bits: number, header: bigint, rest = HEADER_BITS): Slice {
  if (slice.loadUintBig(bits) !== header) throw new DecodeError('layerzero', 'not the typed cell')
  return slice.skip(rest - bits)
}

/** A message between chains; `message` is the bits of its first cell. */
export interface LayerzeroPacket {
  readonly srcEid: number
  readonly srcOapp: bigint
  readonly dstEid: number
  readonly dstOapp: bigint
  readonly nonce: bigint
  readonly guid: bigint
  readonly message: string
}

/**
 * Request of an application to send a packet to another chain. Contracts are named by their 256-bit hashes.
 */
export interface LayerzeroSend {
  readonly sendRequestId: bigint
  readonly msglibManager: bigint
  readonly msglib: bigint
  readonly packet: LayerzeroPacket
  readonly nativeFee: bigint
  readonly zroFee: bigint
}

/**
 * `send_request_id:64 msglib_manager:256 msglib:256 ^packet ^extra_options ^[connection:256 native_fee:128
 * zro_fee:128 ^ ^]`.
 */
export function loadLayerzeroSend(slice: Slice): LayerzeroSend {
  if (slice.loadUintBig(80) !== LZ_SEND_NAME) throw new DecodeError('layerzero', 'not lzSend')
  expectHeader(slice, 180, LZ_SEND_HEADER, HEADER_BITS - 80)
  const send = {
    sendRequestId: slice.loadUintBig(64),
    msglibManager: slice.loadUintBig(256),
    msglib: slice.loadUintBig(256),
  }
  const packet = loadLayerzeroPacket(slice.loadRefSlice())
  const fees = slice.skipRefs(1).loadRefSlice().skip(256)
  return { ...send, packet, nativeFee: fees.loadUintBig(128), zroFee: fees.loadUintBig(128) }
}

/** `^path ^message nonce:64 guid:256`. */
export function loadLayerzeroPacket(slice: Slice): LayerzeroPacket {
  expectHeader(slice, 152, PACKET_HEADER)
  const path = expectHeader(slice.loadRefSlice(), 152, PATH_HEADER)
  const ends = {
    srcEid: path.loadUint(32),
    srcOapp: path.loadUintBig(256),
    dstEid: path.loadUint(32),
    dstOapp: path.loadUintBig(256),
  }
  const message = slice.loadRefSlice()
  return { ...ends, nonce: slice.loadUintBig(64), guid: slice.loadUintBig(256), message: hexOf(message) }
}

const STATUSES: Readonly<Record<number, string>> = {
  1002188907: 'succeeded',
  2144056492: 'nonce_out_of_range',
  700792747: 'dvn_not_configured',
}

/** `nonce:64 status:32`: what became of a verification. */
export function loadLayerzeroStatus(slice: Slice): { readonly nonce: bigint; readonly status: string } {
  const content = expectHeader(slice, 116, STATUS_HEADER)
  const nonce = content.loadUintBig(64)
  const status = content.loadUint(32)
  return { nonce, status: STATUSES[status] ?? `unknown_${status}` }
}

/** Hex digits of whole bytes; a last half byte keeps its one digit. */
function hexOf(slice: Slice): string {
  const { bits, bytes } = slice.loadBits(slice.remainingBits)
  return `0x${bytes.toString('hex').slice(0, Math.ceil(bits / 4))}`
}

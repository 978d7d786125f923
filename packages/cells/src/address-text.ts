import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { crc16 } from './crc16.ts'

// Source: TEP-2. Tag byte, workchain byte, account id, CRC-16 of the preceding 34 bytes.
const BOUNCEABLE = 0x11
const NON_BOUNCEABLE = 0x51
const TEST_ONLY = 0x80
const FRIENDLY_BYTES = 36

const RAW = /^(-?\d{1,10}):([0-9a-fA-F]{64})$/
const FRIENDLY = /^[A-Za-z0-9+/_-]{48}$/
const INT32_MAX = 2147483647

/**
 * `UQ…`, `EQ…`, `kQ…`, `0Q…`: 48 characters of URL-safe base64; the raw form of an address whose workchain
 * has more than the one byte of the friendly form.
 */
export function formatFriendlyAddress(
  address: RawAddress,
  form: { readonly bounceable: boolean; readonly testOnly: boolean },
): string {
  if (!hasFriendlyForm(address)) return formatRawAddress(address)
  const bytes = Buffer.allocUnsafe(FRIENDLY_BYTES)
  bytes[0] = (form.bounceable ? BOUNCEABLE : NON_BOUNCEABLE) | (form.testOnly ? TEST_ONLY : 0)
  bytes[1] = address.workchain & 0xff
  address.hash.copy(bytes, 2)
  bytes.writeUInt16BE(crc16(bytes, 0, 34), 34)
  return bytes.toString('base64url')
}

/** Whether one byte holds the workchain. */
export const hasFriendlyForm = ({ workchain }: RawAddress): boolean => workchain === (workchain << 24) >> 24

/**
 * Parses `<workchain>:<64 hex>` in any case, or the user-friendly form in either base64 alphabet; undefined
 * if invalid.
 */
export function parseAddress(text: string): RawAddress | undefined {
  const raw = RAW.exec(text)
  if (raw) {
    const workchain = Number(raw[1])
    if (workchain > INT32_MAX || workchain < -INT32_MAX - 1) return undefined
    return { workchain, hash: Buffer.from(raw[2]!, 'hex') }
  }
  return FRIENDLY.test(text) ? parseFriendly(text) : undefined
}

function parseFriendly(text: string): RawAddress | undefined {
  // Buffer.from accepts both base64 alphabets, even mixed.
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length !== FRIENDLY_BYTES || bytes.readUInt16BE(34) !== crc16(bytes, 0, 34)) return undefined
  const tag = bytes[0]! & ~TEST_ONLY
  if (tag !== BOUNCEABLE && tag !== NON_BOUNCEABLE) return undefined
  return { workchain: bytes.readInt8(1), hash: Buffer.from(bytes.subarray(2, 34)) }
}

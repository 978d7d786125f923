import { parseRoot, type Slice } from '@shardwalk/cells'
import {
  decodeCell,
  type Json,
  type JsonObject,
  MESSAGE,
  readTelegramRequest,
  TELEGRAM_WALLET,
} from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import type { TraceMessage } from '../trace.ts'

/**
 * Opcode of a request to a Telegram wallet, which is behind its signature; undefined if the message is none.
 * `open`: a reader over its body.
 */
export function requestOpcode(message: TraceMessage, open: () => Slice): number | undefined {
  if (!mayBeSigned(message.body)) return undefined
  try {
    const opcode = readTelegramRequest(open())?.opcode
    return opcode === undefined || hasOwnOpcode(message) ? undefined : opcode
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Signature, opcode and header. */
const LEAST_REQUEST = 64 + 4 + 12

/** Bytes that opcodes of requests to Telegram wallets have: most bodies need not be opened. */
const SIGNED_OPCODES = [TELEGRAM_WALLET.sendOneInternal, TELEGRAM_WALLET.changeKeyInternal].map((opcode) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(opcode)
  return bytes.subarray(1, 3)
})

function mayBeSigned(body: Uint8Array | null): boolean {
  if (body === null || body.length < LEAST_REQUEST) return false
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return SIGNED_OPCODES.some((opcode) => bytes.includes(opcode))
}

/**
 * Whoever writes a comment, or the payload of a transfer, can put the opcode of a request where a wallet
 * would look for it, to hide the transfer. Such a body is what its first bits say it is, and the first
 * address in it is that of an account, which the bits of a signature are by chance alone.
 */
function hasOwnOpcode({ source, opcode, body }: TraceMessage): boolean {
  if (source === null || body === null) return false
  if (opcode === 0 || opcode === MESSAGE.encryptedComment) return true
  const decoded = decodeCell(parseRoot(body, { verifyCrc: false }))
  if (!('body' in decoded) || decoded.body['@type'] === 'tg_wallet_signed') return false
  return firstAddress(decoded.body) !== 'addr_external'
}

/** Type of the first address among decoded fields. */
function firstAddress(value: Json): string | undefined {
  if (typeof value !== 'object') return undefined
  const type = (value as JsonObject)['@type']
  if (typeof type === 'string' && type.startsWith('addr_')) return type
  for (const part of Object.values(value) as Json[]) {
    const found = firstAddress(part)
    if (found !== undefined) return found
  }
  return undefined
}

import type { Slice } from '@shardwalk/cells'
import { readable } from '../bodies/readable.ts'
import { TELEGRAM_WALLET } from '../opcodes/wallets.ts'

/** A request to a Telegram wallet: its opcode, and what follows the header. */
export interface TelegramRequest {
  readonly opcode: number
  readonly content: Slice
}

/** A change of the key that a Telegram wallet obeys. */
export interface TelegramKeyChange {
  readonly newPublicKey: Buffer
  /** Of the new key, over the address of the wallet. */
  readonly rotationSignature: Buffer
}

const SIGNATURE_BITS = 512
/** `subwalletId:uint32 validUntil:uint32 seqno:uint32`. */
const HEADER_BITS = 96

/** Bits and the least and most references after the header. */
type Form = readonly [bits: number, least: number, most: number]

/** `sendMode:uint8 ^message`; `length:uint8` and a chunk, if any; `newPublicKey:uint256` and cells. */
const ONE: Form = [8, 1, 1]
const BULK: Form = [8 + 1, 0, 1]
const KEY: Form = [256, 1, 2]

const FORMS: ReadonlyMap<number, Form> = new Map([
  [TELEGRAM_WALLET.sendOneInternal, ONE],
  [TELEGRAM_WALLET.sendOneExternal, ONE],
  [TELEGRAM_WALLET.sendBulkInternal, BULK],
  [TELEGRAM_WALLET.sendBulkExternal, BULK],
  [TELEGRAM_WALLET.changeKeyInternal, KEY],
  [TELEGRAM_WALLET.changeKeyExternal, KEY],
])

/**
 * A request to a Telegram wallet, which begins with a signature instead of an opcode; undefined: the body is
 * none. Its length tells it from the bodies of other wallets. Source: ton-blockchain/tg-wallet-contract,
 * contracts/WalletTg/messages.tolk, `SignedRequest`.
 */
export function readTelegramRequest(body: Slice): TelegramRequest | undefined {
  if (body.remainingBits < SIGNATURE_BITS + 32 + HEADER_BITS) return undefined
  const content = body.clone().skip(SIGNATURE_BITS)
  const opcode = content.loadUint(32)
  const form = FORMS.get(opcode)
  if (!form) return undefined
  content.skip(HEADER_BITS)
  const [bits, least, most] = form
  const { remainingBits, remainingRefs } = content
  return remainingBits === bits && remainingRefs >= least && remainingRefs <= most
    ? { opcode, content }
    : undefined
}

/** What a request asks the wallet to change its key to; undefined: it does not. */
export function readTelegramKeyChange(body: Slice): TelegramKeyChange | undefined {
  const request = readTelegramRequest(body)
  if (!request || FORMS.get(request.opcode) !== KEY) return undefined
  return readable(() => {
    const content = request.content.clone()
    const newPublicKey = content.loadBytes(32)
    const rotationSignature = content.loadRefSlice().loadBytes(64)
    return { newPublicKey, rotationSignature }
  })
}

/** The log after a change of the key: the former private key, encrypted with the new one. */
export function readTelegramKeyChanged(body: Slice): Buffer | undefined {
  if (body.remainingBits !== 32 + 256) return undefined
  const log = body.clone()
  const opcode = log.loadUint(32)
  const isReport = opcode === TELEGRAM_WALLET.keyChanged || opcode === TELEGRAM_WALLET.rotation
  return isReport ? log.loadBytes(32) : undefined
}

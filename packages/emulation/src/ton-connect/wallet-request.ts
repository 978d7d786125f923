import { Builder, type Cell } from '@shardwalk/cells'
import { codeHashOf, TELEGRAM_WALLET, WALLET, walletState } from '@shardwalk/contracts'
import type { RawAddress } from '@shardwalk/model'
import { ACTION_SEND_MSG, loadStateInit } from '@shardwalk/tlb'
import { EmulationError } from '../errors.ts'

/** A message that a wallet is asked to send; `amount` in nanotons. */
export interface RequestedMessage {
  readonly address: RawAddress
  readonly bounce: boolean
  /** Nanotons. */
  readonly amount: bigint
  readonly payload?: Cell | undefined
  readonly stateInit?: Cell | undefined
}

/** A request to a wallet. Source: TON Connect, `sendTransaction`. */
export interface WalletRequest {
  readonly from: RawAddress
  readonly messages: readonly RequestedMessage[]
  /** Unix seconds; undefined: `VALID_SECONDS` from now. */
  readonly validUntil?: number | undefined
  /** `StateInit` of a wallet that is not deployed yet; the message carries it. */
  readonly deployment?: Cell | undefined
}

/** The state of the wallet that is asked. */
export interface Wallet {
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
}

/**
 * Maximum number of messages that a wallet can send at once. Source: wallet-contract (v3, v4),
 * wallet-contract-v5, tg-wallet-contract.
 */
const MAX_MESSAGES = { v3: 4, v4: 4, v5: 255, telegram: 255 } as const

/** How long a request without a time limit of its own is valid. */
const VALID_SECONDS = 300

/** Pays the fees from the wallet and ignores errors of single messages, as wallets do. */
const SEND_MODE = 3
const SIGNATURE_BITS = 512
const SIGNATURE = Buffer.alloc(SIGNATURE_BITS / 8)

interface Signing {
  readonly seqno: number
  readonly walletId: bigint
  readonly validUntil: number
  readonly messages: readonly Cell[]
}

type Layout = keyof typeof MAX_MESSAGES

const LAYOUTS: Readonly<Record<string, Layout>> = {
  [codeHashOf('wallet_v3r1')]: 'v3',
  [codeHashOf('wallet_v3r2')]: 'v3',
  [codeHashOf('wallet_v4r1')]: 'v4',
  [codeHashOf('wallet_v4r2')]: 'v4',
  [codeHashOf('wallet_v5r1')]: 'v5',
  [codeHashOf('tg_wallet')]: 'telegram',
}

/**
 * The external message that the wallet's owner would sign, with a zero signature. `now`: Unix seconds. Throws
 * `EmulationError`.
 */
export function walletMessage(wallet: Wallet, request: WalletRequest, now: number): Cell {
  const deployment = wallet.code ? undefined : request.deployment
  const { layout, seqno, walletId } = readWallet(deployment ? contentsOf(deployment) : wallet)
  const { from, messages } = request
  const most = MAX_MESSAGES[layout]
  if (messages.length > most)
    throw new EmulationError('too_many_messages', `messages array cannot contain more than ${most} messages`)
  const body = bodyOf(layout, {
    seqno,
    walletId,
    // TON Center ignores the time limit in requests to wallets of version 3.
    validUntil: (layout === 'v3' ? undefined : request.validUntil) ?? now + VALID_SECONDS,
    messages: messages.map((message) => internalMessage(from, message, now)),
  })
  // block.tlb `ext_in_msg_info$10`, no source, no import fee, the body in line.
  const message = new Builder().storeUint(0b1000, 4).storeAddress(plain(from)).storeCoins(0n)
  if (deployment) message.storeUint(0b11, 2).storeRef(deployment)
  else message.storeBit(false)
  // A wallet of version 4 with four messages has no reference left.
  return deployment
    ? message.storeBit(true).storeRef(body.endCell()).endCell()
    : message.storeBit(false).storeBuilder(body).endCell()
}

function contentsOf(deployment: Cell): Wallet {
  const { code, data } = loadStateInit(deployment.slice())
  return { code: code?.preloadRefCell(), data: data?.preloadRefCell() }
}

function readWallet({
  code,
  data,
}: Wallet): Pick<Signing, 'seqno' | 'walletId'> & { readonly layout: Layout } {
  if (!code || !data) throw new EmulationError('wallet_has_no_code', 'Account state no code or no data')
  const state = walletState(code.hash(), data)
  if (!state) throw new EmulationError('not_a_wallet', 'Account is not a known wallet')
  const layout = LAYOUTS[code.hash().toString('base64')]
  if (!layout)
    throw new EmulationError('wallet_not_supported', `Unsupported wallet type: ${state.walletType}`)
  const { seqno, walletId } = state
  if (seqno === undefined || walletId === undefined)
    throw new EmulationError('request_not_composed', 'Failed to compose external message: unknown seqno')
  return { layout, seqno, walletId }
}

function bodyOf(layout: Layout, signing: Signing): Builder {
  if (layout === 'v5') return bodyOfV5(signing)
  if (layout === 'telegram') return bodyOfTelegram(signing)
  const { seqno, walletId, validUntil, messages } = signing
  const body = new Builder()
    .storeBytes(SIGNATURE)
    .storeUint(walletId, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
  // Version 4 has an operation number: 0 sends messages.
  if (layout === 'v4') body.storeUint(0, 8)
  for (const message of messages) body.storeUint(SEND_MODE, 8).storeRef(message)
  return body
}

/** Source: wallet-contract-v5, types.tlb: the actions are one list, and the signature comes last. */
function bodyOfV5({ seqno, walletId, validUntil, messages }: Signing): Builder {
  let actions = new Builder().endCell()
  for (const message of messages)
    actions = new Builder()
      .storeRef(actions)
      .storeUint(ACTION_SEND_MSG, 32)
      .storeUint(SEND_MODE, 8)
      .storeRef(message)
      .endCell()
  return new Builder()
    .storeUint(WALLET.signedExternalV5, 32)
    .storeUint(walletId, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
    .storeBit(true)
    .storeRef(actions)
    .storeBit(false)
    .storeBytes(SIGNATURE)
}

/** Source: tg-wallet-contract, contracts/WalletTg/messages.tolk: one message in line, or an array of them. */
function bodyOfTelegram({ seqno, walletId, validUntil, messages }: Signing): Builder {
  const { sendOneExternal, sendBulkExternal } = TELEGRAM_WALLET
  const body = new Builder()
    .storeBytes(SIGNATURE)
    .storeUint(messages.length === 1 ? sendOneExternal : sendBulkExternal, 32)
    .storeUint(walletId, 32)
    .storeUint(validUntil, 32)
    .storeUint(seqno, 32)
  return messages.length === 1
    ? body.storeUint(SEND_MODE, 8).storeRef(messages[0]!)
    : body.storeUint(messages.length, 8).storeMaybeRef(chunksOf(messages))
}

const MAX_REFERENCES = 4

/** Tolk `array`: each chunk has a reference to the next one, if any, and then as many items as fit. */
function chunksOf(messages: readonly Cell[]): Cell {
  let next: Cell | undefined
  for (let left = messages.length; left > 0; ) {
    const from = Math.max(0, left - (next ? MAX_REFERENCES - 1 : MAX_REFERENCES))
    const chunk = new Builder().storeMaybeRef(next)
    for (const message of messages.slice(from, left)) chunk.storeUint(SEND_MODE, 8).storeRef(message)
    next = chunk.endCell()
    left = from
  }
  return next!
}

/** block.tlb `int_msg_info$0`, with state and body in references. */
function internalMessage(from: RawAddress, message: RequestedMessage, now: number): Cell {
  const { address, bounce, amount, payload, stateInit } = message
  const builder = new Builder()
    .storeBit(false)
    .storeBit(true)
    .storeBit(bounce)
    .storeBit(false)
    .storeAddress(plain(from))
    .storeAddress(plain(address))
    .storeCoins(amount)
    .storeBit(false)
    .storeCoins(0n)
    .storeCoins(0n)
    .storeUint(0, 64)
    .storeUint(now, 32)
  if (stateInit) builder.storeUint(0b11, 2).storeRef(stateInit)
  else builder.storeBit(false)
  return builder.storeMaybeRef(payload).endCell()
}

const plain = ({ workchain, hash }: RawAddress): RawAddress => ({ workchain, hash })

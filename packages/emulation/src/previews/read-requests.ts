import {
  EmulateTonConnectBody,
  EmulateTraceBody,
  InvalidEmulation,
  parseAddress,
  readEmulationBody,
  strictBase64,
  toSeconds,
} from '@shardwalk/api-schema'
import { type Bag, type Cell, parseBoc } from '@shardwalk/cells'
import { DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import { EmulationError } from '../errors.ts'
import type { NodeChain } from '../node-chain.ts'
import { type RootMessage, readRootMessage } from '../read-message.ts'
import { type RequestedMessage, type WalletRequest, walletMessage } from '../ton-connect/wallet-request.ts'

/** Nodes take no larger messages. Source: node, crypto/block/mc-config.h, `SizeLimitsConfig`. */
const MAX_BOC_BYTES = 65_535
const MAX_CELLS = 8_192
const MAX_MESSAGES = 255
const MAX_AMOUNT = 2n ** 64n

/** Parts of the reply that a client asked for, by their names in the request. */
export interface EmulationParts {
  /** Code and data of the accounts, before and after. */
  readonly include_code_data: boolean
  readonly include_address_book: boolean
  /** Of tokens. */
  readonly include_metadata: boolean
}

/** What a request to emulate asks for. */
export interface EmulationQuery extends EmulationParts {
  /** The block whose state is used; undefined: the newest. */
  readonly mcBlockSeqno: number | undefined
  readonly ignoreSignatures: boolean
  readonly withActions: boolean
  /** The message that the trace begins with, which may depend on the state. */
  readonly message: (chain: NodeChain) => Promise<RootMessage>
}

/** Body of `emulateTrace`. Throws `InvalidEmulation`, `EmulationError`. */
export function readTraceRequest(bytes: Uint8Array): EmulationQuery {
  const body = readEmulationBody(EmulateTraceBody, bytes)
  if (body.boc === '') throw new InvalidEmulation('boc is required')
  const message = rootMessage(body.boc)
  return { ...common(body), ignoreSignatures: body.ignore_chksig === true, message: async () => message }
}

function rootMessage(text: string): RootMessage {
  const boc = decoded(text, 'invalid boc')
  try {
    return readRootMessage(rootOf(boc))
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw new EmulationError('message_malformed', `Can't deserialize message boc: ${error.message}`)
  }
}

/** Body of `emulateTonConnect`. Throws `InvalidEmulation`, `EmulationError`. */
export function readTonConnectRequest(bytes: Uint8Array): EmulationQuery {
  const body = readEmulationBody(EmulateTonConnectBody, bytes)
  if (body.from === '') throw new InvalidEmulation('from address is required for emulation')
  if (body.messages.length === 0) throw new InvalidEmulation('messages array cannot be empty')
  if (body.messages.length > MAX_MESSAGES)
    throw new InvalidEmulation(`messages array cannot contain more than ${MAX_MESSAGES} messages`)
  const request: WalletRequest = {
    messages: body.messages.map(requestedMessage),
    from: addressOf(body.from),
    validUntil: body.valid_until ? toSeconds(body.valid_until) : undefined,
    deployment: body.from_state_init ? cellOf(body.from_state_init, 'invalid from_state_init') : undefined,
  }
  checkDeployment(request)
  return { ...common(body), ignoreSignatures: true, message: (chain) => fromWallet(chain, request) }
}

const common = (body: EmulateTraceBody | EmulateTonConnectBody) => ({
  mcBlockSeqno: body.mc_block_seqno ?? undefined,
  withActions: body.with_actions === true,
  include_code_data: body.include_code_data === true,
  include_address_book: body.include_address_book === true,
  include_metadata: body.include_metadata === true,
})

async function fromWallet(chain: NodeChain, request: WalletRequest): Promise<RootMessage> {
  const wallet = await chain.account(request.from)
  try {
    return readRootMessage(walletMessage(wallet, request, chain.utime))
  } catch (error) {
    // Of the wallet only a known code and numbers are used: something in the request does not fit.
    if (!(error instanceof DecodeError)) throw error
    throw new InvalidEmulation(`the message cannot be composed: ${error.message}`)
  }
}

function checkDeployment({ from, deployment }: WalletRequest): void {
  if (deployment && !sameAddress(from, { ...from, hash: deployment.hash() }))
    throw new InvalidEmulation('from_state_init is that of another address')
}

function requestedMessage(
  { address, amount, payload, stateInit }: EmulateTonConnectBody['messages'][number],
  index: number,
): RequestedMessage {
  if (address === '') throw new InvalidEmulation(`message at index ${index} cannot be empty`)
  if (amount === '') throw new InvalidEmulation(`amount in message at index ${index} cannot be empty`)
  if (!/^\d{1,20}$/.test(amount) || BigInt(amount) >= MAX_AMOUNT)
    throw new InvalidEmulation(`invalid amount in message at index ${index}: not an unsigned 64-bit number`)
  return {
    address: addressOf(address),
    bounce: isBounceable(address),
    amount: BigInt(amount),
    payload: payload ? cellOf(payload, `invalid message payload at index ${index}`) : undefined,
    stateInit: stateInit ? cellOf(stateInit, `invalid message stateInit at index ${index}`) : undefined,
  }
}

function addressOf(text: string): RawAddress {
  const address = parseAddress(text)
  if (!address || !isInt8(address.workchain)) throw new InvalidAddress(text)
  return address
}

/** Source: block.tlb `addr_std`. */
const isInt8 = (workchain: number): boolean => workchain >= -128 && workchain <= 127

/** Clients know the text without the words that other errors begin with. */
class InvalidAddress extends InvalidEmulation {
  constructor(text: string) {
    super(text)
    this.message = `Invalid address format: ${text.slice(0, 100)}`
  }
}

/** Source: TEP-2: this bit of the tag is set in the non-bounceable form. Raw addresses have none. */
const NON_BOUNCEABLE = 0x40
const isBounceable = (address: string): boolean =>
  address.includes(':') || (Buffer.from(address, 'base64')[0]! & NON_BOUNCEABLE) === 0

function cellOf(text: string, problem: string): Cell {
  try {
    return rootOf(decoded(text, problem))
  } catch (error) {
    if (error instanceof DecodeError) throw new InvalidEmulation(`${problem}: ${error.message}`)
    throw error
  }
}

function decoded(text: string, problem: string): Buffer {
  const boc = strictBase64(text)
  if (!boc) throw new InvalidEmulation(`${problem}: not standard base64 with padding`)
  if (boc.length > MAX_BOC_BYTES)
    throw new InvalidEmulation(`${problem}: ${boc.length} bytes, at most ${MAX_BOC_BYTES}`)
  return boc
}

function rootOf(boc: Buffer): Cell {
  const bag: Bag = parseBoc(boc, { expectedRoots: 1 })
  if (bag.count > MAX_CELLS) throw new DecodeError('bag_of_cells', `${bag.count} cells, at most ${MAX_CELLS}`)
  return bag.cell(bag.root)
}

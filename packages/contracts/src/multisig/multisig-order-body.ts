import { type Cell, loadMsgAddress, loadSnake, type Slice, serializeBoc } from '@shardwalk/cells'
import { DecodeError, formatRawAddress } from '@shardwalk/model'
import { readComment } from '../bodies/comment.ts'
import { loadRelaxedMessage } from '../bodies/relaxed-message.ts'
import { decodeText } from '../bodies/text.ts'
import { type JettonTransfer, readJettonTransfer, readNftTransfer } from '../bodies/token-messages.ts'
import { JETTON, MESSAGE, MULTISIG, NFT, SINGLE_NOMINATOR, STONFI_V1 } from '../opcodes/index.ts'

type FieldValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly string[]
  | { readonly [key: string]: string | null }

/**
 * A body inside an order, with the names that the indexed API uses. Amounts are decimal strings; query ids
 * are numbers, or bigints beyond 2^53.
 */
export interface OrderBody {
  readonly type: string
  readonly fields: { readonly [key: string]: FieldValue }
}

type Reader = (slice: Slice, body: Cell) => OrderBody['fields'] | undefined

/** Actions of an order share cells, and a body that is not known is printed twice. */
const texts = new WeakMap<Cell, string>()

/** Bag of cells with CRC32C, in base64; computed once for a cell. */
export function toBase64(cell: Cell): string {
  const known = texts.get(cell)
  if (known !== undefined) return known
  const text = serializeBoc(cell, { crc32c: true }).toString('base64')
  texts.set(cell, text)
  return text
}

const optional = (cell: Cell | undefined): string | null => (cell ? toBase64(cell) : null)

/**
 * Each reader gets the body after its opcode, and the whole body for the shared readers of token messages.
 */
const READERS: ReadonlyMap<number, readonly [string, Reader]> = new Map<number, readonly [string, Reader]>([
  [JETTON.transfer, ['jetton_transfer', jettonTransfer]],
  [
    JETTON.burn,
    [
      'jetton_burn',
      (s) => ({ query_id: queryId(s), amount: String(s.loadCoins()), response_destination: address(s) }),
    ],
  ],
  [JETTON.mint, ['jetton_mint', jettonMint]],
  // TON Center knows it as another mint, of which no body has the layout.
  [0x15, ['jetton_mint', () => undefined]],
  [NFT.transfer, ['nft_transfer', nftTransfer]],
  [MESSAGE.encryptedComment, ['ton_transfer', (s) => ({ comment: snakeText(s), encrypted: true })]],
  [JETTON.topUp, ['jetton_top_up', (s) => ({ query_id: queryId(s) })]],
  [
    JETTON.changeAdmin,
    ['jetton_change_admin', (s) => ({ query_id: queryId(s), new_admin_address: address(s) })],
  ],
  [JETTON.claimAdmin, ['jetton_claim_admin', (s) => ({ query_id: queryId(s) })]],
  [
    JETTON.changeMetadata,
    ['jetton_change_content', (s) => ({ query_id: queryId(s), new_metadata_url: snakeText(s) })],
  ],
  [JETTON.callTo, ['jetton_call_to', jettonCallTo]],
  [JETTON.setStatus, ['jetton_set_status', (s) => ({ query_id: queryId(s), new_status: s.loadUint(4) })]],
  [
    SINGLE_NOMINATOR.withdraw,
    ['single_nominator_withdraw', (s) => ({ query_id: queryId(s), coins: String(s.loadCoins()) })],
  ],
  [
    SINGLE_NOMINATOR.changeValidator,
    ['single_nominator_change_validator', (s) => ({ query_id: queryId(s), validator_address: address(s) })],
  ],
  [MULTISIG.execute, ['vesting_internal_transfer', vestingTransfer]],
  [MESSAGE.textComment, ['ton_transfer', (s) => ({ comment: snakeText(s), encrypted: false })]],
])

/**
 * Never throws. A body that does not have the layout of its opcode is `unknown` with opcode 0; a body with an
 * unlisted opcode is `unknown` with that opcode.
 */
export function readOrderBody(body: Cell): OrderBody {
  if (body.isExotic) return unknown(body, 0)
  if (body.bits < 32) return { type: 'ton_transfer', fields: { comment: '', encrypted: false } }
  const slice = body.slice()
  const opcode = slice.loadUint(32)
  const known = READERS.get(opcode)
  if (!known) return unknown(body, opcode)
  try {
    const fields = known[1](slice, body)
    return fields ? { type: known[0], fields } : unknown(body, 0)
  } catch (error) {
    if (error instanceof DecodeError) return unknown(body, 0)
    throw error
  }
}

const unknown = (body: Cell, opcode: number): OrderBody => ({
  type: 'unknown',
  fields: { opcode, data: toBase64(body) },
})

function queryId(slice: Slice): number | bigint {
  const id = slice.loadUintBig(64)
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id
}

function address(slice: Slice): string | null {
  const found = loadMsgAddress(slice)
  return found.type === 'std' ? formatRawAddress(found.address) : null
}

/** Throws DecodeError when the chain of cells contains an exotic cell. */
function snakeText(slice: Slice): string {
  const snake = loadSnake(slice, { oddBits: 'drop' })
  if (!snake) throw new DecodeError('snake', 'exotic cell where text was expected')
  return decodeText(snake.bytes, { damaged: 'replace' })
}

function jettonTransfer(_slice: Slice, body: Cell): OrderBody['fields'] | undefined {
  const transfer = readJettonTransfer(body.slice())
  if (!transfer) return undefined
  return {
    query_id: queryId(body.slice().skip(32)),
    amount: String(transfer.amount),
    destination: transfer.destination ? formatRawAddress(transfer.destination) : null,
    response: transfer.responseDestination ? formatRawAddress(transfer.responseDestination) : null,
    custom_payload: optional(transfer.customPayload),
    forward_amount: String(transfer.forwardTonAmount),
    ...payloadFields(transfer),
  }
}

function payloadFields({ forwardPayload }: JettonTransfer): OrderBody['fields'] {
  const plain = {
    comment: '',
    encrypted_comment: false,
    forward_payload: optional(forwardPayload),
    stonfi_swap_body: null,
  }
  if (!forwardPayload || (forwardPayload.bits === 0 && forwardPayload.refs.length === 0))
    return { ...plain, payload_sum_type: '' }
  const comment = readComment(forwardPayload)
  if (comment && 'text' in comment)
    return { ...plain, comment: comment.text, payload_sum_type: 'TextComment' }
  if (comment)
    return {
      ...plain,
      comment: comment.encrypted,
      encrypted_comment: true,
      payload_sum_type: 'EncryptedTextComment',
    }
  const swap = readStonfiSwap(forwardPayload)
  return swap
    ? { ...plain, stonfi_swap_body: swap, payload_sum_type: 'StonfiSwap' }
    : { ...plain, payload_sum_type: 'Unknown' }
}

/**
 * STON.fi v1 `swap#25938561 token_wallet:MsgAddress min_out:Coins to_address:MsgAddress …`. The minimum
 * amount is printed in TON.
 */
function readStonfiSwap(payload: Cell): { readonly [key: string]: string | null } | undefined {
  if (payload.isExotic || payload.bits < 32) return undefined
  const slice = payload.slice()
  if (slice.loadUint(32) !== STONFI_V1.swap) return undefined
  try {
    return {
      jetton_wallet: address(slice),
      min_amount: formatTon(slice.loadCoins()),
      user_address: address(slice),
    }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

function formatTon(nanotons: bigint): string {
  const text = nanotons.toString().padStart(10, '0')
  return `${text.slice(0, -9)}.${text.slice(-9)}`.replace(/\.?0+$/, '')
}

/** `mint#642b7d07 query_id:uint64 to:MsgAddressInt ton_amount:Coins master_msg:^InternalTransfer`. */
function jettonMint(slice: Slice): OrderBody['fields'] {
  const head = {
    opcode: JETTON.mint,
    query_id: queryId(slice),
    to_address: address(slice),
    ton_amount: String(slice.loadCoins()),
  }
  const message = slice.loadRefSlice().skip(32)
  return {
    ...head,
    master_msg_query_id: queryId(message),
    master_msg_jetton_amount: String(message.loadCoins()),
  }
}

function nftTransfer(slice: Slice, body: Cell): OrderBody['fields'] | undefined {
  const transfer = readNftTransfer(body.slice())
  if (!transfer) return undefined
  return {
    query_id: queryId(slice),
    new_owner: transfer.newOwner ? formatRawAddress(transfer.newOwner) : null,
    response_destination: transfer.responseDestination
      ? formatRawAddress(transfer.responseDestination)
      : null,
    custom_payload: optional(transfer.customPayload),
    forward_amount: String(transfer.forwardAmount),
    forward_payload: optional(transfer.forwardPayload),
  }
}

const CALLS: ReadonlyMap<number, string> = new Map([
  [JETTON.setStatus, 'JettonSetStatus'],
  [JETTON.transfer, 'JettonTransfer'],
  [JETTON.burn, 'JettonBurn'],
])

/** `call_to#235caf52 query_id:uint64 to_address:MsgAddressInt ton_amount:Coins action:^Cell`. */
function jettonCallTo(slice: Slice): OrderBody['fields'] {
  const head = { query_id: queryId(slice), to_address: address(slice), ton_amount: String(slice.loadCoins()) }
  const action = slice.loadRefCell()
  const opcode = !action.isExotic && action.bits >= 32 ? action.slice().loadUint(32) : undefined
  const type = opcode === undefined ? undefined : CALLS.get(opcode)
  return { ...head, action_type: type ?? 'Unknown', action_data: toBase64(action) }
}

/** `query_id:uint64 send_mode:uint8 message:^(MessageRelaxed Any)`. */
function vestingTransfer(slice: Slice): OrderBody['fields'] {
  const head = { query_id: queryId(slice), send_mode: slice.loadUint(8) }
  const message = loadRelaxedMessage(slice.loadRefSlice())
  const comment = readComment(message.body)
  return {
    ...head,
    destination: message.destination.type === 'std' ? formatRawAddress(message.destination.address) : null,
    value: String(message.value ?? 0n),
    message_body: toBase64(message.body),
    comment: comment && 'text' in comment ? comment.text : '',
  }
}

// Jettons: TEP-74 transfers, burns and mints; pTON, which has wallets but no internal transfers.

import type { Cell, Slice } from '@shardwalk/cells'
import {
  isCommentOpcode,
  JETTON,
  JETTON_BODIES,
  loadEither,
  loadJettonInternalTransfer,
  loadJettonNotification,
  loadJettonTransfer,
  MESSAGE,
} from '@shardwalk/contracts'
import { attempt, bodyOf, cellToBoc, fieldsOf, Payload, textOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Comment, decodeComment } from '../core/comment.ts'
import { type Draft, type Match, type Matcher, need } from '../core/matcher.ts'
import { built, call, either, maybe, over, type Pattern } from '../core/pattern.ts'
import { isPton, walletOf } from '../facts.ts'
import type { Address } from '../trace.ts'

/** Data of a `jetton_transfer` block. */
export interface JettonTransfer {
  readonly sender: Address | null
  /** Null: pTON. */
  readonly senderWallet: Address | null
  readonly receiver: Address | null
  /** Null for pTON, and for a transfer that was only requested. */
  readonly receiverWallet: Address | null
  readonly asset: Address | null
  readonly amount: bigint
  readonly request: TransferRequest
  readonly forwardAmount: bigint
  /** Set for pTON: nothing moved between wallets. */
  readonly withoutInternal: boolean
}

/** Body of `transfer`. */
export interface TransferRequest {
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: Address | null
  readonly response: Address | null
  readonly customPayload: Cell | undefined
  readonly forwardAmount: bigint
  /** Undefined when there is none or it has no bits. */
  readonly payload: Payload | undefined
}

/** Body of `internal_transfer`. */
export interface InternalTransfer {
  readonly amount: bigint
  readonly from: Address | null
  readonly forwardAmount: bigint
}

/** Body of `transfer_notification`. */
export interface TransferNotification {
  readonly amount: bigint
  readonly from: Address | null
  readonly payload: Payload | undefined
}

/** A block of type `jetton_transfer`. */
export type JettonTransferBlock = Block & { readonly data: JettonTransfer }

/** A composite of `jettonTransfers`, which has the data. */
export const isJettonTransfer = (block: Block | undefined): block is JettonTransferBlock =>
  block?.type === 'jetton_transfer'
/** Only for a `jetton_transfer`; the type is not checked. */
export const transferOf = (block: Block): JettonTransfer => block.data as JettonTransfer

/** A jetton transfer whose payload passes the test. */
export const jettonTransfer = (test?: (transfer: JettonTransfer) => boolean): Pattern =>
  built('jetton_transfer', test && ((block) => test(transferOf(block))))

/** A jetton transfer whose forward payload begins with the opcode. */
export const withPayload = (opcode: number): Pattern =>
  jettonTransfer(({ request }) => request.payload?.opcode === opcode)

/** Throws DecodeError. Source: TEP-74, `transfer`. */
export function readTransferRequest(block: Block): TransferRequest {
  const request = loadJettonTransfer(bodyOf(block), loadPayload)
  return {
    queryId: request.queryId,
    amount: request.amount,
    destination: textOf(request.destination),
    response: textOf(request.responseDestination),
    customPayload: request.customPayload,
    forwardAmount: request.forwardTonAmount,
    payload: request.payload,
  }
}

/** `Either X ^X`; a payload without bits counts as none. */
function loadPayload(body: Slice): Payload | undefined {
  const content = loadEither(body)
  return content && content.remainingBits > 0 ? new Payload(content) : undefined
}

function readInternalTransfer(block: Block): InternalTransfer {
  const { amount, from, forwardTonAmount } = loadJettonInternalTransfer(bodyOf(block))
  return { amount, from: textOf(from), forwardAmount: forwardTonAmount }
}

/** Throws DecodeError. Source: TEP-74, `transfer_notification`. */
export function readNotification(block: Block): TransferNotification {
  const { amount, sender, payload } = loadJettonNotification(bodyOf(block), loadPayload)
  return { amount, from: textOf(sender), payload }
}

/** Comment in a payload of whole bytes, possibly none; undefined for other payloads. */
function payloadComment(payload: Payload | undefined): Comment | undefined {
  if (!payload || !isCommentOpcode(payload.opcode)) return undefined
  const rest = payload.afterOpcode()
  if (rest.remainingBits % 8 !== 0) return undefined
  return attempt(() => decodeComment(rest, payload.opcode === MESSAGE.encryptedComment))
}

function transferDraft(transfer: JettonTransfer, failed: boolean): Draft {
  return { type: 'jetton_transfer', failed, data: transfer, columns: () => transferColumns(transfer) }
}

function transferColumns(transfer: JettonTransfer) {
  const { request } = transfer
  const comment = payloadComment(request.payload)
  return {
    source: transfer.sender,
    source_secondary: transfer.senderWallet,
    destination: transfer.receiver,
    destination_secondary: transfer.receiverWallet,
    asset: transfer.asset,
    amount: transfer.amount,
    jetton_transfer_data: {
      response_destination: request.response,
      forward_amount: transfer.forwardAmount,
      query_id: request.queryId,
      custom_payload: request.customPayload ? cellToBoc(request.customPayload) : null,
      forward_payload: request.payload?.toBoc() ?? null,
      comment: comment?.text ?? null,
      is_encrypted_comment: comment?.encrypted ?? false,
    },
  }
}

/**
 * Also used by patterns that run before the jetton matcher. Undefined when the receiver is not a known
 * wallet.
 */
function classicTransfer({ anchor, captures, facts }: Match): Draft | undefined {
  const internal = need(captures.call(JETTON.internalTransfer), 'internal transfer')
  const wallet = walletOf(facts, internal.destination)
  if (!wallet) return undefined
  const request = readTransferRequest(anchor)
  const received = attempt(() => readInternalTransfer(internal))
  const transfer: JettonTransfer = {
    sender: anchor.source,
    senderWallet: anchor.destination,
    receiver: wallet.owner,
    receiverWallet: internal.destination,
    asset: wallet.jetton,
    amount: received?.amount ?? request.amount,
    request,
    forwardAmount: received?.forwardAmount ?? request.forwardAmount,
    withoutInternal: false,
  }
  return transferDraft(transfer, anchor.failed || internal.failed)
}

const CLASSIC_TRANSFER = over(
  call(JETTON.transfer),
  over(call(JETTON.internalTransfer), maybe(call(JETTON.transferNotification))),
)

const classic: Matcher = {
  name: 'jetton_transfer',
  anchors: [JETTON.transfer],
  pattern: CLASSIC_TRANSFER,
  build: classicTransfer,
}

const pton: Matcher = {
  name: 'pton_transfer',
  anchors: [JETTON.transfer],
  pattern: over(call(JETTON.transfer), maybe(call(JETTON.transferNotification))),
  build({ anchor, facts }) {
    const wallet = walletOf(facts, anchor.destination)
    if (!wallet || !isPton(wallet.jetton)) return undefined
    const request = readTransferRequest(anchor)
    return transferDraft(
      { ...unmoved(anchor, request), asset: wallet.jetton, senderWallet: null },
      anchor.failed,
    )
  },
}

const unmoved = (anchor: Block, request: TransferRequest): JettonTransfer => ({
  sender: anchor.source,
  senderWallet: anchor.destination,
  receiver: request.destination,
  receiverWallet: null,
  asset: null,
  amount: request.amount,
  request,
  forwardAmount: request.forwardAmount,
  withoutInternal: true,
})

/** A transfer that a wallet was asked to send but did not. */
export const ghostJettonTransfer: Matcher = {
  name: 'requested_jetton_transfer',
  anchors: [JETTON.transfer],
  pattern: call(JETTON.transfer),
  build({ anchor, facts }) {
    const transfer = unmoved(anchor, readTransferRequest(anchor))
    return transferDraft(
      { ...transfer, asset: walletOf(facts, anchor.destination)?.jetton ?? null },
      anchor.failed,
    )
  },
}

/** Data of a `jetton_burn` block. */
export interface JettonBurn {
  readonly owner: Address
  readonly wallet: Address | null
  readonly asset: Address
  readonly amount: bigint
}

/** Only for a `jetton_burn`; the type is not checked. */
export const burnOf = (block: Block): JettonBurn => block.data as JettonBurn

const burn: Matcher = {
  name: 'jetton_burn',
  anchors: [JETTON.burn],
  pattern: over(call(JETTON.burn), maybe(call(JETTON.burnNotification))),
  build({ anchor, facts }) {
    const wallet = need(walletOf(facts, anchor.destination), 'jetton wallet')
    const { amount } = fieldsOf(anchor, JETTON_BODIES.burn)
    const data: JettonBurn = { owner: wallet.owner, wallet: anchor.destination, asset: wallet.jetton, amount }
    const columns = () => ({ source: data.owner, source_secondary: data.wallet, asset: data.asset, amount })
    return { type: 'jetton_burn', failed: anchor.failed, data, columns }
  },
}

/** Data of a `jetton_mint` block. */
export interface JettonMint {
  readonly receiver: Address | null
  readonly receiverWallet: Address | null
  readonly asset: Address | null
  readonly amount: bigint | null
}

/** Only for a `jetton_mint`; the type is not checked. */
export const mintOf = (block: Block): JettonMint => block.data as JettonMint

const mint: Matcher = {
  name: 'jetton_mint',
  anchors: [JETTON.mint, JETTON.minterMint],
  pattern: over(
    call(JETTON.mint, JETTON.minterMint),
    maybe(
      either(
        call(JETTON.transferNotification),
        over(call(JETTON.internalTransfer), maybe(call(JETTON.transferNotification))),
      ),
    ),
  ),
  build({ anchor, captures, facts }) {
    const order = readMint(anchor)
    const internal = captures.call(JETTON.internalTransfer)
    if (!internal || anchor.failed)
      return mintDraft(
        { receiver: order.to, receiverWallet: null, asset: anchor.destination, amount: order.amount },
        order,
        true,
      )
    const wallet = need(walletOf(facts, internal.destination), 'jetton wallet')
    const { amount } = readInternalTransfer(internal)
    const minted = {
      receiver: wallet.owner,
      receiverWallet: internal.destination,
      asset: wallet.jetton,
      amount,
    }
    return mintDraft(minted, order, internal.failed)
  },
}

function readMint(anchor: Block) {
  if (anchor.opcode !== JETTON.minterMint) {
    const order = fieldsOf(anchor, JETTON_BODIES.mint)
    return { to: order.to_address, tonAmount: order.ton_amount, amount: null }
  }
  const order = fieldsOf(anchor, JETTON_BODIES.minterMint)
  const { amount } = JETTON_BODIES.amount(order.master_msg.slice().skip(32))
  return { to: order.to_address, tonAmount: order.ton_amount, amount }
}

const mintDraft = (mint: JettonMint, order: { readonly tonAmount: bigint }, failed: boolean): Draft => ({
  type: 'jetton_mint',
  failed,
  data: mint,
  columns: () => ({
    destination: mint.receiver,
    destination_secondary: mint.receiverWallet,
    asset: mint.asset,
    amount: mint.amount,
    value: order.tonAmount,
  }),
})

/** Amount of an internal transfer, or of a message laid out like one. */
export const internalAmount = (block: Block): bigint => fieldsOf(block, JETTON_BODIES.amount).amount

/** Between wallets by TEP-74, and of pTON, where a notification stands for the internal transfer. */
export const jettonTransfers: readonly Matcher[] = [classic, pton]
/** `burn` sent to a wallet, whether or not its master was notified. TEP-74. */
export const jettonBurn = burn
/** An order to a master to mint, failed if no wallet received anything. */
export const jettonMint = mint

import { parseRoot } from '@shardwalk/cells'
import { type OrderAction, parseMultisigOrder } from '@shardwalk/contracts'
import type * as z from 'zod'
import { toJsonText } from '../v2/objects.ts'
import type { MultisigOrderReply, MultisigReply } from './contract-replies.ts'
import type { MultisigOrderView, MultisigView } from './contract-rows.ts'
import { type AddressOf, hashOrNull } from './contract-text.ts'
import { bocText } from './message.ts'
import type { Json } from './text.ts'

/**
 * `Multisig` of API v3, with those of the given orders that belong to it. Actions of orders are not decoded
 * here.
 */
export const toMultisigReply = (
  { row, orders }: { readonly row: MultisigView; readonly orders: readonly MultisigOrderView[] },
  addressOf: AddressOf,
): Json =>
  JSON.stringify({
    address: addressOf(row.account_id),
    next_order_seqno: row.next_order_seqno,
    threshold: row.threshold,
    signers: row.signers.map(addressOf),
    proposers: row.proposers.map(addressOf),
    last_transaction_lt: String(row.lt),
    code_hash: hashOrNull(row.code_hash),
    data_hash: hashOrNull(row.data_hash),
    orders: orders.map((order) => ({ ...orderObject(order, addressOf), actions: null })),
  } satisfies z.input<typeof MultisigReply>)

/**
 * `MultisigOrder` of API v3. `actions` is the result of `readOrderActions`; null if not requested or not
 * readable.
 */
export const toMultisigOrderReply = (
  { row, actions }: { readonly row: MultisigOrderView; readonly actions: OrderActions | null },
  addressOf: AddressOf,
): Json =>
  toJsonText({
    ...orderObject(row, addressOf),
    actions: actions && [...actions],
  } satisfies z.input<typeof MultisigOrderReply>)

const orderObject = (row: MultisigOrderView, addressOf: AddressOf) => ({
  address: addressOf(row.account_id),
  multisig_address: addressOf(row.multisig_id),
  order_seqno: row.order_seqno,
  threshold: row.threshold,
  sent_for_execution: row.sent_for_execution,
  approvals_mask: row.approvals_mask,
  approvals_num: row.approvals_num,
  expiration_date: Number(row.expiration_date),
  order_boc: bocText(row.order_boc),
  signers: row.signers.map(addressOf),
  last_transaction_lt: String(row.lt),
  code_hash: hashOrNull(row.code_hash),
  data_hash: hashOrNull(row.data_hash),
})

/** Actions of an order, in the order of execution. */
export type OrderActions = readonly ReturnType<typeof toActionObject>[]

/** Actions of an order when executed, each read when it is asked for; null if the order cannot be read. */
export function readOrderActions(
  row: Pick<MultisigOrderView, 'order_boc'>,
): Iterable<OrderActions[number]> | null {
  const actions = parseMultisigOrder(parseRoot(row.order_boc))
  return actions ? toActionObjects(actions) : null
}

function* toActionObjects(actions: Iterable<OrderAction>): Generator<OrderActions[number]> {
  for (const action of actions) yield toActionObject(action)
}

const toActionObject = (action: OrderAction) => ({
  destination: action.destination,
  value: action.value === null ? null : String(action.value),
  body_raw: action.body,
  parsed: action.error === null,
  error: action.error,
  parsed_body: action.parsedBody,
  parsed_body_type: action.parsedBodyType,
  send_mode: action.sendMode,
})

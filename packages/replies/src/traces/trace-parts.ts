import { type Json, rawAddressesIn, type TraceTransactionView } from '@shardwalk/api-schema'
import { mapPaced, nextTurn, Pace } from '@shardwalk/concurrency'
import { formatRawAddress } from '@shardwalk/model'
import { type ActionRow, messageKey, type TransactionRow } from '@shardwalk/queries'
import type { ActionPart, TransactionPart } from '@shardwalk/streaming'
import { actionText, showActions, textsForAll } from '../actions/action-reply.ts'
import type { RenderContext } from '../render-context.ts'
import { transactionBatches } from '../transactions/render-transactions.ts'

/** A transaction of a stored trace. */
export interface RenderedTransaction<Row extends TransactionRow = TransactionRow> {
  readonly row: Row
  readonly inMsgHash: Buffer | undefined
  readonly part: TransactionPart
}

/** Renders transactions, in their order. */
export async function renderTransactions<Row extends TransactionRow>(
  context: RenderContext,
  rows: readonly Row[],
): Promise<RenderedTransaction<Row>[]> {
  const rendered: RenderedTransaction<Row>[] = []
  const pace = new Pace()
  for await (const { rows: batch, parts, items } of transactionBatches(context, rows)) {
    const directory = context.accounts.directory(parts.accounts)
    const replies = items[Symbol.iterator]()
    for (const row of batch) {
      const inMsg = parts.inMsg(row)
      const ids = [row.account_id, ...parts.outMsgs(row).map((message) => message.destination_id)]
      if (inMsg && row.in_msg_account_id !== null) ids.push(inMsg.account_id)
      const listed = new Set(ids.flatMap((id) => (id === null ? [] : directory.get(id).raw)))
      const { raw: account } = directory.get(row.account_id)
      const reply = replies.next().value as Json
      rendered.push({
        row,
        inMsgHash: inMsg?.hash,
        part: { account, lt: row.lt, reply, listed: [...listed], mcBlockSeqno: row.mc_block_seqno },
      })
      await pace.rest()
    }
  }
  return rendered
}

/** The transactions as nodes of their tree. */
export function treeOf(transactions: readonly RenderedTransaction[]): TraceTransactionView[] {
  const senders = new Map<string, number>()
  for (const [index, { row }] of transactions.entries())
    for (let i = 1n; i <= BigInt(row.out_msg_count); i++)
      senders.set(messageKey(row.account_id, row.lt + i), index)
  return transactions.map(({ row, inMsgHash, part }) => ({
    hash: row.hash,
    inMsgHash,
    parent:
      row.in_msg_account_id === null || row.in_msg_lt === null
        ? undefined
        : senders.get(messageKey(row.in_msg_account_id, row.in_msg_lt)),
    reply: part.reply,
  }))
}

/** Raw addresses of the accounts of actions. */
export type AddressText = (id: bigint) => string

/** Renders actions, in their order. */
export async function renderActionParts(
  context: RenderContext,
  rows: readonly ActionRow[],
  addressOf: AddressText,
): Promise<ActionPart[]> {
  await nextTurn()
  return mapPaced(await showActions(context, rows, { addressOf, knowsGasless: true }), (action) => {
    const accounts = action.row.account_ids.map(addressOf)
    const inDetails = rawAddressesIn(action.details).map(formatRawAddress)
    return {
      type: action.row.type,
      ancestorTypes: action.row.ancestor_type,
      accounts,
      ...textsForAll(action, (shown) => actionText(shown, { accounts })),
      listed: [...new Set([...accounts, ...inDetails])],
    }
  })
}

import type { AdjacentTransactionsQuery, Json, TransactionsByMessageQuery } from '@shardwalk/api-schema'
import { notFound } from '../http/errors.ts'
import { type Page, pageReply, type RequestContext } from '../http/route.ts'
import { hasBody, toFilter } from './message-page.ts'
import { listAdjacent, listByMessage } from './queries/by-message.ts'
import { crossedLists, messageConditions } from './queries/message-conditions.ts'
import type { MessageRow } from './queries/message-rows.ts'
import { loadParts } from './queries/transaction-parts.ts'
import type { TransactionRow } from './queries/transaction-rows.ts'
import { renderTransactions } from './reply-context.ts'
import { transactionPage } from './transaction-page.ts'

/** GET /transactionsByMessage. */
export async function transactionsByMessage(
  context: RequestContext,
  query: TransactionsByMessageQuery,
): Promise<Page> {
  const { opcode } = query
  const filter = await toFilter(context, query)
  const conditions = messageConditions(filter)
  // An opcode is that of a received message: nothing was sent with it in this sense.
  const impossible = !conditions || (opcode !== undefined && query.direction === 'out')
  const direction = opcode !== undefined ? 'in' : query.direction
  return transactionPage(context, { ...query, order: 'lt' }, async (slice) => {
    if (impossible) return []
    const rows = await listByMessage(
      context.db,
      { conditions, lists: crossedLists(filter), direction },
      slice,
    )
    return query.body_hash ? withBody(context, rows, query.body_hash) : rows
  })
}

/** Leaves out transactions that were found by the stored 8 bytes of another body's hash. */
async function withBody(
  context: RequestContext,
  rows: readonly TransactionRow[],
  hash: Buffer,
): Promise<TransactionRow[]> {
  const parts = await loadParts(context.db, rows)
  const matches = (message: MessageRow | undefined) => message !== undefined && hasBody(message, hash)
  return rows.filter((row) => matches(parts.inMsg(row)) || parts.outMsgs(row).some(matches))
}

/** GET /adjacentTransactions. */
export async function adjacentTransactions(
  context: RequestContext,
  query: AdjacentTransactionsQuery,
): Promise<Json> {
  const rows = await listAdjacent(context.db, query.hash, query.direction)
  if (rows.length === 0) throw notFound('adjacent transactions not found')
  const { items, addressBook } = await renderTransactions(context, rows)
  return pageReply('transactions', { items, fields: { address_book: addressBook } })
}

import { type Json, toTransactionReply } from '@shardwalk/api-schema'
import {
  type BookRow,
  loadTransactionParts,
  type Page as RowPage,
  type TransactionParts,
  type TransactionRow,
} from '@shardwalk/queries'
import type { Page, RenderContext } from '../render-context.ts'
import { renderLazily } from '../render-rows.ts'
import { TYPICAL_BYTES } from '../reply-size.ts'
import { ListedAccounts, replyContext, toView } from './reply-context.ts'
import { weighedGroups } from './weighed-groups.ts'

/** Number of transactions and messages loaded at a time; about 4 MB at most. */
const BATCH_UNITS = 1000

/** Transactions loaded together. */
export interface TransactionBatch<Row> {
  readonly rows: readonly Row[]
  readonly parts: TransactionParts
  /** Rows in order, rendered when requested. */
  readonly items: Iterable<Json>
}

const messagesOf = (row: TransactionRow): number => row.out_msg_count + (row.in_msg_lt === null ? 0 : 1)

/** Loads everything needed for the rows in batches, with one statement each; a usual page is one batch. */
export async function* transactionBatches<Row extends TransactionRow>(
  context: RenderContext,
  rows: readonly Row[],
): AsyncGenerator<TransactionBatch<Row>> {
  const weight = (row: Row) => 1 + messagesOf(row)
  for (const batch of weighedGroups(rows, { limit: BATCH_UNITS, weight })) {
    const parts = await context.reading((db) => loadTransactionParts(db, batch))
    const directory = context.accounts.directory(parts.accounts)
    const reply = replyContext(context, directory)
    const items = renderLazily(batch, (row) => {
      const inMsg = parts.inMsg(row)
      return toTransactionReply(
        {
          row: parts.whole(row),
          account: directory.get(row.account_id).address,
          inMsg: inMsg && toView(inMsg, inMsg.code),
          outMsgs: parts.outMsgs(row).map((message) => toView(message, message.code)),
          before: parts.before(row),
          traceId: parts.traceId(row),
          traceExternalHash: parts.traceExternalHash(row),
        },
        reply,
      )
    })
    yield { rows: batch, parts, items }
  }
}

/** Renders a page of transactions with messages, states and address book. */
export function renderTransactionPage(
  context: RenderContext,
  { rows, next }: RowPage<TransactionRow>,
): Page & { readonly fields: () => Promise<Record<string, Json>> } {
  const messages = rows.reduce((sum, row) => sum + messagesOf(row), 0)
  const expected = rows.length * TYPICAL_BYTES.transaction + messages * TYPICAL_BYTES.message
  context.size.expect(expected, 'lower `limit`')
  const accounts = new ListedAccounts()
  const book = new Map<bigint, BookRow>()
  const fields = async () => ({
    address_book: accounts.addressBook(context, context.accounts.directory([...book.values()])),
  })
  return { items: pageItems(context, rows, { accounts, book }), next, fields }
}

async function* pageItems(
  context: RenderContext,
  rows: readonly TransactionRow[],
  { accounts, book }: { readonly accounts: ListedAccounts; readonly book: Map<bigint, BookRow> },
): AsyncGenerator<Json> {
  for await (const { rows: batch, parts, items } of transactionBatches(context, rows)) {
    for (const row of batch) collectAccounts(row, parts, accounts)
    if (!context.settings.noAddressBook) for (const row of parts.accounts) book.set(row.id, row)
    yield* items
  }
}

/** Account, sender of the in message, receivers of the out messages. */
function collectAccounts(row: TransactionRow, parts: TransactionParts, accounts: ListedAccounts): void {
  accounts.add(row.account_id, 'listed')
  const inMsg = parts.inMsg(row)
  if (inMsg) {
    accounts.addSource(inMsg)
    accounts.add(inMsg.destination_id, 'printed')
  }
  for (const message of parts.outMsgs(row)) accounts.add(message.destination_id, 'listed')
}

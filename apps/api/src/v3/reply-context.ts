import {
  type BodyFacts,
  type Json,
  type TransactionReplyContext,
  toAddressBook,
  toTransactionReply,
} from '@shardwalk/api-schema'
import { type Cell, EMPTY_CELL, parseBoc } from '@shardwalk/cells'
import { decodeBody, opcodeName } from '@shardwalk/contracts'
import { type AccountId, MESSAGE_KIND, SYSTEM_ADDRESS } from '@shardwalk/model'
import {
  type AddressDirectory,
  isUnsent,
  loadTransactionParts,
  type MessageRow,
  type Page as RowPage,
  type TransactionParts,
  type TransactionRow,
} from '@shardwalk/queries'
import { unpackDescription } from '@shardwalk/tlb'
import type { Page, RequestContext } from '../http/route.ts'

/** What serialisers ask for, over the addresses of one reply. */
export function replyContext(context: RequestContext, directory: AddressDirectory): TransactionReplyContext {
  return {
    rules: context.rules,
    addressOf: (id) => directory.get(id).raw,
    cellHash,
    unpackDescription,
    opcodeName: (opcode) => JSON.stringify(opcodeName(opcode)),
    bodyFacts,
  }
}

function cellHash(boc: Buffer): Buffer {
  const bag = parseBoc(boc, { allowLevel: true })
  return bag.hash(bag.root)
}

const EMPTY_BODY = readBody(EMPTY_CELL)

/** Bodies repeat within and between replies; what is decoded of one takes some kilobytes at most. */
const MAX_BODIES = 4000
const MAX_BODY_BYTES = 1024
const knownBodies = new Map<string, BodyFacts>()

function bodyFacts(body: Buffer | null): BodyFacts {
  if (body === null) return EMPTY_BODY
  if (body.length > MAX_BODY_BYTES) return readBody(rootCell(body))
  const key = body.toString('latin1')
  const known = knownBodies.get(key)
  if (known) return known
  const facts = readBody(rootCell(body))
  knownBodies.set(key, facts)
  if (knownBodies.size > MAX_BODIES) knownBodies.delete(knownBodies.keys().next().value!)
  return facts
}

function rootCell(boc: Buffer): Cell {
  const bag = parseBoc(boc, { allowLevel: true })
  return bag.cell(bag.root)
}

function readBody(cell: Cell): BodyFacts {
  return { hash: `"${cell.hash().toString('base64')}"`, decoded: JSON.stringify(decodeBody({ body: cell })) }
}

export interface TransactionsReplyParts {
  readonly items: readonly Json[]
  readonly addressBook: Json
}

/** Writes transactions with their messages, states and address book: one statement, however many rows. */
export async function renderTransactions(
  context: RequestContext,
  rows: readonly TransactionRow[],
  parts?: TransactionParts,
): Promise<TransactionsReplyParts> {
  if (rows.length === 0) return { items: [], addressBook: '{}' }
  const all = parts ?? (await loadTransactionParts(context.db, rows))
  const accounts = new ListedAccounts()
  for (const row of rows) collectAccounts(row, all, accounts)
  const directory = context.accounts.directory(all.accounts)
  const reply = replyContext(context, directory)
  const items = rows.map((row) => {
    const inMsg = all.inMsg(row)
    return toTransactionReply(
      {
        row,
        account: directory.get(row.account_id).address,
        inMsg: inMsg && toView(inMsg),
        outMsgs: all.outMsgs(row).map(toView),
        before: all.before(row),
        traceExternalHash: all.traceExternalHash(row),
      },
      reply,
    )
  })
  return { items, addressBook: accounts.addressBook(context, directory) }
}

/** A page of a list of transactions as its reply. */
export async function renderTransactionPage(
  context: RequestContext,
  { rows, next }: RowPage<TransactionRow>,
): Promise<Page> {
  const { items, addressBook } = await renderTransactions(context, rows)
  return { items, next, fields: { address_book: addressBook } }
}

export const loadDirectory = (context: RequestContext, accounts: ListedAccounts): Promise<AddressDirectory> =>
  context.accounts.load(context.db, accounts.printed, { states: !context.settings.noAddressBook })

/** `created_lt` of a row in the form that serialisers take. */
export const toView = (row: MessageRow) => ({ row, createdLt: row.created_lt ?? undefined })

/** Accounts of a reply. */
export class ListedAccounts {
  /** Every account that is printed. */
  readonly printed = new Set<AccountId>()
  /** Those of the address book. */
  readonly listed = new Set<AccountId>()
  private system = false

  /** The sender of a message. A message without one has the masterchain zero address, or none. */
  addSource(message: MessageRow): void {
    this.printed.add(message.account_id)
    if (!isUnsent(message)) this.listed.add(message.account_id)
    else if (message.kind !== EXTERNAL_IN) this.system = true
  }

  add(id: AccountId | null, where: 'listed' | 'printed'): void {
    if (id === null) return
    this.printed.add(id)
    if (where === 'listed') this.listed.add(id)
  }

  addressBook(context: RequestContext, directory: AddressDirectory): Json {
    if (context.settings.noAddressBook) return '{}'
    const entries = [...this.listed].map((id) => directory.entry(id))
    if (this.system) entries.push({ address: SYSTEM_ADDRESS, codeHash: null })
    return toAddressBook(entries, context.testOnly)
  }
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

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

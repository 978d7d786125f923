import {
  type AddressBookEntry,
  type BodyFacts,
  type Json,
  type TransactionReplyContext,
  toAddressBook,
} from '@shardwalk/api-schema'
import { type Cell, EMPTY_CELL, parseBoc, parseRoot } from '@shardwalk/cells'
import { decodeBody, opcodeName } from '@shardwalk/contracts'
import {
  type AccountId,
  formatRawAddress,
  MESSAGE_KIND,
  type RawAddress,
  RecentMap,
  SYSTEM_ADDRESS,
} from '@shardwalk/model'
import { type AddressDirectory, isUnsent, type MessageRow, withCode } from '@shardwalk/queries'
import { unpackDescription } from '@shardwalk/tlb'
import type { RenderContext } from '../render-context.ts'

/** Context of the serialisers for the addresses of one reply. */
export function replyContext(context: RenderContext, directory: AddressDirectory): TransactionReplyContext {
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

/** Bodies repeat within and between replies; a decoded body takes a few kilobytes at most. */
const MAX_BODIES = 4000
const MAX_BODY_BYTES = 1024
const knownBodies = new RecentMap<string, BodyFacts>(MAX_BODIES)

function bodyFacts(body: Buffer | null): BodyFacts {
  if (body === null) return EMPTY_BODY
  if (body.length > MAX_BODY_BYTES) return readBody(rootCell(body))
  const key = body.toString('latin1')
  const known = knownBodies.get(key)
  if (known) return known
  const facts = readBody(rootCell(body))
  knownBodies.set(key, facts)
  return facts
}

function rootCell(boc: Buffer): Cell {
  return parseRoot(boc, { allowLevel: true })
}

function readBody(cell: Cell): BodyFacts {
  return { hash: `"${cell.hash().toString('base64')}"`, decoded: JSON.stringify(decodeBody({ body: cell })) }
}

/** Addresses of accounts by id, with what an address book needs unless the client declines it. */
export const loadDirectory = (context: RenderContext, accounts: ListedAccounts): Promise<AddressDirectory> =>
  context.accounts.load(context.db, accounts.printed, { states: !context.settings.noAddressBook })

/** A row in the form that serialisers take, with `created_lt`. `code`: what its state-init lacks. */
export const toView = (row: MessageRow, code: Buffer | null | undefined) => ({
  row: withCode(row, code),
  createdLt: row.created_lt ?? undefined,
})

/** Accounts of a reply. */
export class ListedAccounts {
  /** All accounts that are printed. */
  readonly printed = new Set<AccountId>()
  /** Accounts of the address book. */
  readonly listed = new Set<AccountId>()
  /** Addresses of the address book that may never have been seen. */
  private readonly named: RawAddress[] = []

  /** Adds the sender of a message. A message without one has the masterchain zero address, or none. */
  addSource(message: MessageRow): void {
    this.printed.add(message.account_id)
    if (!isUnsent(message)) this.listed.add(message.account_id)
    else if (message.kind !== EXTERNAL_IN) this.name(SYSTEM_ADDRESS)
  }

  add(id: AccountId | null, where: 'listed' | 'printed'): void {
    if (id === null) return
    this.printed.add(id)
    if (where === 'listed') this.listed.add(id)
  }

  /** Lists an address, whether or not it belongs to an account. */
  name(address: RawAddress): void {
    this.named.push(address)
  }

  addressBook(context: Pick<RenderContext, 'settings' | 'testOnly'>, directory: AddressDirectory): Json {
    if (context.settings.noAddressBook) return '{}'
    const entries = new Map<string, AddressBookEntry>()
    for (const address of this.named) entries.set(formatRawAddress(address), { address, codeHash: null })
    for (const id of this.listed) entries.set(directory.get(id).raw, directory.entry(id))
    return toAddressBook(entries.values(), context.testOnly)
  }
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

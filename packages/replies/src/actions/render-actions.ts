import { expandSupportedTypes, knowsGasless } from '@shardwalk/actions'
import type { ActionsQuery, Json } from '@shardwalk/api-schema'
import { Pace } from '@shardwalk/concurrency'
import type { RawAddress } from '@shardwalk/model'
import { type ActionRow, transactionsByHash } from '@shardwalk/queries'
import { Listing } from '../accounts/address-book-listing.ts'
import type { Page, RenderContext } from '../render-context.ts'
import { type Rendered, spread, TYPICAL_BYTES } from '../reply-size.ts'
import { NOTHING } from '../traces/trace-reply.ts'
import { transactionBatches } from '../transactions/render-transactions.ts'
import { accountTexts, actionText, addressesIn, type ShownAction, showActions } from './action-reply.ts'

/** Sizes of a group rendered together: actions, and distinct transactions. */
const GROUP_ACTIONS = 100
const GROUP_TRANSACTIONS = 300
/** Actions by which the size of a page is judged. */
const SAMPLE_ACTIONS = 40

/** Renders actions with the accounts and transactions that the query requests. `next`: see `Page`. */
export function renderActions(
  context: RenderContext,
  rows: readonly ActionRow[],
  query: ActionsQuery,
  next?: string,
): Page {
  if (rows.length === 0) return NOTHING
  context.size.expect(expectedBytes(rows, query), instead(query))
  const addresses = new Map<string, RawAddress>()
  return {
    items: actionTexts(context, rows, { query, addresses }),
    fields: () =>
      context.reading(async (db) => {
        const listing = await new Listing(context).listAddresses([...addresses.values()], db)
        await listing.load({ metadata: true, db })
        const fields = listing.fields({ metadata: true })
        return next === undefined ? fields : { ...fields, next_cursor: JSON.stringify(next) }
      }),
    next,
  }
}

function expectedBytes(rows: readonly ActionRow[], query: ActionsQuery): number {
  let bytes = rows.length * TYPICAL_BYTES.action
  for (const row of rows) {
    if (query.include_transactions) bytes += row.tx_hashes.length * TYPICAL_BYTES.wholeTransaction
    if (query.include_accounts) bytes += row.account_ids.length * TYPICAL_BYTES.address
  }
  return bytes
}

/** Throws `ReplyTooLarge` if the page would be too large, judged by some of its actions. */
async function expectLikeSample(
  context: RenderContext,
  rows: readonly ActionRow[],
  query: ActionsQuery,
): Promise<void> {
  if (!context.size.isDoubtful(expectedBytes(rows, query))) return
  const sample = spread(rows, SAMPLE_ACTIONS)
  const transactions = new TransactionTexts(context)
  await transactions.load(sample)
  context.size.expectLike(transactions.shownIn(sample), shownBy(rows), instead(query))
}

/** Transactions with all their repetitions. */
const shownBy = (rows: readonly ActionRow[]): number =>
  rows.reduce((sum, row) => sum + row.tx_hashes.length, 0)

const instead = (query: ActionsQuery): string =>
  query.include_transactions
    ? 'lower `limit` or leave out `include_transactions`'
    : query.include_accounts
      ? 'lower `limit` or leave out `include_accounts`'
      : 'lower `limit`'

interface Rendering {
  readonly query: ActionsQuery
  /** Collects the addresses that are shown, by their text. */
  readonly addresses: Map<string, RawAddress>
}

async function* actionTexts(
  context: RenderContext,
  rows: readonly ActionRow[],
  { query, addresses }: Rendering,
): AsyncGenerator<Json> {
  const transactions = new TransactionTexts(context)
  const isGaslessKnown = asksForGasless(context, query)
  for (const group of inGroups(rows)) {
    const accountText = await accountTexts(context, group)
    const actions = await showActions(context, group, {
      addressOf: accountText,
      knowsGasless: isGaslessKnown,
    })
    const others = query.include_accounts ? group.flatMap((row) => row.account_ids).map(accountText) : []
    for (const address of addressesIn(actions, others))
      addresses.set(`${address.workchain}:${address.hash.toString('latin1')}`, address)
    if (query.include_transactions) {
      // Before anything is written.
      if (group[0] === rows[0]) await expectLikeSample(context, rows, query)
      await transactions.load(group)
    }
    for (const action of actions)
      yield actionText(action, beside(action, { query, accountText, transactions }))
  }
}

/** By a version that has the type, or by the name of the type. */
const asksForGasless = ({ settings }: RenderContext, query: ActionsQuery): boolean =>
  knowsGasless(expandSupportedTypes(query.supported_action_types, settings.actionsVersion)) ||
  knowsGasless(new Set(query.action_type))

interface Sources {
  readonly query: ActionsQuery
  readonly accountText: (id: bigint) => string
  readonly transactions: TransactionTexts
}

const beside = ({ row }: ShownAction, { query, accountText, transactions }: Sources) => ({
  ...(query.include_accounts && { accounts: row.account_ids.map(accountText) }),
  ...(query.include_transactions && { transactions: transactions.of(row) }),
})

function* inGroups(rows: readonly ActionRow[]): Generator<readonly ActionRow[]> {
  let group: ActionRow[] = []
  let hashes = new Set<string>()
  for (const row of rows) {
    const isFull = group.length >= GROUP_ACTIONS || hashes.size + row.tx_hashes.length > GROUP_TRANSACTIONS
    if (group.length > 0 && isFull) {
      yield group
      group = []
      hashes = new Set()
    }
    group.push(row)
    for (const hash of row.tx_hashes) hashes.add(keyOf(hash))
  }
  if (group.length > 0) yield group
}

const keyOf = (hash: Buffer): string => hash.toString('latin1')

/**
 * Transactions as text. Actions of the same trace, which are adjacent, share transactions: each is rendered
 * once and kept as long as the next group needs it too.
 */
class TransactionTexts {
  private texts: ReadonlyMap<string, Json> = new Map()

  constructor(private readonly context: RenderContext) {}

  async load(group: readonly ActionRow[]): Promise<void> {
    const texts = new Map<string, Json>()
    const missing = new Map<string, Buffer>()
    for (const hash of group.flatMap((row) => row.tx_hashes)) {
      const known = this.texts.get(keyOf(hash))
      if (known === undefined) missing.set(keyOf(hash), hash)
      else texts.set(keyOf(hash), known)
    }
    this.texts = texts
    const rows = await this.context.reading((db) => transactionsByHash(db, [...missing.values()]))
    const pace = new Pace()
    for await (const { rows: batch, items } of transactionBatches(this.context, rows)) {
      const replies = items[Symbol.iterator]()
      for (const row of batch) {
        texts.set(keyOf(row.hash), replies.next().value as Json)
        await pace.rest()
      }
    }
  }

  /** The size of the transactions that the loaded actions show. */
  shownIn(group: readonly ActionRow[]): Rendered {
    const texts = group.flatMap((row) => this.of(row))
    return { bytes: texts.reduce((sum, text) => sum + text.length, 0), units: texts.length }
  }

  /** The transactions of a loaded action, in the order of its hashes. */
  of(action: ActionRow): readonly Json[] {
    return action.tx_hashes.flatMap((hash) => this.texts.get(keyOf(hash)) ?? [])
  }
}

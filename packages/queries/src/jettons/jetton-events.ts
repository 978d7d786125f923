import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { EMPTY_PAGE, type Page, type SortedPageRequest, statement } from '../idiom/index.ts'
import { eventLists } from '../tokens/event-lists.ts'
import {
  type OfTransaction,
  readTokenEvents,
  TOKEN_EVENT_TYPES,
  type TokenEvent,
  type TokenEventWindow,
} from '../tokens/token-events.ts'

/** These columns are set on confirmed events. */
interface OfJetton {
  readonly jetton_id: AccountId
}

type JettonTransfer = TokenEvent &
  OfJetton &
  Pick<
    Row<'jetton_transfers'>,
    'source_id' | 'destination_id' | 'amount' | 'forward_amount' | 'forward_payload'
  >

type JettonBurn = TokenEvent & OfJetton & Pick<Row<'jetton_burns'>, 'owner_id' | 'amount'>

/** A transfer with its transaction; amounts are decimal strings in the smallest unit. */
export type JettonTransferRow = JettonTransfer & OfTransaction
/** A burn with its transaction. */
export type JettonBurnRow = JettonBurn & OfTransaction

/** Transfers or burns that match all that is given; `undefined` matches any. */
export interface JettonEventFilter extends TokenEventWindow {
  readonly ownerIds?: readonly AccountId[] | undefined
  readonly walletIds?: readonly AccountId[] | undefined
  readonly jettonIds?: readonly AccountId[] | undefined
}

/** Transfers that match all that is given. */
export interface JettonTransferFilter extends JettonEventFilter {
  /** Whether the owners received (`in`) or sent (`out`). Default: both. */
  readonly direction?: 'in' | 'out' | 'both' | undefined
}

const TRANSFERS = statement<JettonTransfer>('jetton transfers', {
  ...TOKEN_EVENT_TYPES,
  source_id: 'int8',
  destination_id: 'int8',
  jetton_id: 'int8',
  amount: 'numeric',
  forward_amount: 'numeric',
  forward_payload: 'bytea',
})

const BURNS = statement<JettonBurn>('jetton burns', {
  ...TOKEN_EVENT_TYPES,
  owner_id: 'int8',
  jetton_id: 'int8',
  amount: 'numeric',
})

const SIDES = { in: ['destination_id'], out: ['source_id'], both: ['source_id', 'destination_id'] } as const

/** Transfers accepted by the sender's wallet. Order and index: `readTokenEvents`. */
export async function listJettonTransfers(
  db: Db,
  filter: JettonTransferFilter,
  page: SortedPageRequest,
): Promise<Page<JettonTransferRow>> {
  const selection = selectionOf(filter, SIDES[filter.direction ?? 'both'])
  if (!selection) return EMPTY_PAGE
  const list = { name: 'jetton-transfer', table: 'jetton_transfers', statement: TRANSFERS } as const
  return readTokenEvents(db, { ...list, ...selection }, page)
}

/** Burns, including aborted ones. Order and index: `readTokenEvents`. */
export async function listJettonBurns(
  db: Db,
  filter: JettonEventFilter,
  page: SortedPageRequest,
): Promise<Page<JettonBurnRow>> {
  const selection = selectionOf(filter, ['owner_id'])
  if (!selection) return EMPTY_PAGE
  const list = { name: 'jetton-burn', table: 'jetton_burns', statement: BURNS } as const
  return readTokenEvents(db, { ...list, ...selection }, page)
}

/** Undefined when nothing can match. */
function selectionOf(
  { ownerIds, walletIds, jettonIds, lt, time }: JettonEventFilter,
  owners: readonly string[],
) {
  const lists = eventLists([
    { columns: ['account_id'], ids: walletIds },
    { columns: owners, ids: ownerIds },
    { columns: ['jetton_id'], ids: jettonIds },
  ])
  return lists && { lt, time, lists }
}

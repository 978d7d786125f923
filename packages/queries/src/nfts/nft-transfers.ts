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

type NftTransfer = TokenEvent &
  Pick<
    Row<'nft_transfers'>,
    'old_owner_id' | 'new_owner_id' | 'collection_id' | 'forward_amount' | 'forward_payload'
  >

/** A transfer with its transaction; `forward_amount` is a decimal string of nanotons. */
export type NftTransferRow = NftTransfer & OfTransaction

/** Transfers that match all that is given; `undefined` matches any. */
export interface NftTransferFilter extends TokenEventWindow {
  readonly ownerIds?: readonly AccountId[] | undefined
  readonly itemIds?: readonly AccountId[] | undefined
  readonly collectionIds?: readonly AccountId[] | undefined
  /** Whether the owners received (`in`) or gave (`out`). Default: both. */
  readonly direction?: 'in' | 'out' | 'both' | undefined
}

const TRANSFERS = statement<NftTransfer>('nft transfers', {
  ...TOKEN_EVENT_TYPES,
  old_owner_id: 'int8',
  new_owner_id: 'int8',
  collection_id: 'int8',
  forward_amount: 'numeric',
  forward_payload: 'bytea',
})

const SIDES = { in: ['new_owner_id'], out: ['old_owner_id'], both: ['old_owner_id', 'new_owner_id'] } as const

/** Transfer requests to an item, including failed ones. Order and index: `readTokenEvents`. */
export async function listNftTransfers(
  db: Db,
  filter: NftTransferFilter,
  page: SortedPageRequest,
): Promise<Page<NftTransferRow>> {
  const { ownerIds, itemIds, collectionIds, lt, time } = filter
  const lists = eventLists([
    { columns: ['account_id'], ids: itemIds },
    { columns: SIDES[filter.direction ?? 'both'], ids: ownerIds },
    { columns: ['collection_id'], ids: collectionIds },
  ])
  if (!lists) return EMPTY_PAGE
  const list = { name: 'nft-transfer', table: 'nft_transfers', statement: TRANSFERS } as const
  return readTokenEvents(db, { ...list, lt, time, lists }, page)
}

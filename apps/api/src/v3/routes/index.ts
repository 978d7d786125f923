import { exportRoute } from '../../http/export-route.ts'
import type { Route } from '../../http/route.ts'
import { ACCOUNT_ROUTES } from './accounts.ts'
import { ACTION_ROUTES } from './actions.ts'
import { ADDRESS_BOOK_ROUTES } from './address-book.ts'
import { BALANCE_ROUTES } from './balance-changes.ts'
import { PAST_BALANCE_ROUTES } from './balances.ts'
import { BLOCK_ROUTES } from './blocks.ts'
import { CONTRACT_ROUTES } from './contracts.ts'
import { DECODE_POST_ROUTES, DECODE_ROUTES } from './decode.ts'
import { JETTON_ROUTES } from './jettons.ts'
import { LITE_SERVER_ROUTES } from './lite-servers.ts'
import { MESSAGE_ROUTES } from './messages.ts'
import { NFT_ROUTES } from './nfts.ts'
import { PENDING_ROUTES } from './pending.ts'
import { TRACE_ROUTES } from './traces.ts'
import { TRANSACTION_ROUTES } from './transactions.ts'

/** The endpoints of API v3 that read the index. */
export const INDEX_ROUTES: readonly Route[] = [
  ...BLOCK_ROUTES,
  ...TRANSACTION_ROUTES,
  ...MESSAGE_ROUTES,
  ...TRACE_ROUTES,
  ...ACTION_ROUTES,
  ...BALANCE_ROUTES,
  ...PAST_BALANCE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...ADDRESS_BOOK_ROUTES,
  ...DECODE_ROUTES,
  ...JETTON_ROUTES,
  ...NFT_ROUTES,
  ...CONTRACT_ROUTES,
]

/** Every endpoint of API v3 that returns JSON: mounted, documented and tested from this list. */
export const V3_ROUTES: readonly Route[] = [
  ...INDEX_ROUTES,
  ...PENDING_ROUTES,
  ...LITE_SERVER_ROUTES,
  ...DECODE_POST_ROUTES,
]

/** The exports of lists. */
export const EXPORT_ROUTES: readonly Route[] = INDEX_ROUTES.flatMap((route) =>
  route.kind === 'list' && !route.deprecated ? exportRoute(route) : [],
)

import type { View } from '../define-view.ts'
import { ACCOUNT_VIEWS } from './accounts.ts'
import { ACTION_VIEWS } from './actions.ts'
import { BALANCE_VIEWS } from './balances.ts'
import { CHAIN_VIEWS } from './chain.ts'
import { CONTRACT_VIEWS } from './contracts.ts'
import { JETTON_VIEWS } from './jettons.ts'
import { MESSAGE_VIEWS } from './messages.ts'
import { NFT_OWNER_VIEWS } from './nft-owners.ts'
import { NFT_VIEWS } from './nfts.ts'
import { TOTAL_VIEWS } from './totals.ts'

/** Every view, in an order in which each uses only those before it. */
export const VIEWS: readonly View[] = [
  ...CHAIN_VIEWS,
  ...MESSAGE_VIEWS,
  ...JETTON_VIEWS,
  ...BALANCE_VIEWS,
  ...NFT_VIEWS,
  ...ACTION_VIEWS,
  ...TOTAL_VIEWS,
  ...ACCOUNT_VIEWS,
  ...CONTRACT_VIEWS,
  ...NFT_OWNER_VIEWS,
]

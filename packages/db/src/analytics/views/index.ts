import type { View } from '../define-view.ts'
import { ACTION_VIEWS } from './actions.ts'
import { CHAIN_VIEWS } from './chain.ts'
import { TOKEN_VIEWS } from './tokens.ts'
import { TOTAL_VIEWS } from './totals.ts'

/** Every view, in an order in which each uses only those before it. */
export const VIEWS: readonly View[] = [...CHAIN_VIEWS, ...TOKEN_VIEWS, ...ACTION_VIEWS, ...TOTAL_VIEWS]

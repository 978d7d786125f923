import type { Dataset } from '../define-dataset.ts'
import { ACTION_ACCOUNTS, ACTIONS, DEX_TRADES, TRACES } from './actions.ts'
import { BLOCKS } from './blocks.ts'
import { JETTON_EVENTS } from './jetton-events.ts'
import { MESSAGES } from './messages.ts'
import { SNAPSHOTS } from './snapshots.ts'
import { ACCOUNT_STATES, BALANCES_HISTORY } from './states.ts'
import { TOKEN_DATASETS } from './tokens.ts'
import { TRANSACTIONS } from './transactions.ts'

/** Every dataset. */
export const DATASETS: readonly Dataset[] = [
  BLOCKS,
  TRANSACTIONS,
  MESSAGES,
  ACCOUNT_STATES,
  BALANCES_HISTORY,
  JETTON_EVENTS,
  ...TOKEN_DATASETS,
  ACTIONS,
  ACTION_ACCOUNTS,
  DEX_TRADES,
  TRACES,
  ...SNAPSHOTS,
]

import type { OnlineIndex } from './online-index.ts'

/** The accounts with a code in the order of their list, of which a page is read. */
export const online: readonly OnlineIndex[] = [
  {
    table: 'latest_account_states',
    name: 'latest_account_states_code_account',
    definition: '(code_hash, account_id) where code_hash is not null',
  },
]

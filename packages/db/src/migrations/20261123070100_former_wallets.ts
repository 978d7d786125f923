import type { OnlineIndex } from './online-index.ts'

/** Wallets of a jetton that no longer exist: holders at a past block. */
export const online: readonly OnlineIndex[] = [
  {
    table: 'former_contracts',
    name: 'former_contracts_jetton',
    definition: '(jetton_id, wallet_owner_id) where (jetton_id is not null)',
  },
]

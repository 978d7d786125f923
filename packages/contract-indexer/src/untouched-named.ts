import type { Examined, SeedState } from '@shardwalk/db'
import type { RawAddress } from '@shardwalk/model'
import type { ContractEnvironment } from './environment.ts'
import type { StateLoader } from './state-loader.ts'

/**
 * The contracts that confirmed a role of these and that no indexed block touched, which is usual where
 * indexing began at the head: without their own rows, jettons and collections would have no name.
 *
 * Accounts of a zerostate come with it, and what changed after the newest indexed block comes with its block.
 */
export const untouchedNamed = (
  examined: readonly Examined[],
  states: StateLoader,
  { endLt }: Pick<ContractEnvironment, 'endLt'>,
): SeedState[] =>
  examined.flatMap(({ found }) =>
    namedBy(found).flatMap((address) => {
      const fetched = states.untouchedState(address)
      if (fetched?.state.status !== 'active' || fetched.lt === 0n || fetched.lt > endLt) return []
      const { state, stateHash, lt, lastTransHash: hash } = fetched
      return [{ address, state, stateHash, last: { lt, hash }, timestamp: 0 }]
    }),
  )

const namedBy = (found: Examined['found']): RawAddress[] =>
  found.flatMap((one) => {
    if (one.kind === 'jetton_wallet') return one.jetton
    if (one.kind === 'nft_item') return one.collection ?? []
    return one.kind === 'multisig_order' ? one.multisig : []
  })

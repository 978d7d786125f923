import type { Examined, SeedState } from '@shardwalk/db'
import { addressKey } from '@shardwalk/db/rows'
import type { RawAddress } from '@shardwalk/model'
import type { StateLoader } from './state-loader.ts'
import type { FetchedState } from './state-source.ts'

/**
 * The contracts that confirmed a role of these and that no indexed block touched, which is usual where
 * indexing began at the head: without their own rows, jettons and collections would have no name. Accounts of
 * a zerostate come with it. What no column can hold is left out.
 */
export async function untouchedNamed(
  examined: readonly Examined[],
  states: Pick<StateLoader, 'untouchedState'>,
): Promise<SeedState[]> {
  const named = examined.flatMap(({ found }) => namedBy(found))
  const addresses = new Map(named.map((address) => [addressKey(address), address]))
  const seeds = await Promise.all(
    [...addresses.values()].map(async (address) => {
      const fetched = await states.untouchedState(address)
      return fetched && isStorable(fetched) ? [seedOf(address, fetched)] : []
    }),
  )
  return seeds.flat()
}

const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value

const isStorable = ({ state, lt }: FetchedState): boolean =>
  state.status === 'active' && lt > 0n && fits(lt) && fits(state.balance)

const seedOf = (
  address: RawAddress,
  { state, stateHash, lt, lastTransHash: hash }: FetchedState,
): SeedState => ({ address, state, stateHash, last: { lt, hash }, timestamp: 0 })

const namedBy = (found: Examined['found']): RawAddress[] =>
  found.flatMap((one) => {
    if (one.kind === 'jetton_wallet') return one.jetton
    if (one.kind === 'nft_item') return one.collection ?? []
    return one.kind === 'multisig_order' ? one.multisig : []
  })

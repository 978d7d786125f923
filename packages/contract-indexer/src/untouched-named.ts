import type { Examined, SeedState } from '@shardwalk/db'
import { fitsInt64, type RawAddress } from '@shardwalk/model'
import type { StateLoader } from './state-loader.ts'
import type { FetchedState } from './state-source.ts'

/**
 * The contracts that confirmed a role of this one and that no indexed block touched, which is usual where
 * indexing began at the head: without their own rows, jettons and collections would have no name. Accounts of
 * a zerostate come with it. What no column can hold is left out. Throws what the source of states throws.
 */
export async function untouchedNamed(
  { found }: Pick<Examined, 'found'>,
  states: Pick<StateLoader, 'untouchedState'>,
): Promise<SeedState[]> {
  const seeds: SeedState[] = []
  for (const address of namedBy(found)) {
    const fetched = await states.untouchedState(address)
    if (!fetched || !isStorable(fetched)) continue
    const { state, stateHash, lt, lastTransHash: hash } = fetched
    seeds.push({ address, state, stateHash, last: { lt, hash }, timestamp: 0 })
  }
  return seeds
}

const isStorable = ({ state, lt }: FetchedState): boolean =>
  state.status === 'active' && lt > 0n && fitsInt64(lt) && fitsInt64(state.balance)

const namedBy = (found: Examined['found']): RawAddress[] =>
  found.flatMap((one) => {
    if (one.kind === 'jetton_wallet') return one.jetton
    if (one.kind === 'nft_item') return one.collection ?? []
    return one.kind === 'multisig_order' ? one.multisig : []
  })

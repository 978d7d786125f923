import type { Cell } from '@shardwalk/cells'
import { type AccountModel, accountCell, publicLibraries } from './random-account.ts'

/** State of an account; the cells are whole. */
export type GeneratedState = Readonly<
  Pick<AccountModel, 'status' | 'balance' | 'extraCurrencies' | 'frozenHash' | 'code' | 'data'>
> & {
  readonly cell: Cell
  readonly publicLibraries: readonly Cell[]
}

function stateOf(account: AccountModel): GeneratedState {
  const { status, balance, extraCurrencies, frozenHash, code, data } = account
  const isActive = status === 'active'
  return {
    ...{ status, balance, extraCurrencies, frozenHash, cell: accountCell(account) },
    publicLibraries: [...publicLibraries(account).values()],
    ...{ code: isActive ? code : undefined, data: isActive ? data : undefined },
  }
}

/** By account id in hex. */
export const statesOf = (accounts: Iterable<AccountModel>): ReadonlyMap<string, GeneratedState> =>
  new Map([...accounts].map((account) => [account.address.hash.toString('hex'), stateOf(account)]))

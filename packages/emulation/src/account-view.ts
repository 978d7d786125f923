import { Builder, type Cell, parseRoot } from '@shardwalk/cells'
import { loadAccount, loadShardAccount } from '@shardwalk/tlb'
import type { AccountView } from './types.ts'

/** block.tlb `account_none$0`. */
const NO_ACCOUNT = new Builder().storeBit(false).endCell()

interface LastTransaction {
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
}

const NEVER: LastTransaction = { lastTransLt: 0n, lastTransHash: Buffer.alloc(32) }

/** Reads an `Account` cell; undefined when there is no account. Throws `DecodeError`. */
export function readAccount(cell: Cell | undefined, last: LastTransaction = NEVER): AccountView {
  const account = cell && loadAccount(cell.slice())
  if (!cell || !account)
    return { hash: NO_ACCOUNT.hash(), status: 'nonexist', balance: 0n, ...last, storageLt: 0n }
  const { state, balance, extraCurrencies, storageLt } = account
  const init = state.status === 'active' ? state.init : undefined
  return {
    hash: cell.hash(),
    status: state.status,
    balance,
    extraCurrencies,
    frozenHash: state.status === 'frozen' ? state.stateHash : undefined,
    code: init?.code?.preloadRefCell(),
    data: init?.data?.preloadRefCell(),
    cell,
    ...last,
    storageLt,
  }
}

/** Reads a bag of cells with a `ShardAccount`. Throws `DecodeError`. */
export function readShardAccount(boc: Uint8Array): AccountView {
  const { account, lastTransLt, lastTransHash } = loadShardAccount(parseRoot(boc).slice())
  return readAccount(account.preloadRefCell(), { lastTransLt, lastTransHash })
}

/** block.tlb `account_descr$_ account:^Account last_trans_hash:bits256 last_trans_lt:uint64`. */
export const shardAccountCell = ({ cell, lastTransHash, lastTransLt }: AccountView): Cell =>
  new Builder()
    .storeRef(cell ?? NO_ACCOUNT)
    .storeBytes(lastTransHash)
    .storeUint(lastTransLt, 64)
    .endCell()

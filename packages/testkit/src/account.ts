import { Builder, type Cell } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'

export interface ActiveAccount {
  readonly address: RawAddress
  /** Nanotons. */
  readonly balance: bigint
  readonly code: Cell
  readonly data: Cell
  /** Unix seconds up to which storage is paid. */
  readonly lastPaid: number
  /** lt of the account's last transaction. Default: none. */
  readonly lastTransLt?: bigint
  /** What its storage costs. Default: nothing. */
  readonly used?: { readonly cells: bigint; readonly bits: bigint }
  /** What it owes for storage, in nanotons. Default: nothing. */
  readonly due?: bigint
}

/** block.tlb `account$1`, active. */
export function activeAccount(account: ActiveAccount): Cell {
  const { address, balance, code, data, lastPaid, lastTransLt, used = { cells: 0n, bits: 0n }, due } = account
  const builder = new Builder().storeBit(true).storeAddress(address)
  // storage_used; no storage_extra; due_payment.
  builder
    .storeVarUint(used.cells, 3)
    .storeVarUint(used.bits, 3)
    .storeUint(0, 3)
    .storeUint(lastPaid, 32)
    .storeBit(due !== undefined)
  if (due !== undefined) builder.storeCoins(due)
  // The end of the last transaction; balance without extra currencies.
  builder
    .storeUint(lastTransLt === undefined ? 0 : lastTransLt + 1n, 64)
    .storeCoins(balance)
    .storeBit(false)
  // account_active$1; no fixed prefix, not special, code, data, no libraries.
  return builder.storeUint(0b1_0011, 5).storeRef(code).storeRef(data).storeBit(false).endCell()
}

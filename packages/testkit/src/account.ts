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
}

/** block.tlb `account$1`, active, with nothing stored that would cost anything. */
export function activeAccount({ address, balance, code, data, lastPaid, lastTransLt }: ActiveAccount): Cell {
  const builder = new Builder().storeBit(true).storeAddress(address)
  // storage_used: no cells, no bits; no storage_extra.
  builder
    .storeUint(0, 3 + 3 + 3)
    .storeUint(lastPaid, 32)
    .storeBit(false)
  // The end of the last transaction; balance without extra currencies.
  builder
    .storeUint(lastTransLt === undefined ? 0 : lastTransLt + 1n, 64)
    .storeCoins(balance)
    .storeBit(false)
  // account_active$1; no fixed prefix, not special, code, data, no libraries.
  return builder.storeUint(0b1_0011, 5).storeRef(code).storeRef(data).storeBit(false).endCell()
}

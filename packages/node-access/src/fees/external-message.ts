import { Builder, type Cell, MAX_CELL_BITS } from '@shardwalk/cells'
import type { RawAddress } from '@shardwalk/model'
import { storeCurrencyCollection } from '@shardwalk/tlb'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'

/** Code and data that a message deploys. */
export interface Deployment {
  readonly code: Cell
  readonly data: Cell
}

const MAX_CELL_REFS = 4

/** block.tlb `ext_in_msg_info$10`: the state-init is inline, the body is inline if it fits. */
export function externalMessage(address: RawAddress, body: Cell, init: Deployment | undefined): Cell {
  const message = new Builder().storeUint(0b10, 2).storeUint(0, 2).storeAddress(plain(address)).storeCoins(0n)
  if (init) storeInit(message.storeUint(0b10, 2), init)
  else message.storeBit(false)
  const fits =
    !body.isExotic &&
    message.bits + 1 + body.bits <= MAX_CELL_BITS &&
    message.refs + body.refs.length <= MAX_CELL_REFS
  return fits
    ? message.storeBit(false).storeCell(body).endCell()
    : message.storeBit(true).storeRef(body).endCell()
}

/**
 * block.tlb `account_descr$_`: the account in its present state, or with the code and data to be deployed.
 */
export function shardAccountOf(snapshot: AccountSnapshot, init: Deployment | undefined): Cell {
  return new Builder()
    .storeRef(init ? accountWith(snapshot, init) : snapshot.cell!)
    .storeBytes(snapshot.lastTransHash)
    .storeUint(snapshot.lastTransLt, 64)
    .endCell()
}

/** block.tlb `account$1`, active. */
function accountWith(
  { address, account, balance, extraCurrencies, utime }: AccountSnapshot,
  init: Deployment,
): Cell {
  const builder = new Builder()
    .storeBit(true)
    .storeAddress(plain(address))
    .storeVarUint(account?.used.cells ?? 0n, 3)
    .storeVarUint(account?.used.bits ?? 0n, 3)
    .storeUint(0, 3)
    .storeUint(account?.lastPaid ?? utime, 32)
    .storeBit(account?.duePayment !== undefined)
  if (account?.duePayment !== undefined) builder.storeCoins(account.duePayment)
  builder.storeUint(account?.storageLt ?? 0n, 64)
  storeCurrencyCollection(builder, { grams: balance, ...(extraCurrencies && { extra: extraCurrencies }) })
  return storeInit(builder.storeBit(true), init).endCell()
}

/** block.tlb `StateInit`: no fixed prefix length, not special, code, data, no libraries. */
const storeInit = (builder: Builder, { code, data }: Deployment): Builder =>
  builder.storeUint(0b0011, 4).storeRef(code).storeRef(data).storeBit(false)

/** Drops additional properties that the caller's object may have. */
const plain = ({ workchain, hash }: RawAddress): RawAddress => ({ workchain, hash })

import { Builder, type Cell } from '@shardwalk/cells'
import type { ExtraCurrencies, RawAddress } from '@shardwalk/model'
import { storeCurrencyCollection } from './currency.ts'

/** What an index keeps of an account; the rest of its cell follows from it, except in unusual accounts. */
export interface AccountParts {
  readonly address: RawAddress
  /** Unix seconds of the last transaction. */
  readonly lastPaid: number
  /** lt after the messages of the last transaction. */
  readonly storageLt: bigint
  readonly balance: bigint
  readonly extraCurrencies?: ExtraCurrencies | undefined
  readonly status: 'uninit' | 'frozen' | 'active'
  /** Of a frozen account. */
  readonly frozenHash?: Buffer | undefined
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
}

/**
 * Builds the cell of an account. The caller compares its hash with the hash of the state: they differ for
 * accounts with debts, libraries, ticks or a fixed prefix, and for those with a storage dictionary, which
 * nodes keep from 26 cells on.
 * Source: block.tlb `account$1 addr:MsgAddressInt storage_stat:StorageInfo storage:AccountStorage`.
 */
export function rebuildAccount(parts: AccountParts): Cell {
  const { address, lastPaid } = parts
  const storage = storageOf(parts)
  const { cells, bits } = measure(storage)
  return (
    new Builder()
      .storeBit(true)
      .storeAddress({ workchain: address.workchain, hash: address.hash })
      // storage_info$_ used:StorageUsed storage_extra:storage_extra_none$000 last_paid:uint32
      .storeVarUint(BigInt(cells), 3)
      .storeVarUint(BigInt(bits), 3)
      .storeUint(0, 3)
      .storeUint(lastPaid, 32)
      // due_payment:(Maybe Grams)
      .storeBit(false)
      .storeCell(storage)
      .endCell()
  )
}

/** block.tlb `account_storage$_ last_trans_lt:uint64 balance:CurrencyCollection state:AccountState`. */
function storageOf({
  storageLt,
  balance,
  extraCurrencies,
  status,
  frozenHash,
  code,
  data,
}: AccountParts): Cell {
  const builder = new Builder().storeUint(storageLt, 64)
  storeCurrencyCollection(builder, { grams: balance, ...(extraCurrencies && { extra: extraCurrencies }) })
  if (status === 'uninit') return builder.storeUint(0b00, 2).endCell()
  if (status === 'frozen') return builder.storeUint(0b01, 2).storeBytes(frozenHash!).endCell()
  // account_active$1 _:StateInit: no fixed prefix length, not special, no libraries.
  return builder.storeUint(0b100, 3).storeMaybeRef(code).storeMaybeRef(data).storeBit(false).endCell()
}

/** Different cells and their bits. Source: node, crypto/vm/boc.cpp, `CellStorageStat`. */
function measure(root: Cell): { readonly cells: number; readonly bits: number } {
  const seen = new Set<string>()
  let bits = 0
  const open = [root]
  for (let cell = open.pop(); cell; cell = open.pop()) {
    const key = cell.hash().toString('latin1')
    if (seen.has(key)) continue
    seen.add(key)
    bits += cell.bits
    open.push(...cell.refs)
  }
  return { cells: seen.size, bits }
}

import { loadStdAddress, type Slice } from '@shardwalk/cells'
import { DecodeError, type ExtraCurrencies, type RawAddress, type StorageUsed } from '@shardwalk/model'
import { loadExtraCurrencies } from './currency.ts'
import { loadMaybeCoins, loadStorageUsed } from './phases.ts'
import { loadStateInit, type StateInitRefs } from './state-init.ts'

/** block.tlb `account$1`. Money in nanotons, `lastPaid` Unix seconds. */
export interface Account {
  readonly address: RawAddress | undefined
  readonly used: StorageUsed
  /** `storage_extra_info$001`: hash of the account's storage dictionary, since global version 11. */
  readonly storageDictHash?: Buffer
  readonly lastPaid: number
  readonly duePayment?: bigint
  /** lt after the last transaction's messages, not the transaction's own. */
  readonly storageLt: bigint
  readonly balance: bigint
  /** Undefined when there are none, and when a proof or an update shows only a part of them. */
  readonly extraCurrencies?: ExtraCurrencies
  /** Reader limited to the reference to the dictionary of extra currencies that is shown in part. */
  readonly hiddenCurrencies?: Slice
  readonly state: AccountState
}

/** block.tlb `AccountState`. `stateHash`: of the `StateInit` that unfreezes the account. */
export type AccountState =
  | { readonly status: 'uninit' }
  | { readonly status: 'frozen'; readonly stateHash: Buffer }
  | { readonly status: 'active'; readonly init: StateInitRefs }

/** block.tlb `shard_account$_ account:^Account last_trans_hash:bits256 last_trans_lt:uint64`. */
export interface ShardAccount {
  /** Reader limited to the reference to the Account cell. */
  readonly account: Slice
  readonly lastTransHash: Buffer
  readonly lastTransLt: bigint
}

/** Reads a leaf of `ShardAccounts`, which stands in line behind its extra. */
export function loadShardAccount(slice: Slice): ShardAccount {
  return {
    account: slice.loadPart(0, 1),
    lastTransHash: slice.loadBytes(32),
    lastTransLt: slice.loadUintBig(64),
  }
}

/** block.tlb `account_none$0` (undefined) or `account$1`. */
export function loadAccount(slice: Slice): Account | undefined {
  if (!slice.loadBit()) return undefined
  const address = loadStdAddress(slice)
  const used = loadStorageUsed(slice)
  const storageDictHash = loadStorageExtra(slice)
  const lastPaid = slice.loadUint(32)
  const duePayment = loadMaybeCoins(slice)
  const storageLt = slice.loadUintBig(64)
  const balance = slice.loadCoins()
  const hiddenCurrencies = loadHiddenDict(slice)
  const extraCurrencies = hiddenCurrencies ? undefined : loadExtraCurrencies(slice)
  return {
    address,
    used,
    storageDictHash,
    lastPaid,
    duePayment,
    storageLt,
    balance,
    extraCurrencies,
    ...(hiddenCurrencies && { hiddenCurrencies }),
    state: loadAccountState(slice),
  }
}

/** Moves past a HashmapE only when something of it is pruned. */
function loadHiddenDict(slice: Slice): Slice | undefined {
  if (!slice.preloadBit() || slice.refLevelMask() === 0) return undefined
  return slice.skip(1).loadPart(0, 1)
}

/** Three bits that were the empty `public_cells:(VarUInteger 7)` before global version 11 and read alike. */
function loadStorageExtra(slice: Slice): Buffer | undefined {
  const tag = slice.loadUint(3)
  if (tag > 1) throw new DecodeError('storage_info.storage_extra', `unknown tag ${tag}`)
  return tag === 1 ? slice.loadBytes(32) : undefined
}

/** block.tlb `account_active$1 _:StateInit`, `account_uninit$00`, `account_frozen$01 state_hash:bits256`. */
function loadAccountState(slice: Slice): AccountState {
  if (slice.loadBit()) return { status: 'active', init: loadStateInit(slice) }
  return slice.loadBit() ? { status: 'frozen', stateHash: slice.loadBytes(32) } : { status: 'uninit' }
}

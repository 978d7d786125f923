import { CELL, forEachLeaf, loadDictRoot, lookup, type Slice, type VisitOptions } from '@shardwalk/cells'
import {
  type BlockId,
  DecodeError,
  FULL_SHARD,
  MASTERCHAIN,
  type ShardId,
  type ShardTop,
} from '@shardwalk/model'
import { loadShardAccount, type ShardAccount } from './account.ts'
import { type CurrencyCollection, loadCurrencyCollection, skipCurrencyCollection } from './currency.ts'
import { expectTag, loadExtBlkRef, loadShardIdent, toBlockId } from './ids.ts'
import { type ConfigParams, loadConfigParams } from './mc-block-extra.ts'
import { loadShardHashes } from './shard-hashes.ts'

/**
 * block.tlb `shard_state#9023afe2`. Readers over parts are at their starts; clone them before a second
 * reading.
 */
export interface ShardState {
  readonly globalId: number
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
  readonly vertSeqno: number
  readonly genUtime: number
  readonly genLt: bigint
  readonly minRefMcSeqno: number
  readonly beforeSplit: boolean
  /** Reader limited to the reference to `ShardAccounts`. */
  readonly accounts: Slice
  /** Reader limited to the reference to the cell with balances, libraries and the masterchain reference. */
  readonly rest: Slice
  /** Reader limited to the reference to `McStateExtra`; masterchain only. */
  readonly custom?: Slice
}

/** What the third cell of a shard state holds. */
export interface ShardStateRest {
  readonly overloadHistory: bigint
  readonly underloadHistory: bigint
  readonly totalBalance: CurrencyCollection
  readonly totalValidatorFees: CurrencyCollection
  /** Root of `HashmapE 256 LibDescr`: public libraries, masterchain only. */
  readonly libraries?: Slice
  readonly masterRef?: BlockId
}

/** Of the state after a masterchain block. */
export interface StateKeyBlocks {
  /** The block itself is one. */
  readonly afterKeyBlock: boolean
  /** The last one before it. */
  readonly lastKeyBlock?: BlockId
}

/** What only states of the masterchain have. */
export interface McStateExtra extends StateKeyBlocks {
  readonly shardTops: readonly ShardTop[]
  readonly config: ConfigParams
  readonly validatorListHashShort: number
  readonly catchainSeqno: number
  readonly nxCcUpdated: boolean
  /** Reader at `OldMcBlocksInfo`, a HashmapAugE with 32-bit keys. */
  readonly prevBlocks: Slice
  readonly globalBalance: CurrencyCollection
}

/** Constructor tags of block.tlb `shard_state#9023afe2` and `split_state#5f327da5`. */
export const SHARD_STATE_TAG = 0x9023afe2
/** Of the state before a merge, which has the states of both shards as references. */
export const SPLIT_STATE_TAG = 0x5f327da5

/** Reads the first cell only, so that all others may be pruned. Throws `DecodeError` for another tag. */
export function loadShardState(slice: Slice): ShardState {
  expectTag(slice, 32, SHARD_STATE_TAG, 'shard_state')
  const globalId = slice.loadInt(32)
  const { workchain, shard } = loadShardIdent(slice)
  const seqno = slice.loadUint(32)
  const vertSeqno = slice.loadUint(32)
  const genUtime = slice.loadUint(32)
  const genLt = slice.loadUintBig(64)
  const minRefMcSeqno = slice.loadUint(32)
  // out_msg_queue_info
  slice.skipRefs(1)
  const beforeSplit = slice.loadBit()
  const accounts = slice.loadPart(0, 1)
  const rest = slice.loadPart(0, 1)
  const custom = slice.loadBit() ? slice.loadPart(0, 1) : undefined
  const base = {
    globalId,
    workchain,
    shard,
    seqno,
    vertSeqno,
    genUtime,
    genLt,
    minRefMcSeqno,
    beforeSplit,
    accounts,
    rest,
  }
  return custom ? { ...base, custom } : base
}

/** Reads the cell that `rest` refers to. */
export function loadShardStateRest(slice: Slice): ShardStateRest {
  const overloadHistory = slice.loadUintBig(64)
  const underloadHistory = slice.loadUintBig(64)
  const totalBalance = loadCurrencyCollection(slice)
  const totalValidatorFees = loadCurrencyCollection(slice)
  const libraries = loadDictRoot(slice)
  const masterRef = slice.loadBit() ? toBlockId(loadExtBlkRef(slice), MASTERCHAIN, FULL_SHARD) : undefined
  return {
    overloadHistory,
    underloadHistory,
    totalBalance,
    totalValidatorFees,
    ...(libraries && { libraries }),
    ...(masterRef && { masterRef }),
  }
}

/** block.tlb `masterchain_state_extra#cc26`. */
export function loadMcStateExtra(slice: Slice): McStateExtra {
  expectTag(slice, 16, 0xcc26, 'masterchain_state_extra')
  const shardTops = loadShardHashes(slice)
  const config = loadConfigParams(slice)
  const info = slice.loadRefSlice()
  const globalBalance = loadCurrencyCollection(slice)
  const flags = info.loadUint(16)
  if (flags > 1) throw new DecodeError('masterchain_state_extra.flags', `${flags} is more than 1`)
  const validators = {
    validatorListHashShort: info.loadUint(32),
    catchainSeqno: info.loadUint(32),
    nxCcUpdated: info.loadBit(),
  }
  const prevBlocks = info.clone()
  return { shardTops, config, ...validators, prevBlocks, ...loadKeyBlocks(info), globalBalance }
}

/** Only the key blocks of `McStateExtra`: proofs and updates of states prune most of the rest. */
export function loadStateKeyBlocks(slice: Slice): StateKeyBlocks {
  expectTag(slice, 16, 0xcc26, 'masterchain_state_extra')
  if (slice.loadBit()) slice.skipRefs(1)
  // Skips the configuration; then flags and validator_info.
  const info = slice.skip(256).skipRefs(1).loadRefSlice()
  return loadKeyBlocks(info.skip(16 + 65))
}

/** `info`: reader at `OldMcBlocksInfo`, a HashmapAugE whose extra is key:Bool max_end_lt:uint64. */
function loadKeyBlocks(info: Slice): StateKeyBlocks {
  if (info.loadBit()) info.skipRefs(1)
  const afterKeyBlock = info.skip(1 + 64).loadBit()
  if (!info.loadBit()) return { afterKeyBlock }
  return { afterKeyBlock, lastKeyBlock: toBlockId(loadExtBlkRef(info), MASTERCHAIN, FULL_SHARD) }
}

/** Only the configuration of `McStateExtra`: proofs of the configuration prune the rest. */
export function loadStateConfig(slice: Slice): ConfigParams {
  expectTag(slice, 16, 0xcc26, 'masterchain_state_extra')
  if (slice.loadBit()) slice.skipRefs(1)
  return loadConfigParams(slice)
}

/** An earlier masterchain block in `OldMcBlocksInfo`; undefined when the dictionary does not have it. */
export function findOldMcBlock(
  extra: McStateExtra,
  seqno: number,
): { readonly id: BlockId; readonly endLt: bigint; readonly key: boolean } | undefined {
  const value = lookup(loadDictRoot(extra.prevBlocks.clone()), 32, seqno)
  if (value === undefined) return undefined
  // The leaf's extra: key:Bool max_end_lt:uint64.
  value.skip(1 + 64)
  const key = value.loadBit()
  const ref = loadExtBlkRef(value)
  return { id: toBlockId(ref, MASTERCHAIN, FULL_SHARD), endLt: ref.endLt, key }
}

/**
 * Visits `ShardAccounts = HashmapAugE 256 ShardAccount DepthBalanceInfo` in order of addresses.
 * `state.accounts` may be visited again. In proofs and updates pass `{ pruned: 'skip' }` to see only what is
 * shown.
 */
export function forEachShardAccount(
  state: ShardState,
  visit: (account: ShardAccount, accountId: Buffer) => void | false,
  options?: VisitOptions,
): void {
  const root =
    options?.pruned === 'skip' && !showsAccounts(state)
      ? undefined
      : loadDictRoot(state.accounts.preloadRefSlice())
  forEachLeaf(
    root,
    256,
    (value, key) => {
      skipDepthBalance(value)
      return visit(loadShardAccount(value), key.toBuffer())
    },
    options,
  )
}

/**
 * False when the dictionary itself is pruned: no account was touched, or only ones that exist neither before
 * nor after.
 */
function showsAccounts({ accounts }: ShardState): boolean {
  if (accounts.refType() === CELL.pruned) return false
  const dictionary = accounts.preloadRefSlice()
  return !dictionary.preloadBit() || dictionary.refType() !== CELL.pruned
}

/** Throws PrunedCellError when a proof does not show the path to the account. */
export function findShardAccount(state: ShardState, accountId: Uint8Array): ShardAccount | undefined {
  const value = lookup(loadDictRoot(state.accounts.preloadRefSlice()), 256, accountId)
  if (value === undefined) return undefined
  skipDepthBalance(value)
  return loadShardAccount(value)
}

/** block.tlb `depth_balance$_ split_depth:(#<= 30) balance:CurrencyCollection`. */
function skipDepthBalance(slice: Slice): void {
  slice.skip(5)
  skipCurrencyCollection(slice)
}

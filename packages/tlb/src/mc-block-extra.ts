import { forEachLeaf, loadDictRoot, lookup, PrunedCellError, type Slice } from '@shardwalk/cells'
import { DecodeError, NEWER_GLOBAL_VERSION, type ShardId, type ShardTop } from '@shardwalk/model'
import { loadGlobalVersion } from './block.ts'
import { type CurrencyCollection, loadCurrencyCollection, skipCurrencyCollection } from './currency.ts'
import { expectTag } from './ids.ts'
import { loadShardHashes } from './shard-hashes.ts'

/** Configuration as a key block (or the state) carries it. */
export interface ConfigParams {
  readonly configAddress: Buffer
  /** Root of `Hashmap 32 ^Cell`; clone it before reading. */
  readonly root: Slice
}

/** What only masterchain blocks have. `shardTops`: newest blocks of all shards that this one commits. */
export interface McBlockExtra {
  readonly keyBlock: boolean
  readonly shardTops: readonly ShardTop[]
  /** Reader at the `HashmapAugE` of shard fees: pass it to `loadShardFees`. */
  readonly shardFees: Slice
  /** Readers at the `InMsg` of the two messages that the system itself makes. */
  readonly recoverCreateMsg?: Slice
  readonly mintMsg?: Slice
  /** Key blocks only. */
  readonly config?: ConfigParams
}

export const MC_BLOCK_EXTRA_TAG = 0xcca5

/**
 * block.tlb `masterchain_block_extra#cca5`. Block signatures, empty in every known block, are passed over.
 */
export function loadMcBlockExtra(slice: Slice): McBlockExtra {
  expectTag(slice, 16, MC_BLOCK_EXTRA_TAG, 'mc_block_extra')
  const keyBlock = slice.loadBit()
  const shardTops = loadShardHashes(slice)
  const shardFees = slice.clone()
  skipShardFees(slice)
  const rest = slice.loadRefSlice()
  // prev_blk_signatures:(HashmapE 16 CryptoSignaturePair)
  if (rest.loadBit()) rest.skipRefs(1)
  const recoverCreateMsg = rest.loadMaybeRefSlice()
  const mintMsg = rest.loadMaybeRefSlice()
  const config = keyBlock ? loadConfigParams(slice) : undefined
  return {
    keyBlock,
    shardTops,
    shardFees,
    ...(recoverCreateMsg && { recoverCreateMsg }),
    ...(mintMsg && { mintMsg }),
    ...(config && { config }),
  }
}

/** block.tlb `_ config_addr:bits256 config:^(Hashmap 32 ^Cell) = ConfigParams`. */
export function loadConfigParams(slice: Slice): ConfigParams {
  return { configAddress: slice.loadBytes(32), root: slice.loadRefSlice() }
}

/**
 * Reader over one configuration parameter; undefined when it is not set. Throws PrunedCellError when a proof
 * hides it.
 */
export function findConfigParam(config: Pick<ConfigParams, 'root'>, index: number): Slice | undefined {
  return lookup(config.root.clone(), 32, index >>> 0)?.loadRefSlice()
}

/** ConfigParam 8, see `findVersionParam`. */
export interface GlobalVersion {
  readonly version: number
  readonly capabilities: bigint
}

const NEWER_VERSION: GlobalVersion = { version: NEWER_GLOBAL_VERSION, capabilities: 0n }

/** ConfigParam 8; undefined in networks that never set it. Throws `DecodeError` if its form is not known. */
export function findVersionParam(config: Pick<ConfigParams, 'root'>): GlobalVersion | undefined {
  const param = findConfigParam(config, 8)
  return param && loadGlobalVersion(param)
}

/**
 * As `findVersionParam`. One of a form that is not known belongs to a network that is newer than this
 * program: every known change is in force there.
 */
export function configGlobalVersion(config: Pick<ConfigParams, 'root'>): GlobalVersion | undefined {
  try {
    return findVersionParam(config)
  } catch (error) {
    if (isUnreadable(error)) return NEWER_VERSION
    throw error
  }
}

/** Whether what was read has a form that is not known, rather than being hidden by a proof. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DecodeError && !(error instanceof PrunedCellError)

/**
 * What a shard block gave to the masterchain: its fees, and the coins it created. block.tlb
 * `ShardFeeCreated`.
 */
export interface ShardFee {
  readonly workchain: number
  readonly shard: ShardId
  readonly fees: CurrencyCollection
  readonly created: CurrencyCollection
}

/**
 * block.tlb `ShardFees = HashmapAugE 96 ShardFeeCreated ShardFeeCreated`; the key is workchain:int32 and
 * shard:uint64.
 */
export function loadShardFees({ shardFees }: McBlockExtra): readonly ShardFee[] {
  const fees: ShardFee[] = []
  forEachLeaf(loadDictRoot(shardFees.clone()), 96, (value, key) => {
    skipCurrencyCollection(value)
    skipCurrencyCollection(value)
    const id = key.toBuffer()
    fees.push({
      workchain: id.readInt32BE(0),
      shard: id.readBigUInt64BE(4),
      fees: loadCurrencyCollection(value),
      created: loadCurrencyCollection(value),
    })
  })
  return fees
}

/** `HashmapAugE 96 ShardFeeCreated ShardFeeCreated`: the root, then its extra of two CurrencyCollections. */
function skipShardFees(slice: Slice): void {
  if (slice.loadBit()) slice.skipRefs(1)
  skipCurrencyCollection(slice)
  skipCurrencyCollection(slice)
}

import { Builder, buildDict, buildDictWithExtra, type Cell, type Slice } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD } from '@shardwalk/model'
import { loadCurrencyCollection, storeCurrencyCollection } from '@shardwalk/tlb'
import { deliveredMessage } from './descriptors.ts'
import type { Random } from './random.ts'
import type { GeneratedMessage } from './random-message.ts'
import { augmented, NO_MONEY, sum } from './state-cells.ts'
import type { ValidatorRounds } from './validators.ts'
import { CONFIG_ADDRESS, configCell } from './zerostates.ts'

/** A leaf of `ShardHashes`. */
export interface TopBlock {
  readonly id: BlockId
  readonly regMcSeqno: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly genUtime: number
  readonly beforeSplit: boolean
}

/** A message that the masterchain itself made, and the transaction that received it. */
export interface SystemMessage {
  readonly message: GeneratedMessage
  readonly transaction: Cell
}

export interface McExtraParts {
  /** Of all workchains. */
  readonly tops: readonly TopBlock[]
  /** The same as `shardHashesCell` makes them. */
  readonly shardHashes: Cell | undefined
  readonly isKeyBlock: boolean
  /** Zerostates of the workchains that the configuration of a key block names. */
  readonly workchains: readonly BlockId[]
  /** As they are after the block. */
  readonly rounds: ValidatorRounds
  /** `recover_create_msg`, `mint_msg`. */
  readonly system: readonly (SystemMessage | undefined)[]
  readonly random: Random
}

/** Root of block.tlb `ShardHashes`, the same in the block and in the state after it. */
export function shardHashesCell(tops: readonly TopBlock[], random: Random): Cell | undefined {
  const alive = [...new Set(tops.map(({ id }) => id.workchain))]
  const trees = alive.map((workchain) => {
    const own = tops.filter(({ id }) => id.workchain === workchain)
    return [workchain >>> 0, new Builder().storeRef(shardTree(random, own, FULL_SHARD))] as const
  })
  return buildDict(trees, 32)
}

/** block.tlb `masterchain_block_extra#cca5`. */
export function mcExtraCell(parts: McExtraParts): Cell {
  const { tops, shardHashes, isKeyBlock, workchains, rounds, system, random } = parts
  const builder = new Builder().storeUint(0xcca5, 16).storeBit(isKeyBlock)
  builder.storeMaybeRef(shardHashes)
  storeShardFees(builder, random.chance(0.5) ? tops : [])
  builder.storeRef(systemCell(system, random))
  if (isKeyBlock) {
    const hasVersion = random.chance(0.8)
    const config = configCell({ workchains, rounds, hasVersion, hasNewerForms: random.rarely() })
    builder.storeBytes(CONFIG_ADDRESS).storeRef(config)
  }
  return builder.endCell()
}

/** `prev_blk_signatures:(HashmapE 16 CryptoSignaturePair)`, then the messages that the masterchain made. */
function systemCell(system: readonly (SystemMessage | undefined)[], random: Random): Cell {
  const signatures = Array.from({ length: random.pick([0, 0, 0, 1, 3]) }, (_, i) => {
    const pair = new Builder().storeBytes(random.hash()).storeUint(5, 4).storeBytes(random.bytes(64))
    return [i, pair] as const
  })
  const builder = new Builder().storeMaybeRef(buildDict(signatures, 16))
  for (const at of [0, 1]) {
    const made = system[at]
    builder.storeMaybeRef(
      made && deliveredMessage({ random, isNew: false }, made.message, made.transaction).endCell(),
    )
  }
  return builder.endCell()
}

/** block.tlb `ShardFees = HashmapAugE 96 ShardFeeCreated ShardFeeCreated`. */
function storeShardFees(builder: Builder, tops: readonly TopBlock[]): void {
  const money = (grams: bigint) =>
    storeCurrencyCollection(storeCurrencyCollection(new Builder(), { grams }), { grams: grams + 1n })
  const fork = (left: Slice, right: Slice) => {
    const fees = sum(loadCurrencyCollection(left), loadCurrencyCollection(right))
    const created = sum(loadCurrencyCollection(left), loadCurrencyCollection(right))
    return storeCurrencyCollection(storeCurrencyCollection(new Builder(), fees), created)
  }
  const key = ({ id }: TopBlock) =>
    (BigInt.asUintN(32, BigInt(id.workchain)) << 64n) | BigInt.asUintN(64, id.shard)
  const dict = buildDictWithExtra(
    tops.map((top) => [key(top), money(top.endLt % 1_000n)] as const),
    96,
    { leaf: (value) => new Builder().storeSlice(value), fork },
  )
  const none = storeCurrencyCollection(storeCurrencyCollection(new Builder(), NO_MONEY), NO_MONEY)
  builder.storeCell(augmented(dict, none))
}

/** block.tlb `bt_leaf$0`, `bt_fork$1`. */
function shardTree(random: Random, tops: readonly TopBlock[], shard: bigint): Cell {
  const top = tops.find(({ id }) => id.shard === shard)
  if (top) return shardDescr(random, top)
  const half = (shard & -shard) >> 1n
  return new Builder()
    .storeBit(true)
    .storeRef(shardTree(random, tops, shard - half))
    .storeRef(shardTree(random, tops, shard + half))
    .endCell()
}

/** A leaf with block.tlb `shard_descr#b`, or `shard_descr_new#a` with the fees in a cell of their own. */
function shardDescr(
  random: Random,
  { id, regMcSeqno, startLt, endLt, genUtime, beforeSplit }: TopBlock,
): Cell {
  const isOld = random.chance(0.2)
  const builder = new Builder().storeBit(false).storeUint(isOld ? 0xb : 0xa, 4)
  builder.storeUint(id.seqno, 32).storeUint(regMcSeqno, 32)
  builder.storeUint(startLt, 64).storeUint(endLt, 64).storeBytes(id.rootHash).storeBytes(id.fileHash)
  // before_merge, want_split, want_merge, nx_cc_updated and three flags.
  builder.storeBit(beforeSplit).storeUint(random.below(16), 4).storeUint(0, 3)
  builder.storeUint(1, 32).storeUint(BigInt.asUintN(64, id.shard), 64)
  builder.storeUint(regMcSeqno, 32).storeUint(genUtime, 32)
  // split_merge_at: fsm_none$0, fsm_split$10 or fsm_merge$11 with utime and interval.
  if (random.rarely())
    builder
      .storeUint(random.pick([0b10, 0b11]), 2)
      .storeUint(genUtime, 32)
      .storeUint(60, 32)
  else builder.storeBit(false)
  const fees = isOld ? builder : new Builder()
  storeCurrencyCollection(storeCurrencyCollection(fees, NO_MONEY), NO_MONEY)
  return isOld ? builder.endCell() : builder.storeRef(fees.endCell()).endCell()
}

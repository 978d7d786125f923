import {
  Builder,
  buildDict,
  buildDictWithExtra,
  type Cell,
  createMerkleUpdate,
  type Slice,
} from '@shardwalk/cells'
import { type BlockId, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import { type CurrencyCollection, loadCurrencyCollection, storeCurrencyCollection } from '@shardwalk/tlb'
import type { GeneratedTransaction } from './random-transaction.ts'
import { hashUpdate } from './random-transaction.ts'
import { moneyOf, NO_MONEY, type StateOf, storeShardIdent, sum } from './state-cells.ts'

/** Everything that a block is made of. */
export interface BlockParts extends StateOf {
  readonly startLt: bigint
  readonly endLt: bigint
  readonly afterSplit: boolean
  readonly beforeSplit: boolean
  /** Two: after a merge, the left child first. */
  readonly prev: readonly BlockId[]
  /** Undefined in masterchain blocks. */
  readonly masterRef?: BlockId
  readonly before: Cell
  readonly after: Cell
  readonly transactions: readonly GeneratedTransaction[]
  /** `McBlockExtra`, in masterchain blocks. */
  readonly mcExtra?: Cell
  readonly randSeed: Buffer
  /** With message metadata, and v2 of the value flow. */
  readonly isNew: boolean
}

/** block.tlb `block#11ef55aa`. */
export function blockCell(parts: BlockParts): Cell {
  return new Builder()
    .storeUint(0x11ef55aa, 32)
    .storeInt(parts.globalId, 32)
    .storeRef(infoCell(parts))
    .storeRef(valueFlowCell(parts))
    .storeRef(createMerkleUpdate(parts.before, parts.after))
    .storeRef(extraCell(parts))
    .endCell()
}

/** block.tlb `block_info#9bc7a987`. */
function infoCell(parts: BlockParts): Cell {
  const { masterRef, prev, workchain } = parts
  const builder = new Builder().storeUint(0x9bc7a987, 32).storeUint(0, 32)
  const flags = [workchain !== MASTERCHAIN, prev.length === 2, parts.beforeSplit, parts.afterSplit]
  // want_split, want_merge, key_block, vert_seqno_incr.
  for (const flag of [...flags, false, false, false, false]) builder.storeBit(flag)
  builder
    .storeUint(parts.isNew ? 1 : 0, 8)
    .storeUint(parts.seqno, 32)
    .storeUint(0, 32)
  storeShardIdent(builder, parts).storeUint(parts.genUtime, 32)
  builder.storeUint(parts.startLt, 64).storeUint(parts.endLt, 64)
  // gen_validator_list_hash_short, gen_catchain_seqno, min_ref_mc_seqno, prev_key_block_seqno.
  builder
    .storeUint(1, 32)
    .storeUint(2, 32)
    .storeUint(masterRef?.seqno ?? 0, 32)
    .storeUint(0, 32)
  if (parts.isNew) builder.storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64)
  if (masterRef) builder.storeRef(blockRef(masterRef, parts.startLt))
  const refs = prev.map((id) => blockRef(id, parts.startLt))
  return builder
    .storeRef(refs.length === 1 ? refs[0]! : new Builder().storeRef(refs[0]!).storeRef(refs[1]!).endCell())
    .endCell()
}

/** block.tlb `ext_blk_ref$_`. */
const blockRef = ({ seqno, rootHash, fileHash }: BlockId, endLt: bigint): Cell =>
  new Builder().storeUint(endLt, 64).storeUint(seqno, 32).storeBytes(rootHash).storeBytes(fileHash).endCell()

/** block.tlb `value_flow#b8e48dfb`, `value_flow_v2#3ebf98b7`. */
function valueFlowCell({ isNew, workchain, transactions }: BlockParts): Cell {
  const money = (list: readonly CurrencyCollection[]) =>
    list.reduce((builder, one) => storeCurrencyCollection(builder, one), new Builder())
  const fees = transactions.map(feesOf).reduce(sum, NO_MONEY)
  const isV2 = isNew && workchain === MASTERCHAIN
  const builder = new Builder().storeUint(isV2 ? 0x3ebf98b7 : 0xb8e48dfb, 32)
  builder.storeRef(money([NO_MONEY, NO_MONEY, NO_MONEY, NO_MONEY]).endCell())
  builder.storeBuilder(money(isV2 ? [fees, NO_MONEY] : [fees]))
  return builder.storeRef(money([NO_MONEY, NO_MONEY, NO_MONEY, NO_MONEY]).endCell()).endCell()
}

/** Without extra currencies: with them an account block of two transactions would need five references. */
const feesOf = (tx: GeneratedTransaction): CurrencyCollection => ({ grams: tx.totalFees })

/** block.tlb `block_extra`, tag 4a33f6fd. */
function extraCell(parts: BlockParts): Cell {
  return new Builder()
    .storeUint(0x4a33f6fd, 32)
    .storeRef(inMsgDescr(parts))
    .storeRef(outMsgDescr(parts))
    .storeRef(accountBlocks(parts.transactions))
    .storeBytes(parts.randSeed)
    .storeBytes(Buffer.alloc(32))
    .storeMaybeRef(parts.mcExtra)
    .endCell()
}

/** block.tlb `ShardAccountBlocks = HashmapAugE 256 AccountBlock CurrencyCollection`. */
function accountBlocks(transactions: readonly GeneratedTransaction[]): Cell {
  const groups = new Map<string, GeneratedTransaction[]>()
  for (const tx of transactions) {
    const key = tx.account.hash.toString('hex')
    groups.set(key, [...(groups.get(key) ?? []), tx])
  }
  const fees = new Map([...groups].map(([key, own]) => [key, own.map(feesOf).reduce(sum, NO_MONEY)]))
  const entries = [...groups.values()].map((own) => [own[0]!.account.hash, accountBlock(own)] as const)
  const dict = buildDictWithExtra(
    entries,
    256,
    moneyOf((value) => fees.get(value.skip(4).loadBytes(32).toString('hex'))!),
  )
  return augmented(dict)
}

/** `HashmapAugE`: the root, then the extra of all of it. */
function augmented(
  dict: { readonly cell: Cell; readonly extra: Cell | undefined } | undefined,
  none = storeCurrencyCollection(new Builder(), NO_MONEY),
): Cell {
  const builder = new Builder().storeMaybeRef(dict?.cell)
  return dict ? builder.storeCell(dict.extra!).endCell() : builder.storeBuilder(none).endCell()
}

/** block.tlb `acc_trans#5`. */
function accountBlock(own: readonly GeneratedTransaction[]): Builder {
  const fees = new Map(own.map((tx) => [tx.cell.hash().toString('hex'), feesOf(tx)]))
  const dict = buildDict(
    own.map((tx) => [tx.lt, new Builder().storeRef(tx.cell)] as const),
    64,
    moneyOf((value) => fees.get(value.refHash().toString('hex'))!),
  )
  return new Builder()
    .storeUint(5, 4)
    .storeBytes(own[0]!.account.hash)
    .storeCell(dict!)
    .storeRef(hashUpdate(own[0]!.stateHashBefore, own.at(-1)!.stateHashAfter))
}

/** block.tlb `msg_import_ext$000`, `msg_import_fin$100`; the extra is `ImportFees`. */
function inMsgDescr({ transactions, isNew }: BlockParts): Cell {
  const entries = new Map<string, readonly [Buffer, Builder]>()
  for (const { inMsg, cell } of transactions) {
    if (!inMsg) continue
    const descr =
      inMsg.kind === 'internal'
        ? new Builder()
            .storeUint(0b100, 3)
            .storeRef(envelope(inMsg.cell, isNew))
            .storeRef(cell)
            .storeCoins(7n)
        : new Builder().storeUint(0b000, 3).storeRef(inMsg.cell).storeRef(cell)
    entries.set(inMsg.cell.hash().toString('hex'), [inMsg.cell.hash(), descr])
  }
  const none = () => storeCurrencyCollection(new Builder().storeCoins(0n), NO_MONEY)
  const fork = (left: Slice, right: Slice) => {
    const fees = left.loadCoins() + right.loadCoins()
    const money = sum(loadCurrencyCollection(left), loadCurrencyCollection(right))
    return storeCurrencyCollection(new Builder().storeCoins(fees), money)
  }
  return augmented(buildDictWithExtra(entries.values(), 256, { leaf: none, fork }), none())
}

/** block.tlb `msg_export_ext$000`, `msg_export_new$001`. */
function outMsgDescr({ transactions, isNew }: BlockParts): Cell {
  const entries = new Map<string, readonly [Buffer, Builder]>()
  for (const { outMsgs, cell } of transactions)
    for (const message of outMsgs) {
      const isInternal = message.kind === 'internal'
      const ref = isInternal ? envelope(message.cell, isNew) : message.cell
      const descr = new Builder()
        .storeUint(isInternal ? 0b001 : 0b000, 3)
        .storeRef(ref)
        .storeRef(cell)
      entries.set(message.cell.hash().toString('hex'), [message.cell.hash(), descr])
    }
  return augmented(
    buildDictWithExtra(
      entries.values(),
      256,
      moneyOf(() => NO_MONEY),
    ),
  )
}

/** block.tlb `msg_envelope#4`, `msg_envelope_v2#5`. */
function envelope(message: Cell, isNew: boolean): Cell {
  const builder = new Builder()
    .storeUint(isNew ? 5 : 4, 4)
    .storeUint(0, 8)
    .storeUint(96, 8)
    .storeCoins(1n)
  builder.storeRef(message)
  if (isNew) builder.storeBit(false).storeBit(false)
  return builder.endCell()
}

/** A leaf of `ShardHashes`. */
export interface TopBlock {
  readonly id: BlockId
  readonly regMcSeqno: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly genUtime: number
  readonly beforeSplit: boolean
}

/** block.tlb `masterchain_block_extra#cca5` of a block that is no key block. `tops`: of the basechain. */
export function mcExtraCell(tops: readonly TopBlock[]): Cell {
  const tree = shardTree(tops, FULL_SHARD)
  const builder = new Builder().storeUint(0xcca5, 16).storeBit(false)
  builder.storeMaybeRef(buildDict([[0, new Builder().storeRef(tree)]], 32))
  // shard_fees, empty: no root, and nothing twice.
  builder.storeBit(false)
  storeCurrencyCollection(storeCurrencyCollection(builder, NO_MONEY), NO_MONEY)
  return builder.storeRef(new Builder().storeUint(0, 3).endCell()).endCell()
}

/** block.tlb `bt_leaf$0`, `bt_fork$1`. */
function shardTree(tops: readonly TopBlock[], shard: bigint): Cell {
  const top = tops.find(({ id }) => id.shard === shard)
  if (top) return new Builder().storeBit(false).storeBuilder(shardDescr(top)).endCell()
  const half = (shard & -shard) >> 1n
  return new Builder()
    .storeBit(true)
    .storeRef(shardTree(tops, shard - half))
    .storeRef(shardTree(tops, shard + half))
    .endCell()
}

/** block.tlb `shard_descr_new#a`. */
function shardDescr({ id, regMcSeqno, startLt, endLt, genUtime, beforeSplit }: TopBlock): Builder {
  const builder = new Builder().storeUint(0xa, 4).storeUint(id.seqno, 32).storeUint(regMcSeqno, 32)
  builder.storeUint(startLt, 64).storeUint(endLt, 64).storeBytes(id.rootHash).storeBytes(id.fileHash)
  // before_merge, want_split, want_merge, nx_cc_updated and three flags.
  builder.storeBit(beforeSplit).storeUint(0, 7).storeUint(1, 32).storeUint(id.shard, 64)
  builder.storeUint(regMcSeqno, 32).storeUint(genUtime, 32).storeBit(false)
  return builder.storeRef(
    storeCurrencyCollection(storeCurrencyCollection(new Builder(), NO_MONEY), NO_MONEY).endCell(),
  )
}

import { Builder, buildDict, buildDictWithExtra, type Cell, createMerkleUpdate } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import type { ValidatorSubset } from '@shardwalk/proofs'
import { type CurrencyCollection, storeCurrencyCollection } from '@shardwalk/tlb'
import { inMsgDescr, outMsgDescr } from './descriptors.ts'
import type { Random } from './random.ts'
import type { GeneratedMessage } from './random-message.ts'
import type { GeneratedTransaction } from './random-transaction.ts'
import { hashUpdate } from './random-transaction.ts'
import { augmented, moneyOf, NO_MONEY, type StateOf, storeShardIdent, sum } from './state-cells.ts'

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
  readonly isKeyBlock: boolean
  readonly prevKeyBlockSeqno: number
  readonly validators: ValidatorSubset
  /** Messages that pass through. */
  readonly transits: readonly GeneratedMessage[]
  readonly random: Random
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

/** As `min_ref_mc_seqno`: a node found no masterchain block that the block refers to. */
const NO_SEQNO = 0xffff_ffff

/** block.tlb `block_info#9bc7a987`. */
function infoCell(parts: BlockParts): Cell {
  const { masterRef, prev, workchain } = parts
  const builder = new Builder().storeUint(0x9bc7a987, 32).storeUint(0, 32)
  const flags = [workchain !== MASTERCHAIN, prev.length === 2, parts.beforeSplit, parts.afterSplit]
  const isHardFork = parts.random.chance(0.1)
  // want_split, want_merge, key_block, vert_seqno_incr.
  flags.push(parts.random.chance(0.1), parts.random.chance(0.1), parts.isKeyBlock, isHardFork)
  for (const flag of flags) builder.storeBit(flag)
  builder
    .storeUint(parts.isNew ? 1 : 0, 8)
    .storeUint(parts.seqno, 32)
    .storeUint(isHardFork ? 1 : 0, 32)
  storeShardIdent(builder, parts).storeUint(parts.genUtime, 32)
  builder.storeUint(parts.startLt, 64).storeUint(parts.endLt, 64)
  // gen_validator_list_hash_short, gen_catchain_seqno, min_ref_mc_seqno, prev_key_block_seqno.
  builder
    .storeUint(parts.validators.listHash, 32)
    .storeUint(parts.validators.catchainSeqno, 32)
    .storeUint(parts.random.rarely() ? NO_SEQNO : (masterRef?.seqno ?? 0), 32)
    .storeUint(parts.prevKeyBlockSeqno, 32)
  if (parts.isNew) storeVersion(builder, parts)
  if (masterRef) builder.storeRef(blockRef(masterRef, parts.startLt))
  builder.storeRef(prevRef(parts))
  // prev_vert_ref: the block in whose place this one is.
  if (isHardFork) builder.storeRef(blockRef({ ...prev[0]!, seqno: parts.seqno }, parts.startLt))
  return builder.endCell()
}

/** block.tlb `capabilities#c4`, or what may come after it, which is shorter or longer. */
function storeVersion(builder: Builder, { random, randSeed }: BlockParts): void {
  if (random.rarelyBy(randSeed)) builder.storeUint(0xc5, 8).storeUint(7, randSeed[1]! < 128 ? 3 : 120)
  else builder.storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64)
}

/** block.tlb `prev_blk_info`, `prev_blks_info`. */
function prevRef({ prev, startLt }: BlockParts): Cell {
  const [first, second] = prev.map((id) => blockRef(id, startLt))
  return second ? new Builder().storeRef(first!).storeRef(second).endCell() : first!
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

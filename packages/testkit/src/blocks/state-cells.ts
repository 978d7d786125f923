import {
  type Augmentation,
  Builder,
  buildDict,
  buildDictWithExtra,
  type Cell,
  type Slice,
} from '@shardwalk/cells'
import { MASTERCHAIN, type ShardId, shardPrefixLength } from '@shardwalk/model'
import {
  type CurrencyCollection,
  loadAccount,
  loadCurrencyCollection,
  SHARD_STATE_TAG,
  storeCurrencyCollection,
} from '@shardwalk/tlb'
import { type AccountModel, accountCell, publicLibraries } from './random-account.ts'

export interface StateOf {
  readonly globalId: number
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
  readonly genUtime: number
  readonly genLt: bigint
}

export const NO_MONEY: CurrencyCollection = { grams: 0n }

export function sum(a: CurrencyCollection, b: CurrencyCollection): CurrencyCollection {
  const extra = new Map(a.extra)
  for (const [id, amount] of b.extra ?? []) extra.set(id, (extra.get(id) ?? 0n) + amount)
  return { grams: a.grams + b.grams, ...(extra.size > 0 && { extra }) }
}

/** Extra of a dictionary that is one CurrencyCollection, added up at forks. */
export const moneyOf = (leaf: (value: Slice) => CurrencyCollection): Augmentation => ({
  leaf: (value) => storeCurrencyCollection(new Builder(), leaf(value)),
  fork: (left, right) =>
    storeCurrencyCollection(new Builder(), sum(loadCurrencyCollection(left), loadCurrencyCollection(right))),
})

/** `HashmapAugE`: the root, then the extra of all of it. */
export function augmented(
  dict: { readonly cell: Cell; readonly extra: Cell | undefined } | undefined,
  none = storeCurrencyCollection(new Builder(), NO_MONEY),
): Cell {
  const builder = new Builder().storeMaybeRef(dict?.cell)
  return dict ? builder.storeCell(dict.extra!).endCell() : builder.storeBuilder(none).endCell()
}

/** block.tlb `depth_balance$_ split_depth:(#<= 30) balance:CurrencyCollection`. */
const DEPTH_BALANCE: Augmentation = {
  leaf: (value) => {
    const account = loadAccount(value.preloadRefSlice())
    const money = account && {
      grams: account.balance,
      ...(account.extraCurrencies && { extra: account.extraCurrencies }),
    }
    return storeCurrencyCollection(new Builder().storeUint(0, 5), money ?? NO_MONEY)
  },
  fork: (left, right) => {
    const depth = Math.max(left.loadUint(5), right.loadUint(5))
    const money = sum(loadCurrencyCollection(left), loadCurrencyCollection(right))
    return storeCurrencyCollection(new Builder().storeUint(depth, 5), money)
  },
}

/** Default: what is left out is empty. */
interface StateParts {
  /** block.tlb `OutMsgQueueInfo`. */
  readonly queue?: Cell
  /** In the masterchain. */
  readonly custom?: Cell | undefined
  /** Constructor tag. Default: block.tlb `shard_state#9023afe2`. */
  readonly tag?: number | undefined
}

/**
 * block.tlb `shard_state#9023afe2`: with the accounts and the libraries of those of the masterchain,
 * everything else as small as it may be.
 */
export function stateCell(
  of: StateOf,
  accounts: readonly AccountModel[],
  { queue = emptyQueue(of), custom, tag = SHARD_STATE_TAG }: StateParts = {},
): Cell {
  const entries = accounts.flatMap((account) =>
    account.status === 'nonexist' ? [] : [[account.address.hash, shardAccount(account)] as const],
  )
  const dict = buildDictWithExtra(entries, 256, DEPTH_BALANCE)
  const accountsCell = new Builder().storeMaybeRef(dict?.cell)
  if (dict) accountsCell.storeCell(dict.extra!)
  else storeCurrencyCollection(accountsCell.storeUint(0, 5), NO_MONEY)
  const builder = new Builder().storeUint(tag, 32).storeInt(of.globalId, 32)
  storeShardIdent(builder, of)
  builder.storeUint(of.seqno, 32).storeUint(0, 32).storeUint(of.genUtime, 32).storeUint(of.genLt, 64)
  return builder
    .storeUint(0, 32)
    .storeRef(queue)
    .storeBit(false)
    .storeRef(accountsCell.endCell())
    .storeRef(restCell(of.workchain === MASTERCHAIN ? accounts : []))
    .storeMaybeRef(custom)
    .endCell()
}

const shardAccount = (account: AccountModel): Builder =>
  new Builder()
    .storeRef(accountCell(account))
    .storeBytes(account.lastTransHash)
    .storeUint(account.lastTransLt, 64)

/** block.tlb `OutMsgQueueInfo` without messages. */
const emptyQueue = ({ genLt }: StateOf): Cell =>
  new Builder().storeBit(false).storeUint(genLt, 64).storeUint(0, 2).endCell()

function restCell(publishers: readonly AccountModel[]): Cell {
  const builder = new Builder().storeUint(0, 128)
  storeCurrencyCollection(storeCurrencyCollection(builder, NO_MONEY), NO_MONEY)
  return builder.storeMaybeRef(publishedCell(publishers)).storeBit(false).endCell()
}

/** `HashmapE 256 LibDescr`. block.tlb `shared_lib_descr$00 lib:^Cell publishers:(Hashmap 256 True)`. */
function publishedCell(accounts: readonly AccountModel[]): Cell | undefined {
  const published = new Map<bigint, { readonly library: Cell; readonly publishers: Buffer[] }>()
  for (const account of accounts)
    for (const [hash, library] of publicLibraries(account)) {
      const entry = published.get(hash) ?? { library, publishers: [] }
      entry.publishers.push(account.address.hash)
      published.set(hash, entry)
    }
  const entries = [...published].map(([hash, { library, publishers }]) => {
    const dict = buildDict(
      publishers.map((account) => [account, new Builder()] as const),
      256,
    )!
    return [hash, new Builder().storeUint(0, 2).storeRef(library).storeCell(dict)] as const
  })
  return buildDict(entries, 256)
}

/** block.tlb `shard_ident$00`: the prefix without its marker bit. */
export function storeShardIdent(
  builder: Builder,
  { workchain, shard }: { readonly workchain: number; readonly shard: ShardId },
): Builder {
  const marker = shard & -shard
  return builder
    .storeUint(0, 2)
    .storeUint(shardPrefixLength(shard), 6)
    .storeInt(workchain, 32)
    .storeUint(BigInt.asUintN(64, shard - marker), 64)
}

/** block.tlb `split_state#5f327da5`: what a merge starts from. */
export const splitState = (left: Cell, right: Cell): Cell =>
  new Builder().storeUint(0x5f327da5, 32).storeRef(left).storeRef(right).endCell()

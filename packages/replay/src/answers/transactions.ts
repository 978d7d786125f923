import { type Cell, forEachLeaf, lookup, type Slice, serializeBoc } from '@shardwalk/cells'
import { shardContainsPrefix } from '@shardwalk/model'
import { LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import type { BlockTree } from '../block-trees.ts'
import { checkBlockId, type ReplayChain } from '../chain.ts'
import { readHeader } from '../layout.ts'
import { ProofReader } from '../proof-reader.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { ChainBlock } from '../shard-index.ts'
import { accountPrefix } from './accounts.ts'
import { metadataOf } from './metadata.ts'

/**
 * Maximum number of transactions in getTransactions and in listBlockTransactions. Source: node,
 * liteserver.cpp.
 */
const MAX_TRANSACTIONS = 16
const MAX_LISTED = 256
const EMPTY = Buffer.alloc(0)

type List = LiteArguments['liteServer.listBlockTransactions']
interface Listed {
  readonly account: Buffer
  readonly lt: bigint
  readonly transaction: Cell
}

/**
 * Ids of the transactions of a block in order of account and lt, with a proof if it is asked for. Source:
 * lite_api.tl, `liteServer.listBlockTransactions`.
 */
export async function listBlockTransactions(
  chain: ReplayChain,
  args: List,
): Promise<LiteResults['liteServer.listBlockTransactions']> {
  const { tree, page, incomplete, proof } = await listPage(chain, args)
  const ids = page.map((listed) => ({
    ...idFields(args.mode, listed),
    ...metadataField(args.mode, tree, listed),
  }))
  const modeOf = (id: { metadata?: unknown }) =>
    (args.mode & ~LITE_MODE.listTransactions.metadata) |
    (id.metadata ? LITE_MODE.listTransactions.metadata : 0)
  return {
    id: args.id,
    reqCount: args.count,
    incomplete,
    ids: ids.map((id) => ({ mode: modeOf(id), ...id })),
    proof,
  }
}

function idFields(mode: number, { account, lt, transaction }: Listed) {
  return {
    ...(mode & LITE_MODE.listTransactions.account ? { account } : {}),
    ...(mode & LITE_MODE.listTransactions.lt ? { lt } : {}),
    ...(mode & LITE_MODE.listTransactions.hash ? { hash: transaction.hash() } : {}),
  }
}

function metadataField(mode: number, tree: BlockTree, { transaction }: Listed) {
  const metadata = mode & LITE_MODE.listTransactions.metadata ? metadataOf(tree, transaction) : undefined
  return metadata ? { metadata } : {}
}

/**
 * The same with the bytes of the transactions. Source: lite_api.tl, `liteServer.listBlockTransactionsExt`.
 */
export async function listBlockTransactionsExt(
  chain: ReplayChain,
  args: List,
): Promise<LiteResults['liteServer.listBlockTransactionsExt']> {
  const { page, incomplete, proof } = await listPage(chain, args)
  const roots = page.map(({ transaction }) => transaction)
  return { id: args.id, reqCount: args.count, incomplete, transactions: toBoc(roots), proof }
}

async function listPage(chain: ReplayChain, { id, mode, count, after }: List) {
  checkBlockId(id)
  const tree = await chain.tree(chain.loadable(id))
  const ascending = listTransactions(tree)
  const reverse = (mode & LITE_MODE.listTransactions.reverse) !== 0
  const ordered = reverse ? ascending.reverse() : ascending
  const rest =
    after && mode & LITE_MODE.listTransactions.after
      ? ordered.filter((listed) => isBehind(listed, after, reverse))
      : ordered
  const limit = Math.min(count, MAX_LISTED)
  const page = rest.slice(0, limit)
  // True whenever the limit was reached, even if nothing follows.
  const proof = mode & LITE_MODE.listTransactions.proof ? listProof(tree, page) : EMPTY
  return { tree, page, incomplete: page.length === limit, proof }
}

function listTransactions(tree: BlockTree): Listed[] {
  const found: Listed[] = []
  forEachLeaf(accountBlocks(tree.extra.slice()), 256, (accountBlock, key) => {
    const account = key.toBuffer()
    forEachLeaf(transactionsOf(accountBlock), 64, (value, lt) => {
      found.push({ account, lt: lt.toBigInt(), transaction: loadTransaction(value) })
    })
  })
  return found
}

function isBehind(listed: Listed, after: { account: Buffer; lt: bigint }, reverse: boolean): boolean {
  const order =
    listed.account.compare(after.account) || (listed.lt < after.lt ? -1 : listed.lt > after.lt ? 1 : 0)
  return reverse ? order < 0 : order > 0
}

function listProof(tree: BlockTree, page: readonly Listed[]): Buffer {
  const reader = new ProofReader(tree.root)
  reader.visit(tree.root)
  for (const { account, lt } of page) findTransaction(reader, tree, account, lt)
  return reader.boc()
}

/** Opens the path from `BlockExtra` to the transaction, but not the transaction itself. */
function findTransaction(
  reader: ProofReader,
  tree: BlockTree,
  account: Buffer,
  lt: bigint,
): Cell | undefined {
  const accountBlock = lookup(accountBlocks(reader.open(tree.extra)), 256, account)
  const value = accountBlock && lookup(transactionsOf(accountBlock), 64, lt)
  return value && loadTransaction(value)
}

/** Root of `ShardAccountBlocks` in `BlockExtra`. */
function accountBlocks(extra: Slice): Slice | undefined {
  const dict = extra.skipRefs(2).loadRefSlice()
  return dict.loadBit() ? dict.loadRefSlice() : undefined
}

/** Root of the transactions of an `AccountBlock`, which is preceded by the extra of the dictionary (fees). */
function transactionsOf(accountBlock: Slice): Slice {
  skipCurrencies(accountBlock)
  accountBlock.skip(4 + 256)
  return accountBlock
}

function loadTransaction(value: Slice): Cell {
  skipCurrencies(value)
  return value.loadRefCell()
}

/** Source: block.tlb `CurrencyCollection`. */
function skipCurrencies(slice: Slice): void {
  slice.loadCoins()
  slice.loadMaybeRefCell()
}

/**
 * A transaction of a block by account and lt, with a proof also of its absence. Source: lite_api.tl,
 * `liteServer.getOneTransaction`.
 */
export async function getOneTransaction(
  chain: ReplayChain,
  { id, account, lt }: LiteArguments['liteServer.getOneTransaction'],
): Promise<LiteResults['liteServer.getOneTransaction']> {
  checkBlockId(id)
  const inShard =
    id.workchain === account.workchain && shardContainsPrefix(id.shard, accountPrefix(account.id))
  if (!inShard) throw badRequest('requested account id is not contained in the shard of the specified block')
  const block = chain.loadable(id)
  const tree = await chain.tree(block)
  const reader = new ProofReader(tree.root)
  readHeader(reader, tree)
  const mayHold = lt > block.startLt && lt < block.endLt
  const transaction = mayHold ? findTransaction(reader, tree, account.id, lt) : undefined
  return { id, proof: reader.boc(), transaction: transaction ? serializeBoc(transaction) : EMPTY }
}

type Chained = { readonly block: ChainBlock; readonly transaction: Cell }

/**
 * Up to 16 transactions of an account backwards from a given one, newest first. Source: lite_api.tl,
 * `liteServer.getTransactions`.
 */
export async function getTransactions(
  chain: ReplayChain,
  { count, account, lt, hash }: LiteArguments['liteServer.getTransactions'],
): Promise<LiteResults['liteServer.getTransactions']> {
  const found: Chained[] = []
  let at = { lt, hash }
  while (found.length < Math.min(count, MAX_TRANSACTIONS) && at.lt !== 0n) {
    const next = await oneOf(chain, account, at, found.length === 0)
    if (!next) break
    found.push(next)
    at = previous(next.transaction)
  }
  return {
    ids: found.map(({ block }) => block.id),
    transactions: toBoc(found.map(({ transaction }) => transaction)),
  }
}

/** Undefined if the transaction is out of reach, which ends the list. Throws if it is the first one. */
async function oneOf(
  chain: ReplayChain,
  account: { workchain: number; id: Buffer },
  at: { lt: bigint; hash: Buffer },
  required: boolean,
): Promise<Chained | undefined> {
  const block = blockWith(chain, account, at.lt, required)
  if (!block) return undefined
  const tree = await chain.tree(block)
  const transaction = findTransaction(new ProofReader(tree.root), tree, account.id, at.lt)
  if (!transaction) throw badRequest('cannot locate transaction in block with specified logical time')
  if (!transaction.hash().equals(at.hash)) throw badRequest('transaction hash mismatch')
  return { block, transaction }
}

function blockWith(
  chain: ReplayChain,
  account: { workchain: number; id: Buffer },
  lt: bigint,
  required: boolean,
): ChainBlock | undefined {
  try {
    return chain.lookup(account.workchain, accountPrefix(account.id), { lt })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (required) throw badRequest(`cannot compute block with specified transaction: ${error.message}`)
    return undefined
  }
}

/**
 * Source: block.tlb `transaction$0111 account_addr:bits256 lt:uint64 prev_trans_hash:bits256
 * prev_trans_lt:uint64`.
 */
function previous(transaction: Cell): { lt: bigint; hash: Buffer } {
  const slice = transaction.slice().skip(4 + 256 + 64)
  const hash = slice.loadBytes(32)
  return { hash, lt: slice.loadUintBig(64) }
}

const toBoc = (roots: readonly Cell[]): Buffer => (roots.length === 0 ? EMPTY : serializeBoc(roots))

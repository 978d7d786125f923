import {
  atPath,
  type Budget,
  budgetOf,
  type DictKey,
  forEachLeaf,
  loadDictRoot,
  refToBoc,
  type Slice,
} from '@shardwalk/cells'
import {
  type DecodedBlock,
  type DecodedMessage,
  type DecodedTransaction,
  DecodeError,
  formatShortId,
  type RawAddress,
  type RawBlock,
  SYSTEM_ADDRESS,
  sameAddress,
  type UnreadPart,
} from '@shardwalk/model'
import {
  loadHashUpdate,
  loadInMsg,
  loadTransaction,
  skipCurrencyCollection,
  type TransactionMemo,
  transactionMemo,
} from '@shardwalk/tlb'
import { loadStatesAfter, reasonOf } from './account-states.ts'
import { type DecodeOptions, type OpenBlock, openBlock } from './open-block.ts'

/**
 * Decodes a whole block: header, transactions with messages, and the states of touched accounts. A
 * transaction or state that cannot be read is left out and listed in `unread` with its cell and the reason.
 */
export const decodeBlock = (raw: RawBlock, options?: DecodeOptions): DecodedBlock =>
  decodeOpenBlock(openBlock(raw, options), options)

/** Second half of `decodeBlock`, for a block that has been opened already. */
export function decodeOpenBlock(
  block: OpenBlock,
  { leaveOut }: Pick<DecodeOptions, 'leaveOut'> = {},
): DecodedBlock {
  const { id } = block.skeleton
  try {
    const unread: UnreadPart[] = []
    const accounts = loadAccountBlocks(block, { workchain: id.workchain, unread, leaveOut })
    const { states, unread: unreadStates } = loadStatesAfter(
      block.stateUpdate,
      new Map(accounts.map(({ key, stateHash }) => [key, stateHash])),
      leaveOut && leftOutStates(accounts, leaveOut),
    )
    const isSystem = systemMessages(block)
    const transactions: DecodedTransaction[] = []
    for (const { key, transactions: own, stateHash, lastLt, account } of accounts) {
      for (const transaction of own) {
        const marked = isSystem ? markSystem(transaction, isSystem) : transaction
        // The state belongs to the last transaction, which may be one that could not be read.
        if (marked.lt === lastLt) (marked as Writable<DecodedTransaction>).stateAfter = states.get(key)
        transactions.push(marked)
      }
      const lost = unreadStates.get(key)
      if (lost) unread.push({ kind: 'state', account, lt: lastLt, hash: stateHash, ...lost })
    }
    return { ...block.skeleton, transactions, ...(unread.length > 0 && { unread }) }
  } catch (error) {
    throw atPath(`block ${formatShortId(id)}`, error)
  }
}

type LeaveOut = NonNullable<DecodeOptions['leaveOut']>

const leftOutStates = (accounts: readonly AccountBlock[], leaveOut: LeaveOut): ReadonlyMap<string, string> =>
  new Map(
    accounts.flatMap(({ key, account, lastLt }) => {
      const reason = leaveOut({ kind: 'state', account, lt: lastLt })
      return reason === undefined ? [] : [[key, reason] as const]
    }),
  )

/** Lets this module fill in records it has just created. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface AccountBlock {
  /** Account id as a `latin1` string. */
  readonly key: string
  readonly account: RawAddress
  /** Without those that could not be read. */
  readonly transactions: readonly DecodedTransaction[]
  /** Of the last transaction, readable or not. */
  readonly lastLt: bigint
  /** Hash of the Account cell after the block. */
  readonly stateHash: Buffer
}

/** block.tlb `account_blocks:^ShardAccountBlocks = HashmapAugE 256 AccountBlock CurrencyCollection`. */
function loadAccountBlocks(
  { extra }: OpenBlock,
  { workchain, ...context }: Pick<AccountContext, 'unread' | 'leaveOut'> & { readonly workchain: number },
): readonly AccountBlock[] {
  const blocks: AccountBlock[] = []
  const budget = budgetOf(extra.accountBlocks)
  const memo = transactionMemo(budget)
  const visit = (value: Slice, key: DictKey) => {
    skipCurrencyCollection(value)
    const account = { workchain, hash: key.toBuffer() }
    try {
      blocks.push(loadAccountBlock(value, { ...context, account, memo, budget }))
    } catch (error) {
      throw atPath(pathOf(account), error)
    }
  }
  forEachLeaf(loadDictRoot(extra.accountBlocks.clone()), 256, visit, { budget })
  return blocks
}

interface AccountContext {
  readonly account: RawAddress
  readonly memo: TransactionMemo
  readonly budget: Budget
  readonly unread: UnreadPart[]
  readonly leaveOut: LeaveOut | undefined
}

/**
 * block.tlb `acc_trans#5 account_addr:bits256 transactions:(HashmapAug 64 ^Transaction CurrencyCollection)
 * state_update:^(HASH_UPDATE Account)`.
 */
function loadAccountBlock(slice: Slice, context: AccountContext): AccountBlock {
  const { account, budget } = context
  if (slice.loadUint(4) !== 5) throw new DecodeError('acc_trans', 'unknown tag')
  if (!slice.startsWith(account.hash)) throw new DecodeError('acc_trans.account_addr', 'differs from its key')
  const { newHash } = loadHashUpdate(slice.preloadRefSlice(slice.remainingRefs - 1))
  const transactions: DecodedTransaction[] = []
  let lastLt = 0n
  const visit = (value: Slice, key: DictKey) => {
    skipCurrencyCollection(value)
    lastLt = key.toBigInt()
    const transaction = loadOrKeep(value, lastLt, context)
    if (transaction) transactions.push(transaction)
  }
  forEachLeaf(slice.skip(256), 64, visit, { budget })
  return { key: account.hash.toString('latin1'), account, transactions, lastLt, stateHash: newHash }
}

/** `value`: reader at the reference to the transaction. */
function loadOrKeep(
  value: Slice,
  lt: bigint,
  { account, memo, budget, unread, leaveOut }: AccountContext,
): DecodedTransaction | undefined {
  const keep = (reason: string) => {
    unread.push({ kind: 'transaction', account, lt, hash: value.refHash(), boc: refToBoc(value), reason })
    return undefined
  }
  const leftOut = leaveOut?.({ kind: 'transaction', account, lt })
  if (leftOut !== undefined) return keep(leftOut)
  try {
    return loadTransaction(value.preloadRefSlice(), account.workchain, memo)
  } catch (error) {
    // Of one block, not of this transaction: those left out would be kept with all that they refer to.
    if (memo.currencies.left < 0 || budget.left < 0) throw error
    return keep(reasonOf(atPath(`${pathOf(account)}.transactions[${lt}]`, error)))
  }
}

/** A transaction by its place. */
export interface TransactionPlace {
  readonly account: RawAddress
  readonly lt: bigint
}

/** A transaction that has not been read. */
export interface ListedTransaction extends TransactionPlace {
  /** Index of its cell in the bag. */
  readonly cell: number
  /** Hash of the account's cell after the block. */
  readonly stateHash: Buffer
}

/** Every transaction of a block, by account and lt, without reading it. Throws DecodeError. */
export function listTransactions({ extra, skeleton }: OpenBlock): readonly ListedTransaction[] {
  const places: ListedTransaction[] = []
  const budget = budgetOf(extra.accountBlocks)
  const visit = (value: Slice, key: DictKey) => {
    skipCurrencyCollection(value)
    const account = { workchain: skeleton.id.workchain, hash: key.toBuffer() }
    const { newHash: stateHash } = loadHashUpdate(value.preloadRefSlice(value.remainingRefs - 1))
    const visitOwn = (leaf: Slice, lt: DictKey) => {
      skipCurrencyCollection(leaf)
      places.push({ account, lt: lt.toBigInt(), cell: leaf.loadRef(), stateHash })
    }
    forEachLeaf(value.skip(4 + 256), 64, visitOwn, { budget })
  }
  forEachLeaf(loadDictRoot(extra.accountBlocks.clone()), 256, visit, { budget })
  return places
}

const pathOf = ({ workchain, hash }: RawAddress): string =>
  `account_blocks[${workchain}:${hash.toString('hex')}]`

type IsSystem = (message: DecodedMessage) => boolean

/**
 * Tells the messages that the masterchain itself creates: block.tlb `recover_create_msg`, `mint_msg`.
 * Undefined: there are none.
 */
function systemMessages({ mcExtra }: OpenBlock): IsSystem | undefined {
  const made = [mcExtra?.recoverCreateMsg, mcExtra?.mintMsg].filter((inMsg) => inMsg !== undefined)
  if (made.length === 0) return undefined
  const hashes = made.map(messageHash)
  if (hashes.includes(undefined)) return isFromSystem
  return ({ hash }) => hashes.some((known) => known?.equals(hash))
}

/** Undefined: the descriptor or the envelope has a newer form, for which no block is given up. */
function messageHash(inMsg: Slice): Buffer | undefined {
  try {
    const { message, envelope } = loadInMsg(inMsg.clone())
    return (message ?? envelope?.message)?.refHash()
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Nothing else comes from this address, except what bounces from it. */
const isFromSystem: IsSystem = ({ source, bounced }) =>
  source !== undefined && sameAddress(source, SYSTEM_ADDRESS) && bounced !== true

function markSystem(transaction: DecodedTransaction, isSystem: IsSystem): DecodedTransaction {
  const { inMsg } = transaction
  if (inMsg === undefined || !isSystem(inMsg)) return transaction
  const marked: DecodedMessage = { ...inMsg, isSystem: true }
  return { ...transaction, inMsg: marked }
}

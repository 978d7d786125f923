import { atPath, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import {
  type DecodedBlock,
  type DecodedMessage,
  type DecodedTransaction,
  DecodeError,
  formatShortId,
  type RawBlock,
} from '@shardwalk/model'
import { loadInMsg, loadTransaction, type MessageMemo, skipCurrencyCollection } from '@shardwalk/tlb'
import { loadStatesAfter } from './account-states.ts'
import { type DecodeOptions, type OpenBlock, openBlock } from './open-block.ts'

/**
 * Decodes a whole block: header, transactions with messages, and the states of touched accounts. A
 * transaction that cannot be read fails the block: DecodeError whose path names block, account, lt and field.
 * /
 */
export const decodeBlock = (raw: RawBlock, options?: DecodeOptions): DecodedBlock =>
  decodeOpenBlock(openBlock(raw, options))

/** Second half of `decodeBlock`, for a block that has been opened already. */
export function decodeOpenBlock(block: OpenBlock): DecodedBlock {
  const { id } = block.skeleton
  try {
    const accounts = loadAccountBlocks(block, id.workchain)
    const states = loadStatesAfter(
      block.stateUpdate,
      new Map(accounts.map(({ key, transactions }) => [key, transactions.at(-1)!.stateHashAfter])),
    )
    const system = systemMessageHashes(block)
    const transactions: DecodedTransaction[] = []
    for (const { key, transactions: own } of accounts)
      for (const [i, transaction] of own.entries()) {
        const marked = system.length === 0 ? transaction : markSystem(transaction, system)
        if (i === own.length - 1) (marked as Writable<DecodedTransaction>).stateAfter = states.get(key)
        transactions.push(marked)
      }
    return { ...block.skeleton, transactions }
  } catch (error) {
    throw atPath(`block ${formatShortId(id)}`, error)
  }
}

/** Lets this module fill in records it has just created. */
type Writable<T> = { -readonly [K in keyof T]: T[K] }

interface AccountBlock {
  /** Account id as a `latin1` string. */
  readonly key: string
  readonly transactions: readonly DecodedTransaction[]
}

/** block.tlb `account_blocks:^ShardAccountBlocks = HashmapAugE 256 AccountBlock CurrencyCollection`. */
function loadAccountBlocks({ extra }: OpenBlock, workchain: number): readonly AccountBlock[] {
  const blocks: AccountBlock[] = []
  const memo: MessageMemo = new Map()
  forEachLeaf(loadDictRoot(extra.accountBlocks.clone()), 256, (value, key) => {
    skipCurrencyCollection(value)
    const accountId = key.toBuffer()
    try {
      blocks.push({
        key: accountId.toString('latin1'),
        transactions: loadAccountBlock(value, accountId, workchain, memo),
      })
    } catch (error) {
      throw atPath(`account_blocks[${workchain}:${accountId.toString('hex')}]`, error)
    }
  })
  return blocks
}

/**
 * block.tlb `acc_trans#5 account_addr:bits256 transactions:(HashmapAug 64 ^Transaction CurrencyCollection)
 * state_update:^(HASH_UPDATE Account)`.
 */
function loadAccountBlock(
  slice: Slice,
  accountId: Buffer,
  workchain: number,
  memo: MessageMemo,
): readonly DecodedTransaction[] {
  if (slice.loadUint(4) !== 5) throw new DecodeError('acc_trans', 'unknown tag')
  if (!slice.startsWith(accountId)) throw new DecodeError('acc_trans.account_addr', 'differs from its key')
  const transactions: DecodedTransaction[] = []
  forEachLeaf(slice.skip(256), 64, (value, key) => {
    skipCurrencyCollection(value)
    try {
      transactions.push(loadTransaction(value.loadRefSlice(), workchain, memo))
    } catch (error) {
      throw atPath(`transactions[${key.toBigInt()}]`, error)
    }
  })
  return transactions
}

/** Hashes of the messages that the masterchain itself creates: block.tlb `recover_create_msg`, `mint_msg`. */
function systemMessageHashes({ mcExtra }: OpenBlock): readonly Buffer[] {
  const hashes: Buffer[] = []
  for (const inMsg of [mcExtra?.recoverCreateMsg, mcExtra?.mintMsg]) {
    if (inMsg === undefined) continue
    const { message, envelope } = loadInMsg(inMsg.clone())
    const reference = message ?? envelope?.message
    if (reference) hashes.push(reference.refHash())
  }
  return hashes
}

function markSystem(transaction: DecodedTransaction, system: readonly Buffer[]): DecodedTransaction {
  const { inMsg } = transaction
  if (inMsg === undefined || !system.some((hash) => hash.equals(inMsg.hash))) return transaction
  const marked: DecodedMessage = { ...inMsg, isSystem: true }
  return { ...transaction, inMsg: marked }
}

import { atPath, type Budget, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import {
  type AccountStatus,
  type DecodedMessage,
  type DecodedTransaction,
  DecodeError,
} from '@shardwalk/model'
import { countCurrencies, currencyLimit, loadCurrencyCollection } from './currency.ts'
import { loadDescription } from './description.ts'
import { expectTag } from './ids.ts'
import { loadMessage } from './message.ts'

/** block.tlb `acc_state_uninit$00`, `acc_state_frozen$01`, `acc_state_active$10`, `acc_state_nonexist$11`. */
const STATUS_BY_TAG: readonly AccountStatus[] = ['uninit', 'frozen', 'active', 'nonexist']

/** What the transactions of one bag share. */
export interface TransactionMemo {
  /** Those already decoded, by cell index: most are found twice, with their sender and their receiver. */
  readonly messages: Map<number, DecodedMessage>
  /** See `countCurrencies`. */
  readonly currencies: Budget
  /** Of the dictionaries of messages, for blocks that are not verified yet; see `budgetOf`. */
  readonly edges?: Budget
}

/** A memo for a bag of which nothing has been decoded. */
export const transactionMemo = (edges?: Budget): TransactionMemo => ({
  messages: new Map(),
  currencies: currencyLimit(),
  ...(edges && { edges }),
})

/**
 * block.tlb `transaction$0111`; `slice` stands at the start of its own cell. The cell does not say the
 * workchain. Throws DecodeError whose path leads to the field.
 */
export function loadTransaction(
  slice: Slice,
  workchain: number,
  memo = transactionMemo(),
): DecodedTransaction {
  const hash = slice.cellHash()
  expectTag(slice, 4, 0b0111, 'transaction')
  const account = { workchain, hash: slice.loadBytes(32) }
  const lt = slice.loadUintBig(64)
  const prevTransHash = slice.loadBytes(32)
  const prevTransLt = slice.loadUintBig(64)
  const now = slice.loadUint(32)
  const outMsgCount = slice.loadUint(15)
  const origStatus = STATUS_BY_TAG[slice.loadUint(2)]!
  const endStatus = STATUS_BY_TAG[slice.loadUint(2)]!
  const messages = slice.loadRefSlice()
  const { grams: totalFees, extra: totalFeesExtraCurrencies } = loadCurrencyCollection(slice)
  const { oldHash, newHash } = loadHashUpdate(slice.loadRefSlice())
  const description = within('description', () => loadDescription(slice.loadRefSlice()))
  countCurrencies(memo.currencies, totalFeesExtraCurrencies)
  countCurrencies(memo.currencies, creditOf(description))
  return {
    account,
    hash,
    lt,
    prevTransHash,
    prevTransLt,
    now,
    origStatus,
    endStatus,
    totalFees,
    totalFeesExtraCurrencies,
    stateHashBefore: oldHash,
    stateHashAfter: newHash,
    description,
    inMsg: within('in_msg', () => (messages.loadBit() ? loadRefMessage(messages, memo) : undefined)),
    outMsgs: within('out_msgs', () => loadOutMessages(messages, outMsgCount, memo)),
    stateAfter: undefined,
  }
}

const creditOf = (description: DecodedTransaction['description']) =>
  'creditPhase' in description ? description.creditPhase?.creditExtraCurrencies : undefined

/** block.tlb `update_hashes#72 old_hash:bits256 new_hash:bits256`. */
export function loadHashUpdate(slice: Slice): { readonly oldHash: Buffer; readonly newHash: Buffer } {
  expectTag(slice, 8, 0x72, 'hash_update')
  return { oldHash: slice.loadBytes(32), newHash: slice.loadBytes(32) }
}

function loadOutMessages(slice: Slice, count: number, memo: TransactionMemo): readonly DecodedMessage[] {
  const messages: DecodedMessage[] = []
  const visit = (value: Slice) => {
    messages.push(loadRefMessage(value, memo))
  }
  forEachLeaf(loadDictRoot(slice), 15, visit, memo.edges && { budget: memo.edges })
  if (messages.length !== count)
    throw new DecodeError('outmsg_cnt', `${count}, but ${messages.length} messages`)
  return messages
}

function loadRefMessage(slice: Slice, { messages, currencies }: TransactionMemo): DecodedMessage {
  const index = slice.refBagCell()
  const known = index === undefined ? undefined : messages.get(index)
  const source = slice.loadRefSlice()
  const message = known ?? loadMessage(source)
  countCurrencies(currencies, message.valueExtraCurrencies)
  if (index !== undefined) messages.set(index, message)
  return message
}

function within<T>(path: string, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw atPath(path, error)
  }
}

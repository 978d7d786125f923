import { listTransactions, loadStatesAfter, type OpenBlock, openBlock } from '@shardwalk/blocks'
import { bagToBoc, budgetOf, type Slice } from '@shardwalk/cells'
import { mapPaced } from '@shardwalk/concurrency'
import {
  type AccountStateAfter,
  type BlockId,
  type DecodedTransaction,
  extraCurrencyTexts,
  type RawAddress,
  type RawBlock,
} from '@shardwalk/model'
import { currencyLimit, loadTransaction, type TransactionMemo } from '@shardwalk/tlb'
import type { StoredState } from '../stored-trace.ts'
import { type ConfirmedTransaction, messageName } from './confirmed-transaction.ts'

/** An account with transactions in a block. */
export interface TouchedAccount {
  readonly account: RawAddress
  /** Of its last transaction. */
  readonly lastLt: bigint
  /** Hash of the account's cell after the block. */
  readonly stateHash: Buffer
  /** Whether it was not active before the block. False if its first transaction cannot be read. */
  readonly isNew: boolean
}

interface Place {
  /** Index of the transaction's cell. */
  readonly cell: number
  readonly touched: TouchedAccount
}

/**
 * A verified block, and its transactions by the messages that they received. Those that cannot be read are
 * left out, as they are when the block is indexed.
 */
export class SignedBlock {
  private constructor(
    readonly id: BlockId,
    readonly prev: readonly BlockId[],
    readonly size: number,
    private readonly open: OpenBlock,
    private readonly receivers: ReadonlyMap<string, Place>,
    readonly accounts: readonly TouchedAccount[],
  ) {}

  /**
   * Every hash is computed, because the id is not verified. Throws `DecodeError` if the bytes are not the
   * block.
   */
  static async open(raw: RawBlock): Promise<SignedBlock> {
    const open = openBlock(raw, { verify: 'cells' })
    const { id, prev } = open.skeleton
    const receivers = new Map<string, Place>()
    const accounts = new Set<TouchedAccount>()
    const limits = { currencies: currencyLimit(), edges: budgetOf(open) }
    await mapPaced(placesOf(open), ({ cell, touched }) => {
      const transaction = loadIfReadable(open.bag.slice(cell), id.workchain, limits)
      if (!accounts.has(touched)) touched.isNew = transaction !== undefined && isFirst(transaction)
      accounts.add(touched)
      if (transaction?.inMsg) receivers.set(messageName(transaction.inMsg), { cell, touched })
    })
    return new SignedBlock(id, prev, raw.bytes.length, open, receivers, [...accounts])
  }

  /** Whether a transaction of it received the message; see `messageName`. */
  has(message: string): boolean {
    return this.receivers.has(message)
  }

  /** The transaction that received the message. */
  receiver(message: string): ConfirmedTransaction | undefined {
    const place = this.receivers.get(message)
    if (!place) return undefined
    const { bag, skeleton } = this.open
    const { id, header } = skeleton
    const transaction = loadTransaction(bag.slice(place.cell), id.workchain)
    return {
      transaction,
      boc: bagToBoc(bag, place.cell),
      block: id,
      seed: header.randSeed,
      after: transaction.lt === place.touched.lastLt ? this.stateAfter(place.touched) : undefined,
    }
  }

  /** The states that the accounts have after the block, as far as it shows them. */
  statesAfter(accounts: readonly TouchedAccount[]): ReadonlyMap<TouchedAccount, AccountStateAfter> {
    const hashes = new Map(accounts.map((one) => [keyOf(one), one.stateHash]))
    const { states } = loadStatesAfter(this.open.stateUpdate.clone(), hashes)
    return new Map(
      accounts.flatMap((one) => {
        const state = states.get(keyOf(one))
        return state ? [[one, state] as const] : []
      }),
    )
  }

  private stateAfter(touched: TouchedAccount): StoredState | undefined {
    const state = this.statesAfter([touched]).get(touched)
    return state && toStored(state)
  }
}

/** Undefined if it is not understood. Throws `DecodeError` if the block exceeds a limit. */
function loadIfReadable(
  slice: Slice,
  workchain: number,
  limits: Required<Omit<TransactionMemo, 'messages'>>,
): DecodedTransaction | undefined {
  try {
    return loadTransaction(slice, workchain, { ...limits, messages: new Map() })
  } catch (error) {
    if (limits.currencies.left < 0 || limits.edges.left < 0) throw error
    return undefined
  }
}

const isFirst = ({ origStatus }: DecodedTransaction): boolean => origStatus !== 'active'

const keyOf = ({ account }: TouchedAccount): string => account.hash.toString('latin1')

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** In the order of an account's transactions. */
function placesOf(open: OpenBlock) {
  const places: { readonly cell: number; readonly touched: Writable<TouchedAccount> }[] = []
  let touched: Writable<TouchedAccount> | undefined
  for (const { account, lt, cell, stateHash } of listTransactions(open)) {
    if (touched?.account !== account) touched = { account, lastLt: lt, stateHash, isNew: false }
    touched.lastLt = lt
    places.push({ cell, touched })
  }
  return places
}

const toStored = ({
  status,
  balance,
  codeHash,
  dataHash,
  frozenHash,
  extraCurrencies,
}: AccountStateAfter) => ({
  status,
  balance,
  codeHash: codeHash?.toString('base64'),
  dataHash: dataHash?.toString('base64'),
  frozenHash: frozenHash?.toString('base64'),
  extraCurrencies: extraCurrencies && extraCurrencyTexts(extraCurrencies),
})

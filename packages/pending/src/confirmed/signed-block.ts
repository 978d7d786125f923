import { loadStatesAfter, type OpenBlock, openBlock } from '@shardwalk/blocks'
import { bagToBoc, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import { mapPaced } from '@shardwalk/concurrency'
import {
  type AccountStateAfter,
  type BlockId,
  DecodeError,
  type RawAddress,
  type RawBlock,
} from '@shardwalk/model'
import { loadHashUpdate, loadTransaction, skipCurrencyCollection } from '@shardwalk/tlb'
import { currenciesOf, type StoredState } from '../stored-trace.ts'
import { type ConfirmedTransaction, messageName } from './confirmed-transaction.ts'

/** An account with transactions in a block. */
export interface TouchedAccount {
  readonly account: RawAddress
  /** Of its last transaction. */
  readonly lastLt: bigint
  /** Hash of the account's cell after the block. */
  readonly stateHash: Buffer
  /** Whether it was not active before the block. */
  readonly isNew: boolean
}

interface Place {
  /** Index of the transaction's cell. */
  readonly cell: number
  readonly touched: TouchedAccount
}

/** A verified block, and its transactions by the messages that they received. */
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
   * Every hash is computed, for nobody vouches for the id. Throws `DecodeError` if the bytes are not the
   * block.
   */
  static async open(raw: RawBlock): Promise<SignedBlock> {
    const open = openBlock(raw, { verify: 'cells' })
    const { id, prev } = open.skeleton
    const receivers = new Map<string, Place>()
    const accounts = new Set<TouchedAccount>()
    await mapPaced(placesOf(open), ({ cell, touched }) => {
      const { inMsg, origStatus } = loadTransaction(open.bag.slice(cell), id.workchain)
      if (!accounts.has(touched)) touched.isNew = origStatus !== 'active'
      accounts.add(touched)
      if (inMsg) receivers.set(messageName(inMsg), { cell, touched })
    })
    return new SignedBlock(id, prev, raw.bytes.length, open, receivers, [...accounts])
  }

  /** Whether it received the message; see `messageName`. */
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

const keyOf = ({ account }: TouchedAccount): string => account.hash.toString('latin1')

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** In the order of an account's transactions. Source: block.tlb `acc_trans#5`. */
function placesOf({ extra, skeleton }: OpenBlock) {
  const { workchain } = skeleton.id
  const places: { readonly cell: number; readonly touched: Writable<TouchedAccount> }[] = []
  forEachLeaf(loadDictRoot(extra.accountBlocks.clone()), 256, (value, key) => {
    skipCurrencyCollection(value)
    const { newHash } = loadHashUpdate(value.preloadRefSlice(value.remainingRefs - 1))
    const own: { cell: number; lt: bigint }[] = []
    forEachLeaf(value.skip(4 + 256), 64, (leaf, lt) => {
      skipCurrencyCollection(leaf)
      const cell = leaf.refBagCell()
      if (cell === undefined) throw new DecodeError('account_blocks', 'a transaction is missing')
      own.push({ cell, lt: lt.toBigInt() })
    })
    const account = { workchain, hash: key.toBuffer() }
    const touched = { account, lastLt: own.at(-1)?.lt ?? 0n, stateHash: newHash, isNew: false }
    for (const { cell } of own) places.push({ cell, touched })
  })
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
  extraCurrencies: extraCurrencies && currenciesOf(extraCurrencies),
})

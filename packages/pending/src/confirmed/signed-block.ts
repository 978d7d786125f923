import { loadStatesAfter, type OpenBlock, openBlock } from '@shardwalk/blocks'
import { bagToBoc, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import { mapPaced } from '@shardwalk/concurrency'
import { type AccountStateAfter, type BlockId, DecodeError, type RawBlock } from '@shardwalk/model'
import { loadHashUpdate, loadTransaction, skipCurrencyCollection } from '@shardwalk/tlb'
import { currenciesOf, type StoredState } from '../stored-trace.ts'
import { type ConfirmedTransaction, messageName } from './confirmed-transaction.ts'

/** An account in a block. */
interface Touched {
  /** Account id, 32 bytes. */
  readonly account: Buffer
  readonly lastLt: bigint
  /** Hash of the account's cell after the block. */
  readonly stateHash: Buffer
}

interface Place {
  /** Index of the transaction's cell. */
  readonly cell: number
  readonly touched: Touched
}

/** A verified block, and its transactions by the messages that they received. */
export class SignedBlock {
  private constructor(
    readonly id: BlockId,
    readonly prev: readonly BlockId[],
    readonly size: number,
    private readonly open: OpenBlock,
    private readonly receivers: ReadonlyMap<string, Place>,
  ) {}

  /**
   * Every hash is computed, for nobody vouches for the id. Throws `DecodeError` if the bytes are not the
   * block.
   */
  static async open(raw: RawBlock): Promise<SignedBlock> {
    const open = openBlock(raw, { verify: 'cells' })
    const { id, prev } = open.skeleton
    const receivers = new Map<string, Place>()
    await mapPaced(placesOf(open), (place) => {
      const { inMsg } = loadTransaction(open.bag.slice(place.cell), id.workchain)
      if (inMsg) receivers.set(messageName(inMsg), place)
    })
    return new SignedBlock(id, prev, raw.bytes.length, open, receivers)
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

  private stateAfter({ account, stateHash }: Touched): StoredState | undefined {
    const key = account.toString('latin1')
    const state = loadStatesAfter(this.open.stateUpdate.clone(), new Map([[key, stateHash]])).states.get(key)
    return state && toStored(state)
  }
}

/** Source: block.tlb `acc_trans#5`. */
function placesOf({ extra }: OpenBlock): readonly Place[] {
  const places: Place[] = []
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
    const touched = { account: key.toBuffer(), lastLt: own.at(-1)?.lt ?? 0n, stateHash: newHash }
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

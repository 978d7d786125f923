import { atPath, Builder, bagToBoc, CELL, forEachLeaf, refToBoc, type Slice } from '@shardwalk/cells'
import { type AccountStateAfter, DecodeError, type ExtraCurrencies } from '@shardwalk/model'
import { forEachShardAccount, loadAccount, loadShardState, type StateInitRefs } from '@shardwalk/tlb'

const GONE: AccountStateAfter = { status: 'nonexist', balance: 0n }

/** Hash of the cell `account_none$0`, the state of an account that does not exist. */
const NO_ACCOUNT = new Builder().storeBit(0).endCell().hash()

/** Account id as a `latin1` string -> hash of its Account cell after the block. */
export type TouchedAccounts = ReadonlyMap<string, Buffer>

/**
 * States of accounts after a block, from the block's own Merkle update, by the same keys. The path to every touched account
 * and its Account cell are present there, except for one that exists neither before nor after (a bounced message to
 * nowhere): its hash alone says so. Throws DecodeError when any other is hidden, which no valid block does.
 */
export function loadStatesAfter(
  stateUpdate: Slice,
  touched: TouchedAccounts,
): ReadonlyMap<string, AccountStateAfter> {
  const states = new Map<string, AccountStateAfter>()
  let left = 0
  for (const [key, hash] of touched) {
    if (hash.equals(NO_ACCOUNT)) states.set(key, GONE)
    else left++
  }
  if (left === 0) return states
  const bocs: BocMemo = new Map()
  // Neighbours of touched accounts show too; what is pruned belongs to accounts that nothing touched.
  forEachShardAccount(
    loadShardState(stateUpdate.preloadRefSlice(1)),
    ({ account }, accountId) => {
      const key = accountId.toString('latin1')
      if (touched.has(key))
        states.set(
          key,
          within(accountId, () => loadStateAfter(account.preloadRefSlice(), bocs)),
        )
    },
    { pruned: 'skip' },
  )
  for (const key of touched.keys())
    if (!states.has(key))
      throw new DecodeError(
        accountPath(Buffer.from(key, 'latin1')),
        'touched, but the update does not show it',
      )
  return states
}

/** Bags of code and data cells by cell index: contracts of a block share their code. */
type BocMemo = Map<number, Buffer>

/** One `Account` cell as a state row. Code and data are given when their trees are complete; hashes always. */
export function loadStateAfter(account: Slice, bocs: BocMemo = new Map()): AccountStateAfter {
  const loaded = loadAccount(account)
  if (loaded === undefined) return GONE
  const { balance, extraCurrencies, state } = loaded
  const money = extraCurrencies ? { balance, extraCurrencies } : { balance }
  if (state.status === 'uninit') return { status: 'uninit', ...money }
  if (state.status === 'frozen') return { status: 'frozen', ...money, frozenHash: state.stateHash }
  return loadActive(balance, extraCurrencies, state.init, bocs)
}

function loadActive(
  balance: bigint,
  extraCurrencies: ExtraCurrencies | undefined,
  { code, data, library }: StateInitRefs,
  bocs: BocMemo,
): AccountStateAfter {
  const whole = data && completeBoc(data, bocs)
  return {
    status: 'active',
    balance,
    extraCurrencies,
    // Level 0: a pruned branch answers with the hash of the cell it stands for.
    codeHash: code?.refHash(0, 0),
    dataHash: data?.refHash(0, 0),
    code: code && completeBoc(code, bocs),
    data: whole,
    dataPart: data && !whole ? partialBoc(data) : undefined,
    libraries: library && publicLibraries(library, bocs),
  }
}

/** Undefined when the root itself is pruned: nothing of the tree is there. */
const partialBoc = (part: Slice): Buffer | undefined =>
  part.refType() === CELL.pruned ? undefined : refToBoc(part)

/** Source: block.tlb `simple_lib$_ public:Bool root:^Cell`, keys are the hashes of the roots. */
function publicLibraries(dict: Slice, bocs: BocMemo): AccountStateAfter['libraries'] {
  const found: { hash: Buffer; code: Buffer }[] = []
  if (dict.refType() === CELL.pruned) return found
  forEachLeaf(
    dict.preloadRefSlice(),
    256,
    (value, key) => {
      const code = value.loadBit() ? completeBoc(value.loadPart(0, 1), bocs) : undefined
      if (code) found.push({ hash: key.toBuffer(), code })
    },
    { pruned: 'skip' },
  )
  return found
}

/** Undefined when something below is pruned: half a tree is never kept. */
function completeBoc(part: Slice, bocs: BocMemo): Buffer | undefined {
  if (part.refLevelMask() !== 0 || part.refType() === CELL.pruned) return undefined
  const { bag } = part
  if (bag === undefined) return refToBoc(part)
  const index = part.refBagCell()!
  const known = bocs.get(index)
  if (known) return known
  const boc = bagToBoc(bag, index)
  bocs.set(index, boc)
  return boc
}

function within<T>(accountId: Buffer, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw atPath(accountPath(accountId), error)
  }
}

const accountPath = (accountId: Buffer): string => `state_update.new.accounts[${accountId.toString('hex')}]`

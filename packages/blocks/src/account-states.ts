import { atPath, Builder, bagToBoc, CELL, forEachLeaf, refToBoc, type Slice } from '@shardwalk/cells'
import { type AccountStateAfter, DecodeError, type ExtraCurrencies } from '@shardwalk/model'
import { forEachShardAccount, loadAccount, loadShardState, type StateInitRefs } from '@shardwalk/tlb'

const GONE: AccountStateAfter = { status: 'nonexist', balance: 0n }

/** Hash of the cell `account_none$0`, the state of a nonexistent account. */
const NO_ACCOUNT = new Builder().storeBit(0).endCell().hash()

/** Hash of the Account cell after the block, by account id as a `latin1` string. */
export type TouchedAccounts = ReadonlyMap<string, Buffer>

/**
 * States of accounts after a block, by the same keys, from the block's Merkle update. The update contains the
 * path to every touched account and its Account cell, unless the account exists neither before nor after the
 * block (e.g. a bounced message to a nonexistent address); then its hash is that of `account_none`. Throws
 * DecodeError if any other touched account is pruned, which no valid block does. /
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
  // Unpruned neighbours of touched accounts are visited too; pruned subtrees contain only untouched accounts.
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
      throw new DecodeError(accountPath(Buffer.from(key, 'latin1')), 'touched, but pruned in the update')
  return states
}

/** Serialised code and data by cell index: contracts in one block often share code. */
type BocMemo = Map<number, Buffer>

/** One `Account` cell as a state. Hashes are always set, code and data only if their trees are complete. */
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
    // Level 0: a pruned branch returns the hash of the cell it replaces.
    codeHash: code?.refHash(0, 0),
    dataHash: data?.refHash(0, 0),
    code: code && completeBoc(code, bocs),
    data: whole,
    dataPart: data && !whole ? partialBoc(data) : undefined,
    libraries: library && publicLibraries(library, bocs),
  }
}

/** Undefined if the root itself is pruned, so that nothing of the tree is known. */
const partialBoc = (part: Slice): Buffer | undefined =>
  part.refType() === CELL.pruned ? undefined : refToBoc(part)

/** Source: block.tlb `simple_lib$_ public:Bool root:^Cell`; the keys are the hashes of the roots. */
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

/** Undefined if anything below is pruned. */
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

import { atPath, bagToBoc, CELL, loadDictRoot, lookup, refToBoc, type Slice } from '@shardwalk/cells'
import type { AccountStateAfter } from '@shardwalk/model'
import { forEachShardAccount, loadAccount, loadShardState, type StateInitRefs } from '@shardwalk/tlb'

const GONE: AccountStateAfter = { status: 'nonexist', balance: 0n }

/**
 * States of accounts after a block, from the block's own Merkle update: the path to every touched account and its
 * Account cell are always present there. Keys are account ids as `latin1` strings.
 * Throws DecodeError when a touched account is hidden, which no valid block does.
 */
export function loadStatesAfter(
  stateUpdate: Slice,
  touched: ReadonlySet<string>,
): ReadonlyMap<string, AccountStateAfter> {
  const states = new Map<string, AccountStateAfter>()
  if (touched.size === 0) return states
  const state = loadShardState(stateUpdate.clone().preloadRefSlice(1))
  const bocs: BocMemo = new Map()
  // Neighbours of touched accounts show too; what is pruned belongs to accounts that nothing touched.
  forEachShardAccount(
    state,
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
  for (const key of touched)
    if (!states.has(key)) states.set(key, confirmGone(state.accounts, Buffer.from(key, 'latin1')))
  return states
}

/** An account that the walk did not meet was deleted, unless its path is pruned: then the lookup throws. */
function confirmGone(accounts: Slice, accountId: Buffer): AccountStateAfter {
  within(accountId, () => lookup(loadDictRoot(accounts.preloadRefSlice()), 256, accountId))
  return GONE
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
  return { status: 'active', ...money, ...loadCodeAndData(state.init, bocs) }
}

function loadCodeAndData({ code, data }: StateInitRefs, bocs: BocMemo): Partial<AccountStateAfter> {
  const codeBoc = code && completeBoc(code, bocs)
  const dataBoc = data && completeBoc(data, bocs)
  return {
    // Level 0: a pruned branch answers with the hash of the cell it stands for.
    ...(code && { codeHash: code.refHash(0, 0) }),
    ...(data && { dataHash: data.refHash(0, 0) }),
    ...(codeBoc && { code: codeBoc }),
    ...(dataBoc && { data: dataBoc }),
  }
}

/** Undefined when something below is pruned: half a tree is never kept. */
function completeBoc(part: Slice, bocs: BocMemo): Buffer | undefined {
  if (part.refLevelMask() !== 0 || part.refType() === CELL.pruned) return undefined
  const at = part.bagCell
  if (at === undefined) return refToBoc(part)
  const index = part.refBagCell()!
  const known = bocs.get(index)
  if (known) return known
  const boc = bagToBoc(at.bag, index)
  bocs.set(index, boc)
  return boc
}

function within<T>(accountId: Buffer, load: () => T): T {
  try {
    return load()
  } catch (error) {
    throw atPath(`state_update.new.accounts[${accountId.toString('hex')}]`, error)
  }
}

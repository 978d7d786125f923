import {
  atPath,
  Builder,
  bagToBoc,
  budgetOf,
  CELL,
  type DictKey,
  forEachLeaf,
  refToBoc,
  type Slice,
  serializeBoc,
} from '@shardwalk/cells'
import { readJettonBalance } from '@shardwalk/contracts'
import { type AccountStateAfter, DecodeError } from '@shardwalk/model'
import {
  countCurrencies,
  currencyLimit,
  forEachShardAccount,
  loadAccount,
  loadShardState,
  type StateInitRefs,
} from '@shardwalk/tlb'

const GONE: AccountStateAfter = { status: 'nonexist', balance: 0n }

/** Hash of the cell `account_none$0`, the state of a nonexistent account. */
const NO_ACCOUNT = new Builder().storeBit(0).endCell().hash()

/** Hash of the Account cell after the block, by account id as a `latin1` string. */
export type TouchedAccounts = ReadonlyMap<string, Buffer>

/**
 * A state that could not be read. `boc`: its cell as the block contains it, possibly with pruned branches.
 */
export interface UnreadState {
  readonly reason: string
  readonly boc?: Buffer
}

/** Accounts that a block touched, as its state update leaves them. Keys: account ids as `latin1` strings. */
export interface StatesAfter {
  readonly states: ReadonlyMap<string, AccountStateAfter>
  /** The other touched accounts. */
  readonly unread: ReadonlyMap<string, UnreadState>
}

/**
 * States of accounts after a block, by the same keys, from the block's Merkle update. The update contains the
 * path to every touched account and its Account cell, unless the account exists neither before nor after the
 * block (e.g. a bounced message to a nonexistent address); then its hash is that of `account_none`. Anything
 * below an Account cell may be pruned: it is left out of the state, which is not an error.
 *
 * `leaveOut`: reasons not to read the states of some of the accounts.
 */
export function loadStatesAfter(
  stateUpdate: Slice,
  touched: TouchedAccounts,
  leaveOut: ReadonlyMap<string, string> = new Map(),
): StatesAfter {
  const found = new FoundStates(leaveOut)
  let left = 0
  for (const [key, hash] of touched) {
    if (hash.equals(NO_ACCOUNT)) found.states.set(key, GONE)
    else left++
  }
  if (left === 0) return found
  const problem = visitShown(stateUpdate, (account, accountId) => {
    const key = accountId.toString('latin1')
    if (touched.has(key)) found.load(key, account)
  })
  for (const key of touched.keys())
    if (!found.has(key))
      found.unread.set(key, { reason: problem ?? 'touched, but the state update does not show it' })
  return found
}

/**
 * Unpruned neighbours of touched accounts are visited too; pruned subtrees contain only untouched accounts.
 * Returns the reason if the walk fails.
 */
function visitShown(
  stateUpdate: Slice,
  visit: (account: Slice, accountId: Buffer) => void,
): string | undefined {
  try {
    const state = loadShardState(stateUpdate.preloadRefSlice(1))
    const options = { pruned: 'skip', budget: budgetOf(stateUpdate) } as const
    forEachShardAccount(state, ({ account }, accountId) => visit(account, accountId), options)
    return undefined
  } catch (error) {
    return reasonOf(atPath('state_update.new', error))
  }
}

class FoundStates implements StatesAfter {
  readonly states = new Map<string, AccountStateAfter>()
  readonly unread = new Map<string, UnreadState>()
  private readonly bocs: BocMemo = new Map()
  private readonly currencies = currencyLimit()

  constructor(private readonly leaveOut: ReadonlyMap<string, string>) {}

  has(key: string): boolean {
    return this.states.has(key) || this.unread.has(key)
  }

  /** `account`: reader limited to the reference to the Account cell. */
  load(key: string, account: Slice): void {
    const leftOut = this.leaveOut.get(key)
    if (leftOut !== undefined) {
      this.unread.set(key, { reason: leftOut, boc: refToBoc(account) })
      return
    }
    try {
      const state = loadStateAfter(account.preloadRefSlice(), this.bocs)
      countCurrencies(this.currencies, state.extraCurrencies)
      this.states.set(key, state)
    } catch (error) {
      // Ends the walk: no state after this one is read.
      if (this.currencies.left < 0) throw error
      this.unread.set(key, { reason: reasonOf(atPath('account', error)), boc: refToBoc(account) })
    }
  }
}

/**
 * Any error is a reason, because the same bytes cause it again. Errors of no check are given with their type.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof DecodeError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

/** Serialised code and data by cell index: contracts in one block often share code. */
type BocMemo = Map<number, Buffer>

/** One `Account` cell as a state. Hashes are always set, code and data only if their trees are complete. */
export function loadStateAfter(account: Slice, bocs: BocMemo = new Map()): AccountStateAfter {
  const loaded = loadAccount(account)
  if (loaded === undefined) return GONE
  const { balance, extraCurrencies, hiddenCurrencies: hidden, state } = loaded
  const money: Money = {
    balance,
    extraCurrencies,
    extraCurrenciesHash: hidden?.refHash(0, 0),
    extraCurrenciesPart: partsOf([hidden]),
  }
  if (state.status === 'uninit') return { status: 'uninit', ...money }
  if (state.status === 'frozen') return { status: 'frozen', ...money, frozenHash: state.stateHash }
  return loadActive(money, state.init, bocs)
}

type Money = Pick<
  AccountStateAfter,
  'balance' | 'extraCurrencies' | 'extraCurrenciesHash' | 'extraCurrenciesPart'
>

function loadActive(
  { balance, extraCurrencies, extraCurrenciesHash, extraCurrenciesPart }: Money,
  { code, data, library }: StateInitRefs,
  bocs: BocMemo,
): AccountStateAfter {
  const wholeCode = code && completeBoc(code, bocs)
  const wholeData = data && completeBoc(data, bocs)
  return {
    status: 'active',
    balance,
    extraCurrencies,
    extraCurrenciesHash,
    extraCurrenciesPart,
    // Level 0: a pruned branch returns the hash of the cell it replaces.
    codeHash: code?.refHash(0, 0),
    dataHash: data?.refHash(0, 0),
    code: wholeCode,
    jettonBalance: data && jettonBalanceOf(data),
    data: wholeData,
    parts: partsOf([wholeCode ? undefined : code, wholeData ? undefined : data]),
    libraries: library && publicLibraries(library, bocs),
  }
}

/** `data`: reader limited to the reference. */
const jettonBalanceOf = (data: Slice): bigint | undefined =>
  data.refType() === CELL.ordinary ? readJettonBalance(data.preloadRefSlice()) : undefined

/** A bag with one root for each incomplete tree. Trees whose root is pruned are skipped. */
function partsOf(trees: readonly (Slice | undefined)[]): Buffer | undefined {
  const shown = trees.filter((tree) => tree !== undefined && tree.refType() !== CELL.pruned) as Slice[]
  if (shown.length === 0) return undefined
  return shown.length === 1 ? refToBoc(shown[0]!) : serializeBoc(shown.map((tree) => tree.preloadRefCell()))
}

/**
 * Edges that are looked at, of entries and of what a block leaves out: shared cells describe any number.
 * Nodes publish 256 libraries of an account.
 */
const MAX_EDGES = 20_000

/**
 * Nodes check neither the keys nor more than the form of what a message deploys: an entry under another key
 * than its hash publishes nothing. Source: block.tlb `simple_lib$_ public:Bool root:^Cell`; node,
 * crypto/block/block.cpp, `is_public_library`.
 */
function publicLibraries(dict: Slice, bocs: BocMemo): AccountStateAfter['libraries'] {
  const found: { hash: Buffer; code: Buffer }[] = []
  if (dict.refType() !== CELL.ordinary) return found
  const visit = (value: Slice, key: DictKey) => {
    if (!value.loadBit()) return
    const hash = value.refHash(0, 0)
    const code = hash.equals(key.toBuffer()) ? completeBoc(value, bocs) : undefined
    if (code) found.push({ hash, code })
  }
  try {
    forEachLeaf(dict.preloadRefSlice(), 256, visit, { pruned: 'skip', budget: { left: MAX_EDGES } })
  } catch (error) {
    // What is no dictionary, or has no end, publishes no more; the state is what it is.
    if (!(error instanceof DecodeError)) throw error
  }
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

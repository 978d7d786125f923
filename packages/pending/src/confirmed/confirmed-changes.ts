import { parseBoc, type Slice } from '@shardwalk/cells'
import { readJettonHolding } from '@shardwalk/contracts'
import { type AccountStateAfter, formatRawAddress, type RawAddress, sameAddress } from '@shardwalk/model'
import type { SignedBlock, TouchedAccount } from './signed-block.ts'

/** An account after a block that is not final. */
export interface ConfirmedState {
  readonly account: RawAddress
  /** Of its last transaction. */
  readonly lt: bigint
  /** Of its cell. */
  readonly hash: Buffer
  readonly state: AccountStateAfter
}

/** A jetton wallet after a block that is not final. */
export interface ConfirmedWallet {
  readonly wallet: RawAddress
  readonly owner: RawAddress
  readonly master: RawAddress
  /** In the jetton's smallest unit. */
  readonly balance: bigint
  readonly lt: bigint
  /** Undefined: the wallet no longer exists. */
  readonly codeHash?: Buffer | undefined
  readonly dataHash?: Buffer | undefined
}

/** A jetton wallet as it was examined last. */
export interface KnownWallet {
  readonly owner: RawAddress
  readonly master: RawAddress
  readonly codeHash: Buffer | null
}

/** What is known of jetton wallets. */
export interface WalletPorts {
  /** Those of the accounts that are jetton wallets, by raw address. */
  known(accounts: readonly RawAddress[]): Promise<ReadonlyMap<string, KnownWallet>>
  /** Whether the master derives the wallet's address from the owner. */
  isWalletOf(wallet: RawAddress, of: Omit<KnownWallet, 'codeHash'>): Promise<boolean>
}

/** Which changes of a block anybody wants. */
export interface ChangesPorts {
  /** Whether a client follows the account (raw form). */
  isWatched(account: string): boolean
  /** Undefined: no client follows jetton wallets. */
  readonly wallets: WalletPorts | undefined
}

/** What a signed block changes of accounts that clients follow. */
export interface ConfirmedChanges {
  readonly states: readonly ConfirmedState[]
  readonly wallets: readonly ConfirmedWallet[]
}

/** Masters that are asked for one block; wallets of others are published when they are final. */
const MAX_ASKED = 16

const rawOf = ({ account }: TouchedAccount): string => formatRawAddress(account)

/**
 * What a signed block changes of watched accounts, and of jetton wallets that are watched or have a watched
 * owner.
 * A wallet is read by its layout where the index knows it with that code, or where it is new and its master
 * confirms it; other contracts may have data that begin alike.
 */
export async function confirmedChanges(block: SignedBlock, ports: ChangesPorts): Promise<ConfirmedChanges> {
  const accounts = block.accounts.map(({ account }) => account)
  const known = (await ports.wallets?.known(accounts)) ?? new Map<string, KnownWallet>()
  const isOwned = (one: TouchedAccount) => {
    const owner = known.get(rawOf(one))?.owner
    return owner !== undefined && ports.isWatched(formatRawAddress(owner))
  }
  const isNewWallet = ({ isNew }: TouchedAccount) => isNew && ports.wallets !== undefined
  const wanted = block.accounts.filter(
    (one) => ports.isWatched(rawOf(one)) || isOwned(one) || isNewWallet(one),
  )
  if (wanted.length === 0) return { states: [], wallets: [] }
  const after = [...block.statesAfter(wanted)].map(
    ([{ account, lastLt: lt, stateHash: hash, isNew }, state]): After => ({
      account,
      lt,
      hash,
      state,
      isNew,
    }),
  )
  const isWatched = ({ account }: After) => ports.isWatched(formatRawAddress(account))
  return {
    states: after.filter((one) => isWatched(one) && isWhole(one.state)),
    wallets: await walletsAmong(after, known, ports),
  }
}

/** The block may not contain all extra currencies. */
const isWhole = ({ extraCurrencies, extraCurrenciesHash }: AccountStateAfter): boolean =>
  extraCurrencies !== undefined || extraCurrenciesHash === undefined

interface After extends ConfirmedState {
  readonly isNew: boolean
}

async function walletsAmong(
  after: readonly After[],
  known: ReadonlyMap<string, KnownWallet>,
  { wallets: ports, isWatched }: ChangesPorts,
): Promise<readonly ConfirmedWallet[]> {
  if (!ports) return []
  const found: ConfirmedWallet[] = []
  let asked = 0
  for (const one of after) {
    const row = known.get(formatRawAddress(one.account))
    const wallet = row ? examinedWallet(one, row) : one.isNew ? claimedWallet(one) : undefined
    if (!wallet || ![wallet.wallet, wallet.owner].map(formatRawAddress).some(isWatched)) continue
    if (row || (asked++ < MAX_ASKED && (await ports.isWalletOf(wallet.wallet, wallet)))) found.push(wallet)
  }
  return found
}

/** A wallet that the index knows. */
function examinedWallet(one: After, { owner, master, codeHash }: KnownWallet): ConfirmedWallet | undefined {
  const { account: wallet, lt, state } = one
  if (state.status !== 'active') return { wallet, owner, master, balance: 0n, lt }
  const claimed = claimedWallet(one)
  const isSame =
    claimed &&
    codeHash !== null &&
    state.codeHash?.equals(codeHash) &&
    sameAddress(claimed.owner, owner) &&
    sameAddress(claimed.master, master)
  return isSame ? claimed : undefined
}

/** What the data say if they are those of a jetton wallet. */
function claimedWallet({ account: wallet, lt, state }: After): ConfirmedWallet | undefined {
  const data = dataOf(state)
  const holding = data && readJettonHolding(data)
  return holding && { wallet, ...holding, lt, codeHash: state.codeHash, dataHash: state.dataHash }
}

/** The first cell of the data; undefined unless it begins like that of a jetton wallet. */
function dataOf({ jettonBalance, data, parts, dataHash }: AccountStateAfter): Slice | undefined {
  if (jettonBalance === undefined || !dataHash) return undefined
  const boc = data ?? parts
  if (!boc) return undefined
  const bag = parseBoc(boc, { allowLevel: true })
  const root = bag.roots.find((cell) => bag.hash(cell, 0).equals(dataHash))
  return root === undefined ? undefined : bag.slice(root)
}

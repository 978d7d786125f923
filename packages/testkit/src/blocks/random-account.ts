import { Builder, type Cell } from '@shardwalk/cells'
import type { AccountStatus, ExtraCurrencies, RawAddress } from '@shardwalk/model'
import { buildExtraCurrencies } from '@shardwalk/tlb'
import { isWide } from './is-wide.ts'
import type { Random } from './random.ts'
import {
  changeTree,
  deepTree,
  dictionaryTree,
  exoticCell,
  libraryCell,
  libraryDict,
  randomTree,
} from './random-trees.ts'

/** What an account is made of, to be changed by transactions. */
export interface AccountModel {
  readonly address: RawAddress
  status: AccountStatus
  balance: bigint
  extraCurrencies: ExtraCurrencies | undefined
  frozenHash: Buffer | undefined
  code: Cell | undefined
  data: Cell | undefined
  libraries: ReadonlyMap<bigint, Cell>
  areLibrariesPrivate: boolean
  fixedPrefixLength: number | undefined
  special: { readonly tick: boolean; readonly tock: boolean } | undefined
  anycastBits: number
  storageDictHash: Buffer | undefined
  duePayment: bigint | undefined
  lastPaid: number
  lastTransLt: bigint
  lastTransHash: Buffer
  storageLt: bigint
}

/** How large contracts become. */
export interface Sizes {
  /** Cells of ordinary data. */
  readonly cells: number
  readonly dictionary: number
  readonly depth: number
}

export function newAccount(address: RawAddress): AccountModel {
  return {
    address,
    status: 'nonexist',
    balance: 0n,
    extraCurrencies: undefined,
    frozenHash: undefined,
    code: undefined,
    data: undefined,
    libraries: new Map(),
    areLibrariesPrivate: false,
    fixedPrefixLength: undefined,
    special: undefined,
    anycastBits: 0,
    storageDictHash: undefined,
    duePayment: undefined,
    lastPaid: 0,
    lastTransLt: 0n,
    lastTransHash: Buffer.alloc(32),
    storageLt: 0n,
  }
}

const STATUSES: readonly AccountStatus[] = ['active', 'active', 'active', 'uninit', 'frozen', 'nonexist']

/** Statuses that accounts have one after the other, each after one transaction. */
export type Lives = readonly AccountStatus[]

/** What one transaction may do to an account; its status changes by chance unless `lives` are given. */
export function changeAccount(
  random: Random,
  account: AccountModel,
  { now, sizes, lives }: { readonly now: number; readonly sizes: Sizes; readonly lives?: Lives | undefined },
): void {
  account.lastPaid = now
  account.balance = random.coins()
  account.duePayment = random.maybe(0.1, () => random.coins())
  account.storageDictHash = random.maybe(0.2, () => random.hash())
  const next = lives?.[(lives.indexOf(account.status) + 1) % lives.length]
  if (next || account.status === 'nonexist' || random.chance(0.15)) changeStatus(random, account, sizes, next)
  if (account.status === 'nonexist') return
  // Both hashes and an address with anycast do not fit one cell.
  if (account.status === 'frozen') account.storageDictHash = undefined
  // Most transactions leave the currencies alone: their dictionary is pruned then.
  if (random.chance(0.25)) changeCurrencies(random, account)
  if (account.status === 'active') changeContract(random, account, sizes)
}

function changeStatus(random: Random, account: AccountModel, sizes: Sizes, next?: AccountStatus): void {
  const status = next ?? random.pick(STATUSES)
  account.status = status
  account.frozenHash = status === 'frozen' ? random.hash() : undefined
  if (status === 'nonexist') {
    Object.assign(account, newAccount(account.address))
    return
  }
  if (account.extraCurrencies === undefined) account.extraCurrencies = random.currencies(0.4)
  account.anycastBits = random.pick([0, 0, 0, 0, 1, 7, 30])
  if (status !== 'active') return
  account.code = random.maybe(0.95, () =>
    random.chance(0.2) ? libraryCell(random.hash()) : randomTree(random, random.between(1, 12)),
  )
  account.data = random.maybe(0.95, () => randomData(random, sizes))
  account.fixedPrefixLength = random.maybe(0.1, () => random.below(31))
  account.special = random.maybe(0.1, () => ({ tick: random.chance(0.5), tock: random.chance(0.5) }))
  account.libraries = randomLibraries(random)
  account.areLibrariesPrivate = random.rarely()
}

const randomData = (random: Random, { cells, dictionary, depth }: Sizes): Cell => {
  if (random.rarely()) return exoticCell(random)
  const choice = random.below(6)
  if (choice === 0) return dictionaryTree(random, random.pick([0, 1, 2, dictionary]))
  if (choice === 1) return deepTree(random, random.between(1, depth))
  return randomTree(random, random.between(1, cells))
}

/** Published by several accounts, so that they stay when one of them ends. */
const SHARED_LIBRARIES = [1, 2, 3].map((i) => new Builder().storeUint(i, 32).endCell())

/** What others may use, if the account is in the masterchain. */
export const publicLibraries = ({
  status,
  libraries,
  areLibrariesPrivate,
}: AccountModel): AccountModel['libraries'] =>
  status === 'active' && !areLibrariesPrivate ? libraries : new Map()

function randomLibraries(random: Random): ReadonlyMap<bigint, Cell> {
  if (!random.chance(0.2)) return new Map()
  const roots = Array.from({ length: random.between(1, 4) }, () => randomTree(random, random.between(1, 6)))
  const chosen = roots.map((root) => {
    // Without a choice of its own: no other one becomes another.
    const [first, second] = root.hash()
    return first! < 128 ? root : SHARED_LIBRARIES[second! % SHARED_LIBRARIES.length]!
  })
  return new Map(chosen.map((root) => [BigInt(`0x${root.hash().toString('hex')}`), root]))
}

function changeCurrencies(random: Random, account: AccountModel): void {
  const { extraCurrencies } = account
  if (!extraCurrencies || random.chance(0.2)) {
    account.extraCurrencies = random.currencies(0.7)
    return
  }
  const id = random.pick([...extraCurrencies.keys()])
  account.extraCurrencies = new Map(extraCurrencies).set(id, 1n + random.big(100))
}

function changeContract(random: Random, account: AccountModel, sizes: Sizes): void {
  if (account.data && !account.data.isExotic && random.chance(0.6))
    account.data = changeTree(random, account.data)
  else if (random.chance(0.1)) account.data = randomData(random, sizes)
  if (account.code && !account.code.isExotic && random.chance(0.05))
    account.code = changeTree(random, account.code)
}

/** block.tlb `account_none$0` or `account$1`. */
export function accountCell(account: AccountModel): Cell {
  if (account.status === 'nonexist') return new Builder().storeBit(false).endCell()
  const builder = new Builder().storeBit(true)
  storeAddress(builder, account)
  builder.storeVarUint(3n, 3).storeVarUint(700n, 3)
  if (account.storageDictHash) builder.storeUint(1, 3).storeBytes(account.storageDictHash)
  else builder.storeUint(0, 3)
  builder.storeUint(account.lastPaid, 32).storeBit(account.duePayment !== undefined)
  if (account.duePayment !== undefined) builder.storeCoins(account.duePayment)
  builder.storeUint(account.storageLt, 64).storeCoins(account.balance)
  builder.storeMaybeRef(account.extraCurrencies && buildExtraCurrencies(account.extraCurrencies))
  if (account.status === 'uninit') return builder.storeUint(0, 2).endCell()
  if (account.status === 'frozen') return builder.storeUint(1, 2).storeBytes(account.frozenHash!).endCell()
  return storeInit(builder.storeBit(true), account).endCell()
}

function storeAddress(builder: Builder, { address, anycastBits }: AccountModel): void {
  if (anycastBits === 0 || isWide(address)) {
    builder.storeAddress(address)
    return
  }
  builder.storeUint(0b101, 3).storeUint(anycastBits, 5)
  const prefix = BigInt(`0x${address.hash.subarray(0, 4).toString('hex')}`) >> BigInt(32 - anycastBits)
  builder.storeUint(prefix, anycastBits).storeInt(address.workchain, 8).storeBytes(address.hash)
}

function storeInit(builder: Builder, account: AccountModel): Builder {
  const { fixedPrefixLength, special, code, data } = account
  builder.storeBit(fixedPrefixLength !== undefined)
  if (fixedPrefixLength !== undefined) builder.storeUint(fixedPrefixLength, 5)
  builder.storeBit(special !== undefined)
  if (special) builder.storeBit(special.tick).storeBit(special.tock)
  const libraries = libraryDict(account.libraries.values(), { isPublic: !account.areLibrariesPrivate })
  return builder.storeMaybeRef(code).storeMaybeRef(data).storeMaybeRef(libraries)
}

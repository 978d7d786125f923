import type { Cell } from '@shardwalk/cells'
import {
  type ContractReader,
  type ContractState,
  type DetectOptions,
  type DnsZone,
  methodIdsOf,
  nativeGetter,
  type StackValue,
} from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress, RecentMap } from '@shardwalk/model'
import { type AccountSnapshot, NodeAccessError, within } from '@shardwalk/node-access'
import type { NodeChain } from './node-chain.ts'
import type { AccountView, EmulatedTrace } from './types.ts'

/** States of the accounts after the trace; undefined for an account without state. */
export function finalStates({ transactions }: EmulatedTrace): ReadonlyMap<string, AccountView> {
  return new Map(transactions.map(({ transaction, after }) => [formatRawAddress(transaction.account), after]))
}

/** For detection; none: those of mainnet. */
export const zoneOptions = (dnsZones: readonly DnsZone[]): DetectOptions =>
  dnsZones.length > 0 ? { dnsZones } : {}

interface Opened {
  readonly snapshot: AccountSnapshot
  /** True if the state results from an emulated transaction. */
  readonly isForeign: boolean
}

/**
 * Contracts after an emulated trace, for detection. Contracts that the trace did not touch are read from the
 * chain.
 */
export class EmulatedContracts implements ContractReader {
  private readonly opened = new Map<string, Promise<Opened>>()

  constructor(
    private readonly chain: NodeChain,
    private readonly changed: ReadonlyMap<string, AccountView>,
  ) {}

  async find(address: RawAddress): Promise<ContractState | undefined> {
    const { code, data } = (await this.open(address)).snapshot
    if (!code || !data) return undefined
    return { address, codeHash: code.hash(), dataHash: data.hash(), methods: methodsOf(code) }
  }

  /** Errors of a contract are results or undefined; rejects only when the caller has left. */
  async run(
    { address }: ContractState,
    method: string,
    args: readonly StackValue[] = [],
  ): Promise<readonly StackValue[] | undefined> {
    const { snapshot, isForeign } = await this.open(address)
    const { code, data } = snapshot
    if (code && data && args.length === 0) {
      const native = nativeGetter({ codeHash: code.hash(), code, data, method })
      if (native) return native
    }
    try {
      const { exitCode, stack } = await within(this.chain.scope, () =>
        this.chain.node.getMethods.run({ account: snapshot, method, args, isSlim: true, isForeign }),
      )
      return exitCode === 0 || exitCode === 1 ? stack : undefined
    } catch (error) {
      if (error instanceof NodeAccessError && error.code !== 'aborted') return undefined
      throw error
    }
  }

  private open(address: RawAddress): Promise<Opened> {
    const key = formatRawAddress(address)
    const known = this.opened.get(key) ?? this.read(address, this.changed.get(key))
    this.opened.set(key, known)
    return known
  }

  private async read(address: RawAddress, view: AccountView | undefined): Promise<Opened> {
    const { node, mcBlock, scope } = this.chain
    if (!view)
      return { snapshot: await within(scope, () => node.accounts.at(mcBlock, address)), isForeign: false }
    return { snapshot: snapshotOf(this.chain, address, view), isForeign: true }
  }
}

const snapshotOf = (
  { mcBlock, utime }: NodeChain,
  address: RawAddress,
  view: AccountView,
): AccountSnapshot => ({
  address,
  block: mcBlock,
  shardBlock: mcBlock,
  utime,
  lastTransLt: view.lastTransLt,
  lastTransHash: view.lastTransHash,
  balance: view.balance,
  state: view.code ? 'active' : view.frozenHash ? 'frozen' : 'uninitialized',
  ...(view.extraCurrencies && { extraCurrencies: view.extraCurrencies }),
  ...(view.code && { code: view.code }),
  ...(view.data && { data: view.data }),
})

/** Method ids by code hash: the code of a hash never changes. */
const knownMethods = new RecentMap<string, ReadonlySet<number> | undefined>(10_000)

/** Undefined when the code has no method dictionary or is a library. */
function methodsOf(code: Cell): ReadonlySet<number> | undefined {
  const key = code.hash().toString('latin1')
  if (knownMethods.has(key)) return knownMethods.get(key)
  const ids = methodIdsOf(code, () => undefined)
  const methods = ids && new Set(ids)
  knownMethods.set(key, methods)
  return methods
}

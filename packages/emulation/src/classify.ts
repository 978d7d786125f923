import { type AccountFacts, type ActionRow, type Address, OpenTrace, type Trace } from '@shardwalk/actions'
import { serializeBoc } from '@shardwalk/cells'
import { type DnsZone, detectContract, isPlainWalletCode } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { continued, toActionTrace } from './action-trace.ts'
import { detectedFacts } from './detected-facts.ts'
import { EmulatedContracts, finalStates, zoneOptions } from './emulated-contracts.ts'
import type { NodeChain } from './node-chain.ts'
import type { AccountView, EmulatedTrace } from './types.ts'

/** Number of contracts of a trace that are examined; facts of others come from the index. */
const MAX_EXAMINED = 64

type Facts = ReadonlyMap<Address, AccountFacts>

/** What classification need not ask the index for. */
export interface ExaminedContracts {
  /** What is known about the contracts that were examined. */
  readonly facts: Facts
  /** Wallets before and after the trace, about which there is nothing to know. */
  readonly settled: ReadonlySet<Address>
}

/** What the index knows. */
export interface IndexedKnowledge {
  /** Facts for the contracts that classification asks for. */
  readonly facts: (trace: OpenTrace, known: ExaminedContracts) => Promise<Facts>
  /** DNS zones of the network; none: those of mainnet. */
  readonly dnsZones: readonly DnsZone[]
}

/**
 * The actions of an emulated trace, by the classifier of indexed traces. Contracts are examined after the
 * trace; for those that it destroyed, indexed facts are used. Rejects when the deadline of the chain has
 * passed.
 */
export async function classifyEmulated(
  chain: NodeChain,
  trace: EmulatedTrace,
  indexed: IndexedKnowledge,
): Promise<readonly ActionRow[]> {
  const accounts = trace.transactions.map(({ transaction }) => transaction.account)
  return classify(chain, toActionTrace(trace), {
    accounts,
    states: finalStates(trace),
    settled: plainWallets(trace),
    indexed,
  })
}

/** A trace of which a part has happened. */
export interface BegunTrace {
  readonly happened: Trace
  /** Accounts with transactions in that part. */
  readonly accounts: readonly RawAddress[]
  /** What the messages that were not received yet would cause; undefined: there are none. */
  readonly tail: EmulatedTrace | undefined
}

/** The actions of a trace that has begun to happen, as `classifyEmulated`. */
export function classifyBegun(
  chain: NodeChain,
  { happened, accounts, tail }: BegunTrace,
  indexed: IndexedKnowledge,
): Promise<readonly ActionRow[]> {
  const touched = tail?.transactions.map(({ transaction }) => transaction.account) ?? []
  return classify(chain, tail ? continued(happened, tail) : happened, {
    accounts: [...accounts, ...touched],
    states: tail ? finalStates(tail) : new Map(),
    settled: new Set(),
    indexed,
  })
}

interface Classifying {
  /** Accounts with transactions. */
  readonly accounts: readonly RawAddress[]
  /** Those that emulated transactions changed. */
  readonly states: ReadonlyMap<string, AccountView>
  readonly settled: ExaminedContracts['settled']
  readonly indexed: IndexedKnowledge
}

async function classify(
  chain: NodeChain,
  trace: Trace,
  { accounts, states, settled, indexed }: Classifying,
): Promise<readonly ActionRow[]> {
  const open = new OpenTrace(trace)
  const found = await factsAfter(chain, open, { accounts, states, indexed })
  const facts = new Map(await indexed.facts(open, { facts: found, settled }))
  for (const [address, own] of found) facts.set(address, { ...facts.get(address), ...own })
  return open.classify(facts).actions
}

/** Accounts that were simple wallets before and are after each of their transactions. */
function plainWallets({ transactions }: EmulatedTrace): ReadonlySet<Address> {
  const plain = new Set<Address>()
  const others = new Set<Address>()
  for (const { transaction, before, after } of transactions) {
    const isPlain = [before, after].every(({ code }) => code && isPlainWalletCode(code.hash()))
    const list = isPlain ? plain : others
    list.add(formatRawAddress(transaction.account))
  }
  for (const address of others) plain.delete(address)
  return plain
}

/** Facts about the contracts that the trace touched and that classification asks for. */
async function factsAfter(
  chain: NodeChain,
  open: OpenTrace,
  { accounts: touched, states, indexed }: Pick<Classifying, 'accounts' | 'states' | 'indexed'>,
): Promise<Facts> {
  const { accounts, data } = open.factsWanted(new Map())
  const contracts = new EmulatedContracts(chain, states)
  const wanted = new Map(
    touched
      .map((address) => [formatRawAddress(address), address] as const)
      .filter(([name]) => accounts.has(name)),
  )
  const facts = new Map<Address, AccountFacts>()
  await Promise.all(
    [...wanted].slice(0, MAX_EXAMINED).map(async ([name, address]) => {
      const view = states.get(name)
      const own = await factsOfContract(contracts, address, indexed.dnsZones)
      facts.set(name, { ...own, ...(view && data.has(name) && dataOf(view)) })
    }),
  )
  return facts
}

async function factsOfContract(
  contracts: EmulatedContracts,
  address: RawAddress,
  dnsZones: readonly DnsZone[],
): Promise<AccountFacts> {
  const state = await contracts.find(address)
  if (!state || isPlainWalletCode(state.codeHash)) return {}
  return detectedFacts(await detectContract(state, contracts, zoneOptions(dnsZones)), state.codeHash)
}

const dataOf = ({ data }: AccountView): AccountFacts => (data ? { data: serializeBoc(data) } : {})

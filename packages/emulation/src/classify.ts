import { type AccountFacts, type ActionRow, type Address, OpenTrace } from '@shardwalk/actions'
import { serializeBoc } from '@shardwalk/cells'
import { detectContract, isPlainWalletCode } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { toActionTrace } from './action-trace.ts'
import { detectedFacts } from './detected-facts.ts'
import { EmulatedContracts, finalStates } from './emulated-contracts.ts'
import type { NodeChain } from './node-chain.ts'
import type { AccountView, EmulatedTrace } from './types.ts'

/** Number of contracts of a trace that are examined; facts of others come from the index. */
const MAX_EXAMINED = 64

type Facts = ReadonlyMap<Address, AccountFacts>

/** Loads indexed facts for the contracts that classification asks for, given the known facts. */
export type IndexedFacts = (trace: OpenTrace, known: Facts) => Promise<Facts>

/**
 * The actions of an emulated trace, by the classifier of indexed traces. Contracts are examined after the
 * trace; for those that it destroyed, indexed facts are used. Rejects when the deadline of the chain has
 * passed.
 */
export async function classifyEmulated(
  chain: NodeChain,
  trace: EmulatedTrace,
  indexedFacts: IndexedFacts,
): Promise<readonly ActionRow[]> {
  const open = new OpenTrace(toActionTrace(trace))
  const found = await factsAfter(chain, trace, open)
  const facts = new Map(await indexedFacts(open, found))
  for (const [address, own] of found) facts.set(address, { ...facts.get(address), ...own })
  return open.classify(facts).actions
}

/** Facts about the contracts that the trace touched and that classification asks for. */
async function factsAfter(chain: NodeChain, trace: EmulatedTrace, open: OpenTrace): Promise<Facts> {
  const { accounts, data } = open.factsWanted(new Map())
  const states = finalStates(trace)
  const contracts = new EmulatedContracts(chain, states)
  const touched = trace.transactions.map(({ transaction }) => transaction.account)
  const wanted = new Map(
    touched
      .map((address) => [formatRawAddress(address), address] as const)
      .filter(([name]) => accounts.has(name)),
  )
  const facts = new Map<Address, AccountFacts>()
  await Promise.all(
    [...wanted].slice(0, MAX_EXAMINED).map(async ([name, address]) => {
      const view = states.get(name)!
      const own = await factsOfContract(contracts, address)
      facts.set(name, { ...own, ...(data.has(name) && dataOf(view)) })
    }),
  )
  return facts
}

async function factsOfContract(contracts: EmulatedContracts, address: RawAddress): Promise<AccountFacts> {
  const state = await contracts.find(address)
  if (!state || isPlainWalletCode(state.codeHash)) return {}
  return detectedFacts(await detectContract(state, contracts), state.codeHash)
}

const dataOf = ({ data }: AccountView): AccountFacts => (data ? { data: serializeBoc(data) } : {})

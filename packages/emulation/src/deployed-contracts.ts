import { type Detected, detectContract, isPlainWalletCode } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import type { IndexedKnowledge } from './classify.ts'
import { EmulatedContracts, finalStates, zoneOptions } from './emulated-contracts.ts'
import type { NodeChain } from './node-chain.ts'
import type { EmulatedTrace } from './types.ts'

/** A contract that an emulated trace deploys, and everything that it is by its own get-methods afterwards. */
export interface DeployedContract {
  readonly address: RawAddress
  readonly found: readonly Detected[]
}

/** Contracts that are examined; others are left out. */
const MAX_EXAMINED = 64

/** Contracts that the trace deploys, as far as they are examined before the deadline of the chain. */
export async function deployedContracts(
  chain: NodeChain,
  trace: EmulatedTrace,
  { dnsZones }: Pick<IndexedKnowledge, 'dnsZones'>,
): Promise<readonly DeployedContract[]> {
  const states = finalStates(trace)
  const contracts = new EmulatedContracts(chain, states)
  const examined = await Promise.allSettled(
    deployedAccounts(trace).map(async (address): Promise<DeployedContract> => {
      const state = await contracts.find(address)
      return { address, found: state ? await detectContract(state, contracts, zoneOptions(dnsZones)) : [] }
    }),
  )
  return examined.flatMap((one) =>
    one.status === 'fulfilled' && one.value.found.length > 0 ? one.value : [],
  )
}

/** Accounts that had no code before their first transaction, and have some after their last. */
function deployedAccounts(trace: EmulatedTrace): readonly RawAddress[] {
  const states = finalStates(trace)
  const firsts = new Map<string, EmulatedTrace['transactions'][number]>()
  for (const one of trace.transactions) {
    const key = formatRawAddress(one.transaction.account)
    if (!firsts.has(key)) firsts.set(key, one)
  }
  const deployed = [...firsts].filter(([key, { before }]) => {
    const code = states.get(key)?.code
    return !before.code && code && !isPlainWalletCode(code.hash())
  })
  return deployed.slice(0, MAX_EXAMINED).map(([, { transaction }]) => transaction.account)
}

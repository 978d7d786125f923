import { setMaxListeners } from 'node:events'
import type { ActionRow } from '@shardwalk/actions'
import { nextTurn, withTimeLimit } from '@shardwalk/concurrency'
import type { DnsZone } from '@shardwalk/contracts'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Logger } from '@shardwalk/observability'
import { classifyEmulated, type IndexedKnowledge } from '../classify.ts'
import { type DeployedContract, deployedContracts } from '../deployed-contracts.ts'
import { emulateTrace } from '../emulate-trace.ts'
import { type NodeChain, openChain } from '../node-chain.ts'
import type { EmulatedTrace } from '../types.ts'
import type { EmulationQuery } from './read-requests.ts'
import { RecentTraces } from './recent-traces.ts'

/** Part of the deadline in which transactions are run. */
const EMULATION_SHARE = 5 / 6
/** And in which the contracts that they deploy are examined. */
const EXAMINATION_SHARE = 1 / 12

/** Steps of an emulation, in order. */
export type EmulationStep = 'state' | 'emulate' | 'classify'

/** Limits and sources of an emulator. */
export interface EmulatorOptions {
  /** That of the signals with which it is asked. Milliseconds. */
  readonly deadlineMs: number
  readonly indexedFacts: IndexedKnowledge['facts']
  /** See `IndexedKnowledge`. */
  readonly dnsZones: () => Promise<readonly DnsZone[]>
  readonly log: Logger
}

/** For whom an emulation runs. */
export interface EmulationOwner {
  /** Clients take turns. */
  readonly client: string
  readonly signal: AbortSignal
  /** Called after each step. */
  readonly onStep: (step: EmulationStep) => void
}

/** A trace, its actions, and the chain for what a reply adds to them. */
export interface EmulationResult {
  /** The chain that was emulated on, until the deadline of the request. */
  readonly chain: NodeChain
  readonly trace: EmulatedTrace
  readonly actions: readonly ActionRow[]
  /** Empty unless metadata are asked for. */
  readonly deployed: readonly DeployedContract[]
}

/** Answers what a message would do; remembers the newest traces, because clients ask several times. */
export class Emulator {
  private readonly recent = new RecentTraces()

  constructor(private readonly options: EmulatorOptions) {}

  /** Rejects with `EmulationError`, `NodeAccessError`, `InvalidEmulation`. */
  async emulate(node: NodeAccess, query: EmulationQuery, owner: EmulationOwner): Promise<EmulationResult> {
    const { chain, trace } = await this.traceOf(node, query, owner)
    // Requests that only read get the thread between two previews.
    await nextTurn()
    const [actions, deployed] = await Promise.all([
      query.withActions ? this.classify(chain, trace) : [],
      query.include_metadata ? this.examine(chain, trace, owner) : [],
    ])
    owner.onStep('classify')
    return { chain, trace, actions, deployed }
  }

  private async traceOf(
    node: NodeAccess,
    query: EmulationQuery,
    { client, signal, onStep }: EmulationOwner,
  ): Promise<Pick<EmulationResult, 'chain' | 'trace'>> {
    // The part of the trace that is there at this deadline is classified and shown in the time that is left.
    return withTimeLimit(this.options.deadlineMs * EMULATION_SHARE, signal, async (soft) => {
      // Many states are requested at a time, and each listens to the signals.
      setMaxListeners(0, signal, soft)
      const chain = await openChain(node, { signal: soft, client }, query.mcBlockSeqno)
      const message = await query.message(chain)
      onStep('state')
      const { ignoreSignatures } = query
      const hashes = [chain.mcBlock.rootHash, message.cell.hash()].map((hash) => hash.toString('latin1'))
      const trace = await this.recent.get(`${hashes.join('')}${ignoreSignatures}`, () =>
        emulateTrace(chain, message, { ignoreSignatures, signal: soft }),
      )
      onStep('emulate')
      return { chain: chain.during({ signal, client }), trace }
    })
  }

  /** No actions if it fails: the trace is useful without them. */
  private async classify(chain: NodeChain, trace: EmulatedTrace): Promise<readonly ActionRow[]> {
    const { indexedFacts, log } = this.options
    try {
      return await classifyEmulated(chain, trace, {
        facts: (open, known) =>
          indexedFacts(open, known).catch((error: unknown) => {
            log.debug('no facts from the index for an emulated trace', { error })
            return new Map()
          }),
        dnsZones: await this.dnsZones(),
      })
    } catch (error) {
      log.debug('emulated trace not classified', { error })
      return []
    }
  }

  private dnsZones(): Promise<readonly DnsZone[]> {
    return this.options.dnsZones().catch(() => [])
  }

  /** Contracts that the trace deploys, as far as there is time to examine them. */
  private examine(
    chain: NodeChain,
    trace: EmulatedTrace,
    { client, signal }: EmulationOwner,
  ): Promise<readonly DeployedContract[]> {
    return withTimeLimit(this.options.deadlineMs * EXAMINATION_SHARE, signal, async (soft) => {
      setMaxListeners(0, soft)
      const dnsZones = await this.dnsZones()
      return deployedContracts(chain.during({ signal: soft, client }), trace, { dnsZones })
    })
  }
}

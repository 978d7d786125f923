import { setMaxListeners } from 'node:events'
import type { ActionRow } from '@shardwalk/actions'
import { nextTurn, withTimeLimit } from '@shardwalk/concurrency'
import { RecentFacts } from '@shardwalk/db'
import {
  classifyEmulated,
  type EmulatedTrace,
  emulateTrace,
  type NodeChain,
  openChain,
  type RootMessage,
} from '@shardwalk/emulation'
import type { NodeAccess } from '@shardwalk/node-access'
import { type Emulated, type Included, renderEmulation } from '@shardwalk/replies'
import { HttpError } from '../http/errors.ts'
import type { ApiServices } from '../services.ts'
import type { Previewer, PreviewQuestion, PreviewReply } from './preview.ts'
import { previewContext, withIndex } from './preview-context.ts'
import { readTonConnectRequest, readTraceRequest } from './read-requests.ts'
import { RecentTraces } from './recent-traces.ts'
import { Stopwatch } from './stopwatch.ts'

const READERS = { trace: readTraceRequest, tonConnect: readTonConnectRequest } as const

/** What a request asks for. */
export interface EmulationQuery extends Included {
  readonly mcBlockSeqno: number | undefined
  readonly ignoreSignatures: boolean
  readonly withActions: boolean
  /** The message that the trace begins with, which may depend on the state. */
  readonly message: (chain: NodeChain) => Promise<RootMessage>
}

/** Answers questions about what a message would do, in the thread that asks. */
export class Emulator implements Previewer {
  readonly recent = new RecentTraces()
  private readonly facts: RecentFacts

  /** `deadlineMs`: that of the signals with which it is asked. */
  constructor(
    private readonly services: ApiServices,
    private readonly deadlineMs: number,
  ) {
    this.facts = new RecentFacts(services.db)
  }

  async answer(question: PreviewQuestion, signal: AbortSignal): Promise<PreviewReply> {
    const asked = READERS[question.kind](question.body)
    const node = this.services.node()
    if (!node)
      throw new HttpError(503, 'emulation is not ready: there are no lite servers', { 'Retry-After': '1' })
    const watch = new Stopwatch()
    const { chain, trace } = await this.emulate(node, { asked, client: question.client, signal, watch })
    // Requests that only read go between those of many who ask for previews at once.
    await nextTurn()
    const actions = asked.withActions ? await this.classify(chain, trace) : []
    watch.lap('classify')
    await nextTurn()
    const context = previewContext(this.services, { ...question, signal })
    const needsIndex = asked.include_address_book || asked.include_metadata || actions.length > 0
    const emulated: Emulated = { chain, trace, actions }
    const body = needsIndex
      ? await withIndex(context, (indexed) => renderEmulation(indexed, emulated, asked))
      : await renderEmulation(context, emulated, asked)
    watch.lap('render')
    return { body, timing: watch.header() }
  }

  private async emulate(
    node: NodeAccess,
    { asked, client, signal, watch }: Running,
  ): Promise<{ readonly chain: NodeChain; readonly trace: EmulatedTrace }> {
    // What is there at the deadline of emulation is classified and shown in the time that is left.
    return withTimeLimit(this.deadlineMs * EMULATION_SHARE, signal, async (soft) => {
      // States are asked for many at a time; each is given up with the emulation.
      setMaxListeners(0, signal, soft)
      const chain = await openChain(node, { signal: soft, client }, asked.mcBlockSeqno)
      const message = await asked.message(chain)
      watch.lap('state')
      const { ignoreSignatures } = asked
      const hashes = [chain.mcBlock.rootHash, message.cell.hash()].map((hash) => hash.toString('latin1'))
      const trace = await this.recent.get(`${hashes.join('')}${ignoreSignatures}`, () =>
        emulateTrace(chain, message, { ignoreSignatures, signal: soft }),
      )
      watch.lap('emulate')
      return { chain: chain.during({ signal, client }), trace }
    })
  }

  /** Without an answer there are no actions: what would happen is worth more than its names. */
  private async classify(chain: NodeChain, trace: EmulatedTrace): Promise<readonly ActionRow[]> {
    const { log } = this.services
    try {
      return await classifyEmulated(chain, trace, (open, known) =>
        this.facts.of(open, known).catch((error: unknown) => {
          log.debug('no facts from the index for an emulated trace', { error })
          return new Map()
        }),
      )
    } catch (error) {
      log.debug('emulated trace not classified', { error })
      return []
    }
  }
}

/** Part of the deadline in which transactions are run. */
const EMULATION_SHARE = 5 / 6

interface Running {
  readonly asked: EmulationQuery
  readonly client: string
  readonly signal: AbortSignal
  readonly watch: Stopwatch
}

import { setMaxListeners } from 'node:events'
import type { ActionRow } from '@shardwalk/actions'
import { parseQueryString } from '@shardwalk/api-schema'
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
import type { Request, Response } from 'express'
import { clientName } from '../access/client-name.ts'
import { contextWithoutIndex, inContext } from '../http/answer-from-index.ts'
import { callSignal } from '../http/call-signal.ts'
import { HttpError } from '../http/errors.ts'
import { queryString } from '../http/query-string.ts'
import type { ApiServices } from '../services.ts'
import { Places } from './places.ts'
import { RecentTraces } from './recent-traces.ts'
import { type Emulated, type Included, renderEmulation } from './reply.ts'
import { Stopwatch } from './stopwatch.ts'

export interface EmulationOptions {
  /** Until the reply begins. Milliseconds; default as TON Center: 3,000. */
  readonly deadlineMs: number
  /** Emulations in progress, half of them of one client; default 8. */
  readonly places: number
}

const DEFAULTS: EmulationOptions = { deadlineMs: 3_000, places: 8 }

/** What a request asks for. */
export interface EmulationQuery extends Included {
  readonly mcBlockSeqno: number | undefined
  readonly ignoreSignatures: boolean
  readonly withActions: boolean
  /** The message that the trace begins with, which may depend on the state. */
  readonly message: (chain: NodeChain) => Promise<RootMessage>
}

/** Answers questions about what a message would do. */
export class Emulator {
  private readonly options: EmulationOptions
  readonly places: Places
  readonly recent = new RecentTraces()
  private readonly facts: RecentFacts

  constructor(
    private readonly services: ApiServices,
    options: Partial<EmulationOptions> = {},
  ) {
    this.options = { ...DEFAULTS, ...options }
    this.facts = new RecentFacts(services.db)
    this.places = new Places(this.options.places)
  }

  /** The reply as JSON text. Rejects with what `emulationFailure` understands. */
  async answer(request: Request, response: Response, asked: EmulationQuery): Promise<string> {
    const node = this.services.node()
    if (!node)
      throw new HttpError(503, 'emulation is not ready: there are no lite servers', { 'Retry-After': '1' })
    const client = clientName(request)
    return this.places.hold(client, async () => {
      const watch = new Stopwatch()
      const signal = callSignal(response, this.options.deadlineMs)
      const { chain, trace } = await this.emulate(node, { asked, client, signal, watch })
      // Requests that only read go between those of many who ask for previews at once.
      await nextTurn()
      const actions = asked.withActions ? await this.classify(chain, trace) : []
      watch.lap('classify')
      await nextTurn()
      const text = await this.render(request, asked, { chain, trace, actions })
      watch.lap('render')
      response.setHeader('Server-Timing', watch.header())
      return text
    })
  }

  private render(request: Request, asked: EmulationQuery, emulated: Emulated): Promise<string> {
    const raw = parseQueryString(queryString(request))
    const place = { request, raw, services: this.services }
    const needsIndex = asked.include_address_book || asked.include_metadata || emulated.actions.length > 0
    return needsIndex
      ? inContext(place, (context) => renderEmulation(context, emulated, asked))
      : renderEmulation(contextWithoutIndex(place), emulated, asked)
  }

  private async emulate(
    node: NodeAccess,
    { asked, client, signal, watch }: Running,
  ): Promise<{ readonly chain: NodeChain; readonly trace: EmulatedTrace }> {
    // What is there at the deadline of emulation is classified and shown in the time that is left.
    return withTimeLimit(this.options.deadlineMs * EMULATION_SHARE, signal, async (soft) => {
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

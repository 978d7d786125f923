import { nextTurn } from '@shardwalk/concurrency'
import { RecentFacts } from '@shardwalk/db'
import { Emulator, readTonConnectRequest, readTraceRequest } from '@shardwalk/emulation'
import { renderEmulation } from '@shardwalk/replies'
import { HttpError } from '../http/errors.ts'
import type { ApiServices } from '../services.ts'
import type { Previewer, PreviewQuestion, PreviewReply } from './preview.ts'
import { previewContext, withIndex } from './preview-context.ts'
import { Stopwatch } from './stopwatch.ts'

const READERS = { trace: readTraceRequest, tonConnect: readTonConnectRequest } as const

/** Answers previews in the thread that asks. */
export class PreviewsHere implements Previewer {
  private readonly emulator: Emulator

  /** `deadlineMs`: that of the signals with which it is asked. */
  constructor(
    private readonly services: ApiServices,
    deadlineMs: number,
  ) {
    const facts = new RecentFacts(services.db)
    this.emulator = new Emulator({
      deadlineMs,
      indexedFacts: (open, known) => facts.of(open, known),
      dnsZones: () => facts.dnsZones(),
      log: services.log,
    })
  }

  async answer(question: PreviewQuestion, signal: AbortSignal): Promise<PreviewReply> {
    const { client } = question
    const asked = READERS[question.kind](question.body)
    const node = this.services.node()
    if (!node)
      throw new HttpError(503, 'emulation is not ready: there are no lite servers', { 'Retry-After': '1' })
    const watch = new Stopwatch()
    const onStep = watch.lap.bind(watch)
    const emulated = await this.emulator.emulate(node, asked, { client, signal, onStep })
    await nextTurn()
    const context = previewContext(this.services, { ...question, signal })
    const needsIndex = asked.include_address_book || asked.include_metadata || emulated.actions.length > 0
    const body = needsIndex
      ? await withIndex(context, (indexed) => renderEmulation(indexed, emulated, asked))
      : await renderEmulation(context, emulated, asked)
    watch.lap('render')
    return { body, timing: watch.header() }
  }
}

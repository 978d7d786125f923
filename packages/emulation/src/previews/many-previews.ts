import type { Logger } from '@shardwalk/observability'

/** A thread starts when this number of previews is requested within this time. Milliseconds. */
const MANY = 20
const WINDOW_MS = 2_000
/** It ends after this time without a preview. Milliseconds. */
const IDLE_MS = 60_000
/** Longer than any deadline may be (API_EMULATION_TIMEOUT_MS): the thread does not answer. Milliseconds. */
const SILENT_MS = 15_000
/** After a thread has failed, none is started for this time. Milliseconds. */
const PAUSE_MS = 10_000
const CHECK_MS = 1_000

/** Answers questions about what messages would do. */
export interface Previewer<Question, Reply> {
  answer(question: Question, signal: AbortSignal): Promise<Reply>
}

/** A thread that answers previews. */
export interface PreviewThread<Question, Reply> extends Previewer<Question, Reply> {
  /** Whether it has loaded its code. */
  readonly isReady: boolean
  /** Since it was asked. Milliseconds. */
  readonly idleMs: number
  /** Since the oldest question without an answer was asked. Milliseconds. */
  readonly silentMs: number
  /** Ends it; open questions are rejected. */
  end(error?: Error): void
}

/** When and how a thread is started. */
export interface ManyPreviewsOptions<Question, Reply> {
  /** Starts a thread, which calls `onEnd` once, however it ends. */
  readonly startThread: (onEnd: (error: Error | undefined) => void) => PreviewThread<Question, Reply>
  readonly log: Logger
  /** Previews that make many. Default 20 within two seconds. */
  readonly many?: number
}

/**
 * Few previews are answered by the thread that answers all requests; many by a thread of their own, whose
 * work and garbage do not delay requests that only read. Until that thread has loaded its code, and after it
 * has failed, previews are answered here. Once it is ready it answers all of them, although it is slow at
 * first: otherwise the code would be compiled in both threads, which takes longer than the previews.
 */
export class ManyPreviews<Question, Reply> implements Previewer<Question, Reply> {
  private thread: PreviewThread<Question, Reply> | undefined
  private watch: NodeJS.Timeout | undefined
  private since = 0
  private count = 0
  private notBefore = 0
  /** Questions passed to the thread. */
  inThread = 0

  constructor(
    private readonly here: Previewer<Question, Reply>,
    private readonly options: ManyPreviewsOptions<Question, Reply>,
  ) {}

  answer(question: Question, signal: AbortSignal): Promise<Reply> {
    if (!this.thread && this.areMany()) this.start()
    if (!this.thread?.isReady) return this.here.answer(question, signal)
    this.inThread++
    return this.thread.answer(question, signal)
  }

  /** Whether there is a thread, be it ready or not. */
  get isStarted(): boolean {
    return this.thread !== undefined
  }

  /** Ends the thread, if there is one. */
  close(): void {
    this.notBefore = Number.POSITIVE_INFINITY
    this.thread?.end()
  }

  private areMany(): boolean {
    const now = performance.now()
    if (now - this.since > WINDOW_MS) {
      this.since = now
      this.count = 0
    }
    return ++this.count >= (this.options.many ?? MANY) && now >= this.notBefore
  }

  private start(): void {
    this.thread = this.options.startThread((error) => this.ended(error))
    this.watch = setInterval(() => this.check(), CHECK_MS).unref()
  }

  private ended(error: Error | undefined): void {
    clearInterval(this.watch)
    this.thread = undefined
    if (!error) return
    this.notBefore = Math.max(this.notBefore, performance.now() + PAUSE_MS)
    this.options.log.warn('the thread of emulations has ended', { error, again_in_ms: PAUSE_MS })
  }

  private check(): void {
    if (!this.thread) return
    if (this.thread.silentMs > SILENT_MS) this.thread.end(new Error(`no answer within ${SILENT_MS} ms`))
    else if (this.thread.idleMs > IDLE_MS) this.thread.end()
  }
}

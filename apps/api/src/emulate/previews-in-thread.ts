import type { Worker } from 'node:worker_threads'
import { startThread } from '@shardwalk/concurrency'
import type { PreviewThread } from '@shardwalk/emulation'
import { addSamples, type Metrics } from '@shardwalk/observability'
import { HttpError } from '../http/errors.ts'
import type { PreviewQuestion, PreviewReply } from './preview.ts'
import type { FromPreviewThread, PreviewFailure, ToPreviewThread } from './preview-messages.ts'

const SCRIPT = new URL('./preview-thread.ts', import.meta.url)
/** What eight large traces need at once, and caches. Beyond it the thread ends. MiB. */
const MAX_HEAP_MB = 512
/**
 * Reads go first: with a hundred previews a second, each step of niceness spares their p99 some milliseconds.
 */
const NICENESS = 10

export interface PreviewsInThreadOptions {
  /** With which the thread opens what it needs: those of the process. */
  readonly settings: Readonly<Record<string, string | undefined>>
  /** To which it adds what the thread counts. */
  readonly metrics: Metrics
  /** Called once, however the thread ends. */
  readonly onEnd: (error: Error | undefined) => void
}

interface Asked {
  readonly at: number
  readonly resolve: (reply: PreviewReply) => void
  readonly reject: (error: Error) => void
}

/** One thread that answers previews. It is not started again once it has ended. */
export class PreviewsInThread implements PreviewThread<PreviewQuestion, PreviewReply> {
  private readonly thread: Worker
  private readonly asked = new Map<number, Asked>()
  isReady = false
  private isOver = false
  private nextId = 1
  private lastAskedAt = performance.now()

  constructor(private readonly options: PreviewsInThreadOptions) {
    const { settings } = options
    this.thread = startThread(
      SCRIPT,
      { settings, niceness: NICENESS },
      { maxOldGenerationSizeMb: MAX_HEAP_MB },
    )
    this.thread.on('message', (message: FromPreviewThread) => this.onMessage(message))
    // Not before: to listen for messages would undo it.
    this.thread.unref()
    this.thread.on('error', (error) => this.end(error as Error))
    this.thread.on('exit', (code) => this.end(new Error(`exit code ${code}`)))
  }

  get idleMs(): number {
    return this.asked.size > 0 ? 0 : performance.now() - this.lastAskedAt
  }

  get silentMs(): number {
    const [oldest] = this.asked.values()
    return oldest ? performance.now() - oldest.at : 0
  }

  answer(question: PreviewQuestion, signal: AbortSignal): Promise<PreviewReply> {
    const id = this.nextId++
    const leave = () => this.post({ id, left: true })
    this.lastAskedAt = performance.now()
    const answered = new Promise<PreviewReply>((resolve, reject) => {
      this.asked.set(id, { at: this.lastAskedAt, resolve, reject })
      // The body may be part of what was read from a connection, which would be copied as a whole.
      const body = new Uint8Array(question.body)
      this.post({ id, question: { ...question, body } }, [body.buffer])
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
    return answered.finally(() => signal.removeEventListener('abort', leave))
  }

  end(error?: Error): void {
    if (this.isOver) return
    this.isOver = true
    this.isReady = false
    void this.thread.terminate()
    for (const { reject } of this.asked.values())
      reject(new HttpError(503, 'the thread of emulations has ended', { 'Retry-After': '1' }))
    this.asked.clear()
    this.options.onEnd(error)
  }

  private onMessage(message: FromPreviewThread): void {
    if (message === 'ready') this.isReady = true
    else if ('metrics' in message) addSamples(this.options.metrics, message.metrics)
    else this.settle(message)
  }

  private settle(message: Extract<FromPreviewThread, { readonly id: number }>): void {
    const asked = this.asked.get(message.id)
    this.asked.delete(message.id)
    if ('reply' in message) asked?.resolve(message.reply)
    else asked?.reject(errorOf(message.failure))
  }

  private post(message: ToPreviewThread, moved: readonly ArrayBuffer[] = []): void {
    this.thread.postMessage(message, moved)
  }
}

const errorOf = ({ status, message, headers }: PreviewFailure): HttpError =>
  new HttpError(status, message, headers)

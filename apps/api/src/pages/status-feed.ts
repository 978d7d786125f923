import type { StatusView } from '@shardwalk/pages'
import type { Request, Response } from 'express'
import { HttpError } from '../http/errors.ts'

/** Interval of reading the status while a page shows it. Milliseconds. */
const INTERVAL_MS = 1000
/** While only times and the like change, they are sent after this many steps. */
const STEPS_WITHOUT_CHANGE = 5
/** Streams in all; a client that gets none asks every few seconds. */
const MAX_STREAMS = 100
/** A stream that has not taken what was sent to it is ended. Bytes. */
const MAX_PENDING = 1_000_000

/** Sends the status to everybody who watches, when it changes. */
export class StatusFeed {
  private readonly streams = new Set<Response>()
  private timer: NodeJS.Timeout | undefined
  /** What was sent last, and how many steps ago. */
  private sent = ''
  private steps = 0

  constructor(
    private readonly read: () => Promise<StatusView>,
    private readonly isShuttingDown: () => boolean,
  ) {}

  get size(): number {
    return this.streams.size
  }

  /** Server-sent events: `status` with the view, `alive` when nothing changed. Throws `HttpError` 503. */
  async open(request: Request, response: Response): Promise<void> {
    if (this.streams.size >= MAX_STREAMS || this.isShuttingDown())
      throw new HttpError(503, 'too many pages watch the status; /status.json says the same', {
        'Retry-After': '5',
      })
    // Not compressed: every event is to arrive at once.
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    })
    if (request.method === 'HEAD') {
      response.end()
      return
    }
    this.streams.add(response)
    response.once('close', () => this.streams.delete(response))
    const view = await this.read()
    // A shutdown ends it meanwhile.
    if (response.writableEnded) return
    response.write(`retry: 2000\n\n${eventOf(JSON.stringify(view))}`)
    this.schedule()
  }

  private schedule(): void {
    if (this.timer || this.streams.size === 0) return
    this.timer = setTimeout(() => void this.step(), INTERVAL_MS).unref()
  }

  private async step(): Promise<void> {
    if (this.isShuttingDown()) for (const stream of this.streams) stream.end()
    else if (this.streams.size > 0) {
      const view = await this.read()
      const lasting = lastingPart(view)
      const isDue = lasting !== this.sent || ++this.steps >= STEPS_WITHOUT_CHANGE
      this.broadcast(isDue ? eventOf(JSON.stringify(view)) : ALIVE)
      if (isDue) this.steps = 0
      this.sent = lasting
    }
    this.timer = undefined
    this.schedule()
  }

  private broadcast(text: string): void {
    for (const stream of this.streams)
      if (stream.writableLength > MAX_PENDING) stream.destroy()
      else stream.write(text)
  }
}

const ALIVE = 'event: alive\ndata: 1\n\n'
/** Members that change all the time: they alone are no reason to send the status. */
const NOISE = { at: '', age: '', uptime: '', memory: '', eventLoop: '', watching: '', tracesAge: '' }
const lastingPart = (view: StatusView): string => {
  const servers = view.rows['servers']?.map(([name, state]) => [name, state])
  return JSON.stringify({
    ...view,
    at: 0,
    texts: { ...view.texts, ...NOISE },
    rows: { ...view.rows, servers },
  })
}

const eventOf = (data: string): string => `event: status\ndata: ${data}\n\n`

import { waitFor } from '@shardwalk/testkit'
import { WebSocket } from 'ws'
import type { Json } from '../client.ts'

export interface SseFrame {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly data: Json | undefined
  readonly isComment: boolean
}

/** A stream of server-sent events, read as it comes. */
export class SseClient {
  readonly frames: SseFrame[] = []
  isOver = false

  private constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  static async open(url: string, body: unknown, headers: Record<string, string> = {}): Promise<SseClient> {
    const abort = new AbortController()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal: abort.signal,
    })
    const client = new SseClient(response, abort)
    if (response.status === 200) void client.read().catch(() => {})
    return client
  }

  get status(): number {
    return this.response.status
  }

  /** Notifications without the first frame. */
  get events(): Json[] {
    return this.frames.flatMap(({ event, data }) => (event === 'event' && data ? [data] : []))
  }

  error(): Promise<Json> {
    return this.response.json() as Promise<Json>
  }

  close(): void {
    this.abort.abort()
  }

  private async read(): Promise<void> {
    let text = ''
    try {
      for await (const chunk of this.response.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          this.frames.push(parseFrame(text.slice(0, end)))
          text = text.slice(end + 2)
        }
      }
    } finally {
      this.isOver = true
    }
  }
}

function parseFrame(text: string): SseFrame {
  const lines = text.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const data = field('data')
  return {
    event: field('event'),
    id: field('id'),
    data: data === undefined ? undefined : (JSON.parse(data) as Json),
    isComment: text.startsWith(':'),
  }
}

/** A WebSocket whose frames are kept. */
export class WsClient {
  readonly frames: Json[] = []
  closed: { readonly code: number; readonly reason: string } | undefined

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.frames.push(JSON.parse(data.toString()) as Json))
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
    })
    socket.on('error', () => {})
  }

  /** Rejects with the HTTP status if there is no upgrade. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<WsClient> {
    const client = new WsClient(new WebSocket(url.replace(/^http/, 'ws'), { headers }))
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', resolve)
      client.socket.once('unexpected-response', (_request, response) => {
        client.socket.terminate()
        reject(Object.assign(new Error(`status ${response.statusCode}`), { status: response.statusCode }))
      })
      client.socket.once('error', reject)
    })
    return client
  }

  get events(): Json[] {
    return this.frames.filter((frame) => frame['type'] !== undefined)
  }

  /** Sends a frame and waits for its answer. */
  async ask(frame: object | string): Promise<Json> {
    const before = this.answers.length
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    return waitFor('an answer', () => this.answers[before])
  }

  private get answers(): Json[] {
    return this.frames.filter((frame) => frame['status'] !== undefined || frame['error'] !== undefined)
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An event as it was posted. */
export type Json = Readonly<Record<string, unknown>>

export interface Received {
  readonly event: Json
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What a receiver does with an event; default: it accepts it. */
type Behave = (received: Received, reply: ServerResponse) => void

/** A server that webhooks are sent to. */
export class Receiver {
  readonly received: Received[] = []
  /** Events of which the reply was sent, each once, in order. */
  readonly accepted: Json[] = []
  private readonly ids = new Set<string>()

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(behave: Behave = (_, reply) => reply.end()): Promise<Receiver> {
    const server = createServer((request, reply) => void receiver.receive(request, reply, behave))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return receiver
  }

  private async receive(request: IncomingMessage, reply: ServerResponse, behave: Behave): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const headers = request.headers as Readonly<Record<string, string>>
    const received = { event: JSON.parse(body.toString()) as Json, headers, body }
    this.received.push(received)
    reply.once('finish', () => {
      const id = received.event['id'] as string
      if (reply.statusCode !== 200 || this.ids.has(id)) return
      this.ids.add(id)
      this.accepted.push(received.event)
    })
    behave(received, reply)
  }

  of(type: string): Json[] {
    return this.accepted.filter((event) => event['type'] === type)
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type HostileRequest, hostileRequests, operationsOf } from './hostile-requests.ts'
import { type Send, sender } from './send.ts'

export interface AttackOptions {
  /** Must be a loopback address. */
  readonly url: string
  readonly requests: number
  readonly concurrency: number
  readonly seed: number
  /**
   * Number of clients that request a large page and read nothing, and of clients that never finish their
   * request.
   */
  readonly slowClients?: number
}

export interface AttackReport {
  readonly statuses: ReadonlyMap<number, number>
  /** Statuses of 500 and above that the OpenAPI document does not list, as `status verb path`. */
  readonly undocumented: readonly string[]
  /** Requests without an answer within 30 s. */
  readonly unanswered: number
}

/** Counts what was answered. */
class Answers implements AttackReport {
  readonly statuses = new Map<number, number>()
  private readonly bad = new Set<string>()
  unanswered = 0

  get undocumented(): readonly string[] {
    return [...this.bad].sort()
  }

  /** `status` undefined: there was no answer. */
  note(status: number | undefined, { verb, path, body, operation }: HostileRequest): void {
    if (status === undefined) this.unanswered++
    else this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (status !== undefined && status >= 500 && !operation.statuses.has(status))
      this.bad.add(`${status} ${verb} ${path.slice(0, 300)} ${(body ?? '').slice(0, 200)}`)
  }
}

/** Refuses any other than a loopback address. */
export function refuseStrangers(url: string): void {
  const { hostname } = new URL(url)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new Error(`${hostname} is not this machine: attack only what you run here`)
}

/** Sends hostile requests of all kinds. */
export async function attack(options: AttackOptions): Promise<AttackReport> {
  const { url, concurrency } = options
  refuseStrangers(url)
  const documents = ['/api/v3/openapi.json', '/api/v2/openapi.json'].map(async (path) => {
    const reply = await fetch(url + path)
    return operationsOf(await reply.json())
  })
  const operations = (await Promise.all(documents)).flat()
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const slow = slowClients(url, options.slowClients ?? 0)
  const answers = new Answers()
  const hostile = hostileRequests(operations, options.seed)
  let left = options.requests
  const client = async (send: Send) => {
    while (left-- > 0) {
      const asked = hostile.next().value!
      answers.note(await send(asked).catch(() => undefined), asked)
    }
  }
  try {
    await Promise.all(Array.from({ length: concurrency }, () => client(sender(url, agent))))
  } finally {
    for (const socket of slow) socket.destroy()
    agent.destroy()
  }
  const { statuses, undocumented, unanswered } = answers
  return { statuses, undocumented, unanswered }
}

/** Half of them do not read a large reply, the others send only the start of a request. */
function slowClients(url: string, count: number): Socket[] {
  const { hostname: host, port } = new URL(url)
  return Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), host.replace(/[[\]]/g, ''))
      .pause()
      .on('error', () => {})
    const head = `Host: ${host}\r\n`
    if (index % 2 === 0) socket.write(`GET /api/v3/transactions?limit=1000 HTTP/1.1\r\n${head}\r\n`)
    else socket.write(`POST /api/v2/jsonRPC HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n{"method":`)
    return socket
  })
}

import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type HostileRequest, hostileRequests, operationsOf } from './hostile-requests.ts'

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
  /** Requests to `/api/v3/masterchainInfo`, one after another during the attack. Milliseconds. */
  readonly probe: {
    readonly count: number
    readonly p50: number
    readonly p99: number
    readonly failed: number
  }
}

/** Expensive but well-formed requests. */
const DEAR = [
  '/api/v3/actions?limit=1000&include_transactions=true',
  '/api/v3/actions?limit=1000&include_accounts=true',
  '/api/v3/traces?limit=1000&include_actions=true',
  '/api/v3/transactions?limit=1000',
  '/api/v3/messages?limit=1000&sort=asc',
]
const DEADLINE_MS = 30_000
const PROBE = '/api/v3/masterchainInfo'

/**
 * Sends hostile requests and measures how other requests are served meanwhile. Rejects any address but
 * loopback.
 */
export async function attack(options: AttackOptions): Promise<AttackReport> {
  const { hostname, port } = new URL(options.url)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new Error(`${hostname} is not this machine: attack only what you run here`)
  const documents = ['/api/v3/openapi.json', '/api/v2/openapi.json'].map(async (path) => {
    const reply = await fetch(options.url + path)
    return operationsOf(await reply.json())
  })
  const operations = (await Promise.all(documents)).flat()
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  const send = sender(hostname, Number(port), agent)
  const slow = slowClients(hostname, Number(port), options.slowClients ?? 0)
  const probing = new AbortController()
  const probe = watch(sender(hostname, Number(port), new Agent({ keepAlive: true })), probing.signal)
  const statuses = new Map<number, number>()
  const undocumented = new Set<string>()
  let unanswered = 0
  let left = options.requests
  const hostile = hostileRequests(operations, options.seed)
  const worker = async () => {
    while (left-- > 0) {
      const asked = left % 50 === 0 ? dear(DEAR[(left / 50) % DEAR.length]!) : hostile.next().value!
      const status = await send(asked).catch(() => 0)
      if (status === 0) unanswered++
      else statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 500 && !asked.operation.statuses.has(status))
        undocumented.add(
          `${status} ${asked.verb} ${asked.path.slice(0, 300)} ${(asked.body ?? '').slice(0, 200)}`,
        )
    }
  }
  try {
    await Promise.all(Array.from({ length: options.concurrency }, worker))
  } finally {
    probing.abort()
    for (const socket of slow) socket.destroy()
    agent.destroy()
  }
  return { statuses, undocumented: [...undocumented].sort(), unanswered, probe: await probe }
}

const dear = (path: string): HostileRequest => ({
  verb: 'GET',
  path,
  headers: {},
  operation: { verb: 'GET', path, parameters: [], statuses: new Set([200, 422, 429, 500, 503]) },
})

type Send = (asked: Omit<HostileRequest, 'operation'>) => Promise<number>

/** Resolves to the status after the reply was read; rejects when there is none. */
const sender =
  (host: string, port: number, agent: Agent): Send =>
  ({ verb, path, body, headers }) =>
    new Promise((resolve, reject) => {
      const options = { host, port, path, method: verb, headers, agent, timeout: DEADLINE_MS }
      const outgoing = request(options, (reply) => {
        reply
          .resume()
          .on('end', () => resolve(reply.statusCode!))
          .on('error', reject)
      })
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
      outgoing.on('error', reject)
      outgoing.end(body)
    })

async function watch(send: Send, until: AbortSignal): Promise<AttackReport['probe']> {
  const times: number[] = []
  let failed = 0
  while (!until.aborted) {
    const start = performance.now()
    const status = await send({ verb: 'GET', path: PROBE, headers: {} }).catch(() => 0)
    times.push(performance.now() - start)
    if (status !== 200) failed++
  }
  times.sort((a, b) => a - b)
  const percentile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { count: times.length, p50: percentile(0.5), p99: percentile(0.99), failed }
}

/** Half of them do not read a large reply, the others send only the start of a request. */
function slowClients(host: string, port: number, count: number): Socket[] {
  return Array.from({ length: count }, (_, index) => {
    const socket = connect(port, host.replace(/[[\]]/g, ''))
      .pause()
      .on('error', () => {})
    const head = `Host: ${host}\r\n`
    if (index % 2 === 0) socket.write(`GET /api/v3/transactions?limit=1000 HTTP/1.1\r\n${head}\r\n`)
    else socket.write(`POST /api/v2/jsonRPC HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\n{"method":`)
    return socket
  })
}

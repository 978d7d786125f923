import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Metrics, noMetrics } from '@shardwalk/observability'
import type { Express } from 'express'
import { isLoopback } from './access/client-address.ts'
import { discardSlowly } from './http/body-pieces.ts'
import { breakOff, UnframedConnections } from './http/break-off.ts'
import { answerBrokenRequests } from './http/broken-requests.ts'
import { limitConnections } from './http/connections.ts'
import { errorBody } from './http/errors.ts'
import { withPrototypesOf } from './http/express-prototypes.ts'
import { limitPieces } from './http/request-pieces.ts'
import { cutSlowReaders, READER_LIMITS, type ReaderLimits } from './http/slow-readers.ts'
import { routeUpgrades, UPGRADE_OPTIONS } from './streaming/upgrades.ts'

/** A request line may contain a list of 1000 addresses. */
const MAX_HEADER_BYTES = 1024 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000
/** How often the time limits above are checked. Milliseconds. */
const CHECK_MS = 2_000
/** How long a client of a WebSocket may take to answer that it is closed: some never do. Milliseconds. */
const PARTING_MS = 2_000

/** Connections open at a time, and when a client reads too slowly. */
export interface ServerLimits {
  readonly connections: number
  readonly connectionsPerClient: number
  /** Peers without a limit of their own, for example trusted proxies. */
  readonly isExempt: (address: string) => boolean
  readonly readers: ReaderLimits
}

const SERVER_LIMITS: ServerLimits = {
  connections: 2000,
  connectionsPerClient: 200,
  isExempt: isLoopback,
  readers: READER_LIMITS,
}

/** A server that accepts connections. */
export interface RunningServer {
  readonly port: number
  /** `http://host:port`. */
  readonly url: string
  /**
   * Stops accepting connections, waits for running requests, and closes remaining connections after
   * `drainMs`, those of WebSockets after 2 s at most.
   */
  close(drainMs?: number): Promise<void>
}

/** Rejects if the port is in use. Port 0 selects a free one. */
export async function listen(
  app: Express,
  at: { readonly host: string; readonly port: number },
  { metrics = noMetrics, ...given }: Partial<ServerLimits> & { readonly metrics?: Metrics } = {},
): Promise<RunningServer> {
  const limits = { ...SERVER_LIMITS, ...given }
  const cut = metrics.counter('http_connections_cut_total', 'Connections closed by a limit.', ['reason'])
  const server = createServer(
    {
      ...withPrototypesOf(app),
      ...UPGRADE_OPTIONS,
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    limitPieces(discardSlowly(withoutPath(app)), (reason) => cut.inc({ reason })),
  )
  answerBrokenRequests(server, KEEP_ALIVE_MS)
  limitConnections(server, limits, () => cut.inc({ reason: 'too many' }))
  const unframed = new UnframedConnections(server)
  cutSlowReaders(server, limits.readers, (socket) => {
    cut.inc({ reason: 'slow reader' })
    unframed.cut(socket)
  })
  const upgraded = routeUpgrades(server, app)
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => resolve())
  })
  const { port } = server.address() as AddressInfo
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  const cutAll = () => {
    unframed.cutAll()
    server.closeAllConnections()
  }
  const url = `http://${host}:${port}`
  return { port, url, close: (drainMs = 8000) => close({ server, upgraded, cutAll }, drainMs) }
}

/** Express hands over what it finds no path in, such as `http://[`; no handler of ours runs for it. */
function withoutPath(app: Express) {
  type Handle = (request: IncomingMessage, response: ServerResponse, done: (error?: unknown) => void) => void
  return (request: IncomingMessage, response: ServerResponse): void =>
    (app as unknown as Handle)(request, response, (error) => {
      const [status, message] = error ? [500, 'internal server error'] : [400, 'the URL cannot be read']
      if (response.headersSent) return breakOff(response)
      response.statusCode = status as number
      response.setHeader('Content-Type', 'application/json')
      response.end(errorBody({ message: message as string, status: status as number }))
    })
}

interface Closing {
  readonly server: Server
  readonly upgraded: ReadonlySet<Duplex>
  /** Closes connections in the middle of their replies. */
  readonly cutAll: () => void
}

async function close({ server, upgraded, cutAll }: Closing, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cuts = [
    setTimeout(cutAll, drainMs),
    setTimeout(() => destroyAll(upgraded), Math.min(drainMs, PARTING_MS)),
  ]
  await closed
  for (const cut of cuts) clearTimeout(cut)
}

function destroyAll(sockets: Iterable<Duplex>): void {
  for (const socket of sockets) socket.destroy()
}

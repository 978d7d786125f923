import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

/** A request line may hold a list of 1000 addresses. */
const MAX_HEADER_BYTES = 1024 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 65_000

export interface RunningServer {
  readonly port: number
  /** `http://host:port`. */
  readonly url: string
  /** Accepts no new connections, lets running requests end, closes those left after `drainMs`. */
  close(drainMs?: number): Promise<void>
}

/** Rejects if the port is taken. Port 0 selects a free one. */
export async function listen(
  app: Express,
  at: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS }, app)
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => resolve())
  })
  const { port } = server.address() as AddressInfo
  const host = at.host.includes(':') ? `[${at.host}]` : at.host
  return { port, url: `http://${host}:${port}`, close: (drainMs = 8000) => close(server, drainMs) }
}

async function close(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  await closed
  clearTimeout(cut)
}

import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'

/** The connection of a request that wants another protocol. */
export interface Upgrade {
  readonly socket: Socket
  readonly head: Buffer
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>()

/** Undefined if the request is an ordinary one. */
export const upgradeOf = (request: IncomingMessage): Upgrade | undefined => upgrades.get(request)

/** For `createServer`: Node.js 22.21 and later serve other requests as if they offered nothing. */
export const UPGRADE_OPTIONS = { shouldUpgradeCallback: asksForWebSocket }

function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Sends requests for an upgrade through the application like all others, so that keys and limits apply and
 * errors have a status; the route takes the connection over. Returns those connections that are open, which
 * the server itself knows no longer.
 */
export function routeUpgrades(server: Server, app: Express): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until a protocol takes over, a lost connection ends the request and nothing else.
    socket.on('error', () => socket.destroy())
    if (!asksForWebSocket(request)) return serveAnyway(server, { request, socket, head })
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as Socket)
    response.once('finish', () => {
      if (response.socket) socket.end()
    })
    upgrades.set(request, { socket: socket as Socket, head })
    app(request, response)
  })
  return open
}

interface Offer {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
}

/**
 * Some clients offer HTTP/2 with their first request, whatever its method. Earlier versions of Node.js have
 * stopped parsing it, so it is read again without the offer.
 */
function serveAnyway(server: Server, { request, socket, head }: Offer): void {
  const { rawHeaders, method, url, httpVersion } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[at]!))
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  const text = Buffer.from(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`, 'latin1')
  socket.removeAllListeners('error')
  socket.unshift(Buffer.concat([text, head]))
  server.emit('connection', socket)
}

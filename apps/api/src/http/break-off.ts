import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Ends a reply so that the client notices that it is incomplete. Over HTTP/1.0, which older versions of
 * nginx speak by default, a body without a length lasts until its connection ends: only a reset says that
 * more was to come.
 */
export function breakOff(response: ServerResponse): void {
  if (isUnframed(response.req)) response.socket?.resetAndDestroy()
  response.destroy()
}

/** Connections whose end completes a reply; see `breakOff`. */
export class UnframedConnections {
  private readonly open = new Set<Socket>()

  constructor(server: Server) {
    server.on('request', (request: IncomingMessage) => {
      const { socket } = request
      if (!isUnframed(request) || this.open.has(socket)) return
      this.open.add(socket)
      socket.once('close', () => this.open.delete(socket))
    })
  }

  /** Closes a connection in the middle of a reply. */
  cut(socket: Socket): void {
    if (this.open.has(socket)) socket.resetAndDestroy()
    else socket.destroy()
  }

  cutAll(): void {
    for (const socket of this.open) socket.resetAndDestroy()
  }
}

const isUnframed = ({ httpVersion }: IncomingMessage): boolean => httpVersion === '1.0'

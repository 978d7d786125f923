import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { clientAddress } from '../access/client-address.ts'

/** Connections open at a time. */
export interface ConnectionLimits {
  readonly connections: number
  readonly connectionsPerClient: number
  /** Peers that connect on behalf of many clients: trusted proxies and this machine. */
  readonly isExempt: (address: string) => boolean
}

/** Closes connections beyond the limits as soon as they are opened; `onRefused` is called for each. */
export function limitConnections(server: Server, limits: ConnectionLimits, onRefused: () => void): void {
  const open = new Map<string, number>()
  server.maxConnections = limits.connections
  server.on('drop', onRefused)
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || limits.isExempt(remoteAddress)) return
    const client = clientAddress(remoteAddress)
    const count = (open.get(client) ?? 0) + 1
    open.set(client, count)
    socket.once('close', () => {
      const left = open.get(client)! - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
    if (count <= limits.connectionsPerClient) return
    onRefused()
    socket.destroy()
  })
}

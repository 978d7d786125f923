import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Pooler {
  /** The same database, by way of the pooler. */
  readonly url: string
  close(): Promise<void>
}

/** Stands in for a pooler that was told to ignore the `options` of sessions, as PgBouncer can be. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const { hostname, port } = new URL(databaseUrl)
    const upstream = connect(Number(port), hostname)
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('close', () => sockets.delete(one))
    }
    upstream.on('error', () => socket.destroy()).pipe(socket)
    socket.on('error', () => upstream.destroy())
    socket.once('data', (startup) => {
      upstream.write(withoutOptions(startup))
      socket.pipe(upstream)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: url.href, close }
}

/** Source: PostgreSQL, 54.7 "Message Formats": StartupMessage. */
function withoutOptions(startup: Buffer): Buffer {
  const rest = Buffer.from(startup.toString('latin1').replace(/(?<=\0)options\0[^\0]+\0/, ''), 'latin1')
  rest.writeInt32BE(rest.length)
  return rest
}

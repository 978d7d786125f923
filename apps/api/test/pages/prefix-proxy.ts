import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

/** A server that is published below a path by a reverse proxy. */
export interface Published {
  /** With the path, without a slash at the end. */
  readonly url: string
  /** Targets of requests outside of the path, where the proxy has nothing. */
  readonly strayed: string[]
  close(): void
}

/** Publishes `server` below `path`, as `/ton`, which it removes from requests and says nothing of. */
export async function publishBelow(path: string, server: string): Promise<Published> {
  const strayed: string[] = []
  const proxy = createServer((asked, reply) => {
    const target = asked.url!
    if (!target.startsWith(`${path}/`)) {
      strayed.push(target)
      reply.writeHead(404).end()
      return
    }
    const { method, headers } = asked
    const passed = request(server, { path: target.slice(path.length), method, headers }, (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers)
      pipeline(answer, reply, () => {})
    })
    // A client that goes away ends what it asked for.
    reply.once('close', () => passed.destroy())
    pipeline(asked, passed, () => {})
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`,
    strayed,
    close() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}

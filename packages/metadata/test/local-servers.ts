import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type FetchOptions, isPublicAddress } from '../src/index.ts'

export const servers: Server[] = []

export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Port of a server that lives until `closeServers`. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** Replies with a document, whatever is asked for. */
export const json =
  (value: unknown): RequestListener =>
  (_, reply) =>
    reply.end(JSON.stringify(value))

export const HERE = '127.0.0.1'
/** The default policy plus the servers of these tests. */
export const LOCAL: FetchOptions = {
  isAllowed: (address) => address === HERE || isPublicAddress(address),
  resolve: async () => [HERE],
}

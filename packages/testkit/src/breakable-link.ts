import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server whose connections can fall silent. */
export interface BreakableLink {
  readonly port: number
  /** The connections that are open deliver nothing any more, and are not closed; new ones work. */
  silence(): void
  close(): Promise<void>
}

/** As when a router between two machines forgets its connections. */
export async function startBreakableLink(target: { port: number; host: string }): Promise<BreakableLink> {
  const open = new Set<{ isSilent: boolean }>()
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target)
    const link = { isSilent: false }
    open.add(link)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('data', (bytes) => link.isSilent || to.write(bytes))
      from.on('close', () => {
        sockets.delete(from)
        if (!link.isSilent) to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const silence = () => {
    for (const link of open) link.isSilent = true
    open.clear()
  }
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, silence, close }
}

import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface SlowLinkOptions {
  readonly host: string
  readonly port: number
  /** Port to listen on. Default: any free one. */
  readonly listenPort?: number
  /** Milliseconds that a byte takes to the server and an answer back. */
  readonly roundTripMs: number
  /** Milliseconds added to a chunk, on either way; what comes behind waits. Default: none. */
  readonly stallMs?: () => number
}

/** A way to a server that takes time: bytes arrive late, in order. Connecting takes no time. */
export interface SlowLink {
  readonly port: number
  close(): void
}

export async function openSlowLink({
  host,
  port,
  listenPort = 0,
  roundTripMs,
  stallMs = () => 0,
}: SlowLinkOptions): Promise<SlowLink> {
  const sockets = new Set<Socket>()
  const relay = (from: Socket, to: Socket) => {
    let lastAt = 0
    const later = (send: () => void) => {
      const now = performance.now()
      lastAt = Math.max(lastAt, now + roundTripMs / 2 + stallMs())
      setTimeout(send, lastAt - now)
    }
    from.on('data', (bytes) => later(() => to.writable && to.write(bytes)))
    from.on('close', () => later(() => to.destroy()))
    from.on('error', () => {})
    sockets.add(from)
    from.once('close', () => sockets.delete(from))
  }
  const server = createServer((near) => {
    const far = connect({ host, port, noDelay: true })
    near.setNoDelay(true)
    relay(near, far)
    relay(far, near)
  })
  await new Promise<void>((resolve) => server.listen(listenPort, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

import { createServer, type Server, type Socket } from 'node:net'
import { AdnlKey, shortId } from '@shardwalk/adnl'
import { type RandomBytes, systemRandom } from '../clock.ts'
import { type ServerAddress, serverAddress } from '../config/server-address.ts'
import type { AdnlFaults } from './faults.ts'
import { ServerConnection } from './server-connection.ts'

/** What a handler of queries knows of the connection. */
export interface QueryContext {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The client's key if it has authenticated. */
  readonly clientKey: Buffer | undefined
}

/**
 * Answers one query: `liteServer.query` or `liteServer.queryPrefix` in, boxed answer out; undefined sends
 * nothing.
 */
export type QueryHandler = (
  query: Buffer,
  context: QueryContext,
) => Buffer | undefined | Promise<Buffer | undefined>

/** How a server answers, and under which key. */
export interface AdnlServerOptions {
  /** ed25519 seed, 32 bytes. Default: random. */
  readonly seed?: Buffer
  readonly handler: QueryHandler
  readonly faults?: AdnlFaults
  /** Closes connections that receive nothing for this long. Default 60,000. */
  readonly idleMs?: number
  /** Called when the handler throws; the client then gets no answer. */
  readonly onError?: (error: unknown) => void
  readonly random?: RandomBytes
}

/**
 * Server side of ADNL over TCP: handshake, frames, pings, optional authentication; queries go to the handler.
 */
export class AdnlServer {
  readonly publicKey: Buffer
  /** May be replaced at any time. */
  faults: AdnlFaults
  readonly key: AdnlKey
  readonly shortId: Buffer
  readonly options: AdnlServerOptions
  readonly random: RandomBytes
  queries = 0
  private readonly server: Server
  private readonly openConnections = new Set<ServerConnection>()

  constructor(options: AdnlServerOptions) {
    this.options = options
    this.faults = options.faults ?? {}
    this.random = options.random ?? systemRandom
    this.key = new AdnlKey(options.seed ?? this.random(32))
    this.publicKey = this.key.publicKey
    this.shortId = shortId(this.publicKey)
    this.server = createServer({ noDelay: true }, (socket) => this.accept(socket))
  }

  get connections(): number {
    return this.openConnections.size
  }

  /** Starts listening; port 0 selects a free one. Resolves with the address to connect to. */
  listen(options: { readonly host?: string; readonly port?: number } = {}): Promise<ServerAddress> {
    const { host = '127.0.0.1', port = 0 } = options
    return new Promise((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, host, () => {
        this.server.off('error', reject)
        const bound = this.server.address() as { port: number }
        resolve(serverAddress(host, bound.port, this.publicKey))
      })
    })
  }

  /** Closes all connections, as a restarting server does, but keeps listening. */
  dropConnections(): void {
    for (const connection of this.openConnections) connection.destroy()
  }

  close(): Promise<void> {
    this.dropConnections()
    return new Promise((resolve) => {
      this.server.close(() => resolve())
    })
  }

  private accept(socket: Socket): void {
    const connection = new ServerConnection(this, socket)
    this.openConnections.add(connection)
    socket.on('close', () => this.openConnections.delete(connection))
  }
}

import { connect as connectTcp, type Socket } from 'node:net'
import { AdnlKey } from '@shardwalk/adnl'
import { type AdnlMessage, decodeAdnl, encodeAdnl } from '@shardwalk/tl'
import { type Clock, type RandomBytes, systemClock, systemRandom } from '../clock.ts'
import type { ServerAddress } from '../config/server-address.ts'
import { QueryTimeout, TransportError } from '../errors.ts'
import { buildFrame, FrameReader } from './frames.ts'
import { createHello, SESSION_LENGTH, type SessionCiphers, sessionCiphers } from './handshake.ts'

/** Times are in milliseconds. */
export interface ConnectOptions {
  readonly connectTimeoutMs?: number
  /** Sends a ping after this long without a received frame. Default 5000. */
  readonly pingAfterMs?: number
  /** Closes the connection after this long without a received frame. Default 15,000. */
  readonly deadAfterMs?: number
  /** Permanent ed25519 seed (32 bytes) for servers that authenticate clients by key. */
  readonly clientSeed?: Buffer
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/** How long an answer is waited for, and what ends the wait earlier. */
export interface QueryLimits {
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Used in error messages only. */
  readonly method?: string
}

/** An open connection. Queries are pipelined; answers may arrive in any order. */
export interface AdnlConnection {
  /**
   * Sends query bytes (`liteServer.query`) and resolves with the answer bytes, which may be an error of the
   * server. Rejects with `TransportError` if the connection fails, `QueryTimeout`, or the signal's reason.
   */
  query(query: Buffer, limits: QueryLimits): Promise<Buffer>
  readonly inFlight: number
  /** Round trip of the last ping in milliseconds. */
  readonly pingMs: number | undefined
  /** Resolves (never rejects) with the reason when the connection is closed. */
  readonly closed: Promise<TransportError>
  close(): void
}

/** Opens a connection to a server. Tests put others in place of `connectAdnl`. */
export type Connect = (address: ServerAddress, options?: ConnectOptions) => Promise<AdnlConnection>

/**
 * Opens a connection: TCP, handshake and, with a client seed, authentication. Rejects with `TransportError`.
 */
export const connectAdnl: Connect = async (address, options = {}) => {
  options.signal?.throwIfAborted()
  const connection = new Connection(address, options)
  await connection.opened
  return connection
}

interface Outstanding {
  resolve(answer: Buffer): void
  reject(error: unknown): void
}

class Connection implements AdnlConnection {
  readonly opened: Promise<void>
  readonly closed: Promise<TransportError>
  pingMs: number | undefined
  private readonly name: string
  private readonly clock: Clock
  private readonly random: RandomBytes
  private readonly options: ConnectOptions
  private readonly socket: Socket
  private readonly key: AdnlKey
  private readonly ciphers: SessionCiphers
  private readonly frames = new FrameReader()
  private readonly outstanding = new Map<string, Outstanding>()
  private readonly authNonce: Buffer | undefined
  private state: 'opening' | 'signing' | 'open' | 'closed' = 'opening'
  private lastReceivedAt: number
  private pingSent: { readonly id: bigint; readonly at: number } | undefined
  private timer: unknown
  private settleOpened!: { resolve(): void; reject(error: unknown): void }
  private settleClosed!: (error: TransportError) => void
  private abort = () => this.fail('aborted', this.options.signal?.reason)

  constructor(address: ServerAddress, options: ConnectOptions) {
    this.name = address.name
    this.options = options
    this.clock = options.clock ?? systemClock
    this.random = options.random ?? systemRandom
    this.lastReceivedAt = this.clock.now()
    this.opened = new Promise((resolve, reject) => {
      this.settleOpened = { resolve, reject }
    })
    this.closed = new Promise((resolve) => {
      this.settleClosed = resolve
    })
    const session = this.random(SESSION_LENGTH)
    this.key = new AdnlKey(options.clientSeed ?? this.random(32))
    this.authNonce = options.clientSeed ? this.random(32) : undefined
    this.ciphers = sessionCiphers(session, 'client')
    this.socket = connectTcp({ host: address.host, port: address.port, noDelay: true })
    this.socket.on('connect', () => this.hello(address.publicKey, session))
    this.socket.on('data', (chunk) => this.receive(chunk))
    this.socket.on('error', (error) => this.fail(error.message, error))
    this.socket.on('close', () => this.fail('connection closed by the server'))
    options.signal?.addEventListener('abort', this.abort, { once: true })
    const timeoutMs = options.connectTimeoutMs ?? 5000
    this.timer = this.clock.setTimeout(() => this.fail(`not connected within ${timeoutMs} ms`), timeoutMs)
  }

  get inFlight(): number {
    return this.outstanding.size
  }

  query(query: Buffer, { timeoutMs, signal, method = 'query' }: QueryLimits): Promise<Buffer> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (this.state === 'closed') return Promise.reject(new TransportError(this.name, 'connection is closed'))
    const queryId = this.random(32)
    const key = queryId.toString('latin1')
    return new Promise<Buffer>((resolve, reject) => {
      const settle = () => {
        this.outstanding.delete(key)
        this.clock.clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
      }
      const aborted = () => {
        settle()
        reject(signal?.reason)
      }
      const timer = this.clock.setTimeout(() => {
        settle()
        reject(new QueryTimeout(this.name, method, timeoutMs))
      }, timeoutMs)
      signal?.addEventListener('abort', aborted, { once: true })
      this.outstanding.set(key, {
        resolve: (answer) => {
          settle()
          resolve(answer)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      this.send(encodeAdnl('adnl.message.query', { queryId, query }))
    })
  }

  close(): void {
    this.fail('closed by the client')
  }

  private hello(serverKey: Buffer, session: Buffer): void {
    try {
      this.socket.write(createHello(this.key, serverKey, session))
    } catch (error) {
      this.fail('the server key is not usable', error)
      return
    }
    // The nonce need not wait for the empty frame: the server has already accepted the keys it is encrypted
    // with.
    if (this.authNonce) this.send(encodeAdnl('tcp.authentificate', { nonce: this.authNonce }))
  }

  private receive(chunk: Buffer): void {
    this.lastReceivedAt = this.clock.now()
    try {
      for (const payload of this.frames.push(this.ciphers.decrypt.update(chunk))) {
        if (this.state === 'opening') this.accepted()
        if (payload.length > 0) this.handle(decodeAdnl(payload))
      }
    } catch (error) {
      this.fail(`unreadable frame: ${error instanceof Error ? error.message : error}`, error)
    }
  }

  private handle(message: AdnlMessage): void {
    if (message.name === 'adnl.message.answer') {
      // Unknown ids belong to abandoned queries; ignore them.
      this.outstanding.get(message.value.queryId.toString('latin1'))?.resolve(message.value.answer)
    } else if (message.name === 'tcp.pong') {
      if (message.value.randomId === this.pingSent?.id) this.pingMs = this.clock.now() - this.pingSent.at
    } else if (message.name === 'tcp.authentificationNonce') this.signIn(message.value.nonce)
  }

  private accepted(): void {
    this.state = this.authNonce ? 'signing' : 'open'
    if (this.state === 'open') this.ready()
  }

  private signIn(serverNonce: Buffer): void {
    if (!this.authNonce || serverNonce.length < 1 || serverNonce.length > 512) return
    const signature = this.key.sign(Buffer.concat([this.authNonce, serverNonce]))
    const key = { kind: 'pub.ed25519', key: this.key.publicKey } as const
    this.send(encodeAdnl('tcp.authentificationComplete', { key, signature }))
    if (this.state === 'signing') this.ready()
  }

  private ready(): void {
    this.state = 'open'
    this.clock.clearTimeout(this.timer)
    this.watch()
    this.settleOpened.resolve()
  }

  /** Checks several times per ping interval how long nothing has been received. */
  private watch(): void {
    const { pingAfterMs = 5000, deadAfterMs = 15_000 } = this.options
    this.timer = this.clock.setTimeout(() => {
      const silence = this.clock.now() - this.lastReceivedAt
      if (silence >= deadAfterMs) return this.fail(`silent for ${Math.round(silence)} ms`)
      if (silence >= pingAfterMs) this.ping()
      this.watch()
    }, pingAfterMs / 4)
  }

  private ping(): void {
    const sent = this.pingSent
    if (sent && this.clock.now() - sent.at < (this.options.pingAfterMs ?? 5000)) return
    this.pingSent = { id: this.random(8).readBigUInt64LE(), at: this.clock.now() }
    this.send(encodeAdnl('tcp.ping', { randomId: this.pingSent.id }))
  }

  private send(payload: Buffer): void {
    this.socket.write(this.ciphers.encrypt.update(buildFrame(payload, this.random(32))))
  }

  private fail(problem: string, cause?: unknown): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.clock.clearTimeout(this.timer)
    this.options.signal?.removeEventListener('abort', this.abort)
    this.socket.destroy()
    const error = new TransportError(this.name, problem, { cause })
    this.settleOpened.reject(error)
    for (const query of [...this.outstanding.values()]) query.reject(error)
    this.settleClosed(error)
  }
}

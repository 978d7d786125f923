import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { verifySignature } from '@shardwalk/adnl'
import { type AdnlMessage, type AdnlMessages, decodeAdnl, encodeAdnl, encodeError } from '@shardwalk/tl'
import type { QueryFault } from './faults.ts'
import { buildFrame, FrameReader, MAX_PAYLOAD } from './frames.ts'
import { acceptHello, HELLO_LENGTH, type SessionCiphers, sessionCiphers } from './handshake.ts'
import type { AdnlServer } from './server.ts'

const EMPTY = Buffer.alloc(0)

/** One client connection of an `AdnlServer`. */
export class ServerConnection {
  private readonly server: AdnlServer
  private readonly socket: Socket
  private readonly frames = new FrameReader()
  private readonly gone = new AbortController()
  private hello: Buffer | undefined = EMPTY
  private ciphers: SessionCiphers | undefined
  private held: Buffer | undefined
  private byteWrites: Promise<void> = Promise.resolve()
  private nonces: { readonly client: Buffer; readonly server: Buffer } | undefined
  private clientKey: Buffer | undefined

  constructor(server: AdnlServer, socket: Socket) {
    this.server = server
    this.socket = socket
    // Every query in progress adds a listener; do not warn about it.
    setMaxListeners(0, this.gone.signal)
    socket.setTimeout(server.options.idleMs ?? 60_000, () => this.destroy())
    socket.on('data', (chunk) => this.receive(chunk))
    // The reason is irrelevant: 'close' follows.
    socket.on('error', () => {})
    socket.on('close', () => this.gone.abort(new Error('the client disconnected')))
    // Stop reading from a client that does not read its answers.
    socket.on('drain', () => socket.resume())
  }

  destroy(): void {
    this.socket.destroy()
  }

  private receive(chunk: Buffer): void {
    try {
      const rest = this.hello ? this.readHello(chunk) : chunk
      if (!this.ciphers || rest.length === 0) return
      for (const payload of this.frames.push(this.ciphers.decrypt.update(rest)))
        if (payload.length > 0 && !this.server.faults.mute) this.handle(decodeAdnl(payload))
    } catch {
      // Corrupt frame, unknown message or wrong signature: close silently, as the node does.
      this.destroy()
    }
  }

  /** Collects the handshake packet; returns the bytes after it. */
  private readHello(chunk: Buffer): Buffer {
    const received = Buffer.concat([this.hello!, chunk])
    if (received.length < HELLO_LENGTH) {
      this.hello = received
      return EMPTY
    }
    this.hello = undefined
    const { key, shortId, faults } = this.server
    const session = acceptHello(key, shortId, received.subarray(0, HELLO_LENGTH))
    if (!session || faults.refuse) {
      this.destroy()
      return EMPTY
    }
    this.ciphers = sessionCiphers(session, 'server')
    if (!faults.mute) this.sendAcknowledgement(faults.holdAcknowledgement ?? false)
    return received.subarray(HELLO_LENGTH)
  }

  private sendAcknowledgement(hold: boolean): void {
    const wire = this.encrypt(buildFrame(EMPTY, this.server.random(32)))
    if (hold) this.held = wire
    else this.write(wire)
  }

  private handle(message: AdnlMessage): void {
    if (message.name === 'tcp.ping') {
      if (!this.server.faults.noPong) this.send(encodeAdnl('tcp.pong', message.value))
    } else if (message.name === 'adnl.message.query') void this.answer(message.value)
    else if (message.name === 'tcp.authentificate') this.offerNonce(message.value.nonce)
    else if (message.name === 'tcp.authentificationComplete') this.checkSignature(message.value)
  }

  private offerNonce(client: Buffer): void {
    if (client.length < 1 || client.length > 512) throw new RangeError('nonce of 1 to 512 bytes expected')
    const server = this.server.random(256)
    this.nonces = { client: Buffer.from(client), server }
    this.send(encodeAdnl('tcp.authentificationNonce', { nonce: server }))
  }

  private checkSignature({ key, signature }: AdnlMessages['tcp.authentificationComplete']): void {
    const nonces = this.nonces
    if (!nonces || !verifySignature(key.key, Buffer.concat([nonces.client, nonces.server]), signature))
      throw new Error('the signature does not match')
    this.clientKey = key.key
  }

  private async answer({ queryId, query }: AdnlMessages['adnl.message.query']): Promise<void> {
    const fault = this.server.faults.onQuery?.(query, this.server.queries++)
    try {
      const answer =
        substitute(fault) ??
        (await this.server.options.handler(query, { signal: this.gone.signal, clientKey: this.clientKey }))
      if (!answer || this.gone.signal.aborted) return
      // The node discards an answer above the frame limit, so the client's query times out.
      const payload = encodeAdnl('adnl.message.answer', { queryId, answer })
      if (payload.length <= MAX_PAYLOAD) this.deliver(payload, fault)
    } catch (error) {
      this.server.options.onError?.(error)
    }
  }

  private deliver(payload: Buffer, fault: QueryFault | undefined): void {
    if (fault?.kind === 'drop') return
    if (fault?.kind === 'delay') {
      const timer = setTimeout(() => this.send(payload), fault.ms)
      this.gone.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
      return
    }
    if (fault?.kind === 'unknown-id') this.server.random(32).copy(payload, 4)
    const frame = buildFrame(payload, this.server.random(32))
    if (fault?.kind === 'bad-checksum') frame[frame.length - 1]! ^= 1
    if (fault?.kind === 'close') {
      this.write(this.encrypt(frame).subarray(0, fault.bytes ?? frame.length >> 1))
      this.socket.destroySoon()
      return
    }
    this.sendFrame(frame)
    if (fault?.kind === 'duplicate') this.send(payload)
  }

  private send(payload: Buffer): void {
    this.sendFrame(buildFrame(payload, this.server.random(32)))
  }

  /** Frames are encrypted in wire order: a held acknowledgement first, then a keep-alive, then the frame. */
  private sendFrame(frame: Buffer): void {
    if (this.gone.signal.aborted) return
    const parts = this.held ? [this.held] : []
    this.held = undefined
    if (this.server.faults.emptyFrames) parts.push(this.encrypt(buildFrame(EMPTY, this.server.random(32))))
    parts.push(this.encrypt(frame))
    this.write(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
  }

  private encrypt(frame: Buffer): Buffer {
    return this.ciphers!.encrypt.update(frame)
  }

  private write(wire: Buffer): void {
    if (this.server.faults.byteSegments) this.byteWrites = this.byteWrites.then(() => this.writeBytes(wire))
    else if (!this.socket.write(wire)) this.socket.pause()
  }

  private async writeBytes(wire: Buffer): Promise<void> {
    for (let at = 0; at < wire.length && !this.gone.signal.aborted; at++)
      await new Promise<unknown>((resolve) => this.socket.write(wire.subarray(at, at + 1), resolve))
  }
}

/** Answers that replace the handler's. */
function substitute(fault: QueryFault | undefined): Buffer | undefined {
  if (fault?.kind === 'error') return encodeError(fault.code, fault.message)
  if (fault?.kind === 'answer') return fault.bytes
  return undefined
}

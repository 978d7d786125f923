import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { AdnlKey, AdnlNode, type AdnlPeer, type NodeClock, type UdpAddress } from '@shardwalk/adnl'
import { ThreadPool } from '@shardwalk/concurrency'
import { type BlockSymbols, type RestoreBlock, restoreBlock } from '@shardwalk/raptorq'
import { MemoryBudget, newRldpCounts, type QueryOptions, Rldp } from '@shardwalk/rldp'
import { NoPeerAnswered, UdpPortNotUsable } from './errors.ts'
import { kernelDrops } from './kernel-drops.ts'

/** The clocks of the process. */
export const systemClock: NodeClock = {
  now: () => performance.now(),
  unixTime: () => Date.now() / 1_000,
}

export interface UdpNodeOptions {
  /** ed25519 seed, 32 bytes. Default: a new one. */
  readonly seed?: Buffer
  /** Unix seconds at which the node began, see `AdnlNodeOptions`. */
  readonly startedAt?: number
  /** Default: all addresses. */
  readonly host?: string
  /** Default: any free port. */
  readonly port?: number
  /** Answers queries of peers, however they came; undefined: silence. */
  readonly onQuery?: (query: Buffer, peer: AdnlPeer) => Promise<Buffer | undefined>
  /** Takes custom messages that are no transfers. */
  readonly onMessage?: (data: Buffer, peer: AdnlPeer) => void
  /** What datagrams pass through before they arrive: it may deliver them late, twice or never. */
  readonly line?: (datagram: Buffer, deliver: (datagram: Buffer) => void) => void
  /** Default: the clocks of the process. */
  readonly clock?: NodeClock
}

/** A burst of a thousand symbols is a megabyte; the kernel may grant less. */
const RECEIVE_BUFFER = 8 << 20
const TRANSFER_TICK_MS = 5
const PEER_TICK_MS = 40
const RESTORE_MS = 10_000
/** Blocks that are restored at once, without a thread. */
const SMALL_BLOCK = 64 << 10
const RESTORE_THREADS = 2

/** A node with its UDP socket, its transfers, and the threads that restore lost symbols of them. */
export class UdpNode {
  readonly key: AdnlKey
  readonly clock: NodeClock
  readonly memory = new MemoryBudget()
  readonly transferCounts = newRldpCounts()
  /** Blocks that were restored from symbols, and the seconds that it took. */
  readonly restored = { count: 0, seconds: 0 }
  private readonly adnl: AdnlNode
  private readonly socket: Socket
  private readonly transfers = new Map<AdnlPeer, Rldp>()
  private readonly timers: NodeJS.Timeout[] = []
  private threads: ThreadPool<BlockSymbols, Buffer | undefined> | undefined
  private closed = false
  private ending: Promise<void> | undefined

  constructor(private readonly options: UdpNodeOptions = {}) {
    this.clock = options.clock ?? systemClock
    this.key = new AdnlKey(options.seed ?? randomBytes(32))
    this.socket = createSocket({ type: 'udp4' })
    this.adnl = new AdnlNode({
      key: this.key,
      clock: this.clock,
      random: randomBytes,
      ...(options.startedAt !== undefined && { startedAt: options.startedAt }),
      send: (datagram, address) => this.send(datagram, address),
      onQuery: async (query, peer) => options.onQuery?.(query, peer),
      onCustom: (data, peer) => this.receive(data, peer),
      onForgotten: (peer) => this.forget(peer),
    })
  }

  get id(): Buffer {
    return this.adnl.id
  }

  get counts() {
    return { ...this.adnl.counts, peers: this.adnl.peerCount, channels: this.adnl.channelCount }
  }

  /** Bytes of datagrams since the start. */
  get bytes(): Readonly<Record<'in' | 'out', number>> {
    return this.adnl.bytes
  }

  /** Bytes that the system keeps until they are read; 0: unknown. */
  get receiveBuffer(): number {
    try {
      return this.socket.getRecvBufferSize()
    } catch {
      return 0
    }
  }

  /** Datagrams that were lost because this process did not read them in time; undefined if unknown. */
  kernelDrops(): Promise<number | undefined> {
    return this.closed ? Promise.resolve(undefined) : kernelDrops(this.socket.address().port)
  }

  /** Binds the socket. Resolves to its port. Throws `UdpPortNotUsable`. */
  async listen(): Promise<number> {
    const { host, port = 0, line } = this.options
    const deliver =
      ({ address, port }: { address: string; port: number }) =>
      (datagram: Buffer) =>
        this.closed ? undefined : this.adnl.receive(datagram, { host: address, port })
    this.socket.on('message', (datagram, from) =>
      line ? line(datagram, deliver(from)) : deliver(from)(datagram),
    )
    // A datagram that cannot be sent is lost, as any other may be.
    this.socket.on('error', () => {})
    this.socket.bind({ port, ...(host !== undefined && { address: host }) })
    await once(this.socket, 'listening').catch((cause: NodeJS.ErrnoException) => {
      throw new UdpPortNotUsable(port, cause.code ?? cause.message, { cause })
    })
    growReceiveBuffer(this.socket)
    this.timers.push(setInterval(() => this.tickTransfers(), TRANSFER_TICK_MS))
    this.timers.push(setInterval(() => this.adnl.tick(), PEER_TICK_MS))
    return this.socket.address().port
  }

  private send(datagram: Buffer, { host, port }: UdpAddress): void {
    if (this.closed) return
    try {
      this.socket.send(datagram, port, host, () => {})
    } catch {
      // An address that is none.
    }
  }

  /** The peer with this key, remembered until `forget`. */
  peer(publicKey: Buffer, address: UdpAddress): AdnlPeer {
    return this.adnl.peer(publicKey, address)
  }

  /** Forgets peers that were not used for so long, except those that `isKept` names. */
  forgetIdle(idleMs: number, isKept: (peer: AdnlPeer) => boolean): void {
    this.adnl.forgetIdle(idleMs, isKept)
  }

  /** Sends a query whose answer fits into a few datagrams. `onLate` is called once if it takes long. */
  ask(peer: AdnlPeer, query: Buffer, timeoutMs: number, onLate?: () => void): Promise<Buffer> {
    if (this.closed) return Promise.reject(new NoPeerAnswered('the node is closed'))
    return peer.query(query, timeoutMs, onLate)
  }

  /** Sends a query whose answer may be of any size. */
  download(peer: AdnlPeer, query: Buffer, options: QueryOptions): Promise<Buffer> {
    // Nothing would end the query any more.
    if (this.closed) return Promise.reject(new NoPeerAnswered('the node is closed'))
    return this.rldpOf(peer).query(query, options)
  }

  private receive(data: Buffer, peer: AdnlPeer): void {
    if (!this.rldpOf(peer).receive(data)) this.options.onMessage?.(data, peer)
  }

  private rldpOf(peer: AdnlPeer): Rldp {
    const known = this.transfers.get(peer)
    if (known) return known
    const { onQuery } = this.options
    const rldp = new Rldp({
      send: (data) => peer.sendCustom(data),
      clock: this.clock,
      random: randomBytes,
      restoreBlock: this.restoreBlock,
      memory: this.memory,
      counts: this.transferCounts,
      ...(onQuery && { onQuery: (query) => onQuery(query, peer) }),
    })
    this.transfers.set(peer, rldp)
    return rldp
  }

  /** Also for broadcasts, which arrive outside of transfers. */
  readonly restoreBlock: RestoreBlock = async (symbols) => {
    const startedAt = performance.now()
    try {
      return await this.restore(symbols)
    } finally {
      this.restored.count++
      this.restored.seconds += (performance.now() - startedAt) / 1_000
    }
  }

  private restore(symbols: BlockSymbols): Promise<Buffer | undefined> {
    if (symbols.dataSize <= SMALL_BLOCK) return Promise.resolve(restoreBlock(symbols))
    const script = new URL('./restore-thread.ts', import.meta.url)
    this.threads ??= new ThreadPool(script, RESTORE_THREADS, { deadlineMs: RESTORE_MS })
    return this.threads.run(symbols).then((block) => block && asBuffer(block))
  }

  private tickTransfers(): void {
    for (const rldp of this.transfers.values()) rldp.tick()
  }

  private forget(peer: AdnlPeer): void {
    this.transfers.get(peer)?.close()
    this.transfers.delete(peer)
  }

  /** May be called again. */
  close(): Promise<void> {
    this.ending ??= this.end()
    return this.ending
  }

  private async end(): Promise<void> {
    this.closed = true
    for (const timer of this.timers) clearInterval(timer)
    this.adnl.close()
    await this.threads?.close()
    await new Promise<void>((resolve) => this.socket.close(() => resolve()))
  }
}

/** What threads send are plain arrays. */
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

function growReceiveBuffer(socket: Socket): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER)
  } catch {
    // Some systems refuse instead of granting what they have.
  }
}

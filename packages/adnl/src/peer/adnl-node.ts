import { DecodeError, type Rate, TokenBucket, TokenBuckets } from '@shardwalk/model'
import type { PeerMessage } from '@shardwalk/tl'
import type { NodeClock, RandomBytes } from '../clock.ts'
import { addresseeOf, openForChannel, openForNode } from '../datagram.ts'
import { type AdnlKey, isUsableKey, shortId } from '../keys.ts'
import { isSignedBy, type Packet, readPacket } from '../packet.ts'
import { AdnlPeer, type PeerContext } from './adnl-peer.ts'
import type { UdpAddress } from './udp-address.ts'

export interface AdnlNodeOptions {
  /** The node's permanent key. Two processes with one key break each other's channels. */
  readonly key: AdnlKey
  readonly clock: NodeClock
  readonly random: RandomBytes
  readonly send: (datagram: Buffer, address: UdpAddress) => void
  /** Answers a query of a peer; undefined: silence. Default: silence. */
  readonly onQuery?: (query: Buffer, peer: AdnlPeer) => Promise<Buffer | undefined>
  /** Takes the data of `adnl.message.custom`. Errors of type `DecodeError` count as damaged. */
  readonly onCustom?: (data: Buffer, peer: AdnlPeer) => void
  /** Called when a peer is forgotten, so that the caller can release what it keeps about it. */
  readonly onForgotten?: (peer: AdnlPeer) => void
  /**
   * Unix seconds at which the node began: more than at its last start with this key, or peers take it for an
   * earlier one. Default: now.
   */
  readonly startedAt?: number
  readonly limits?: Partial<AdnlLimits>
}

/** What peers may use of a node. */
export interface AdnlLimits {
  /** Maximum number of remembered peers that contacted this node first. */
  readonly incoming: number
  /** Packets outside of channels from one host: they cost a key exchange and a signature check. */
  readonly signedPerHost: Rate
  /** The same from all hosts. */
  readonly signedInAll: Rate
  /** New peers from one host. */
  readonly incomingPerHost: Rate
}

const LIMITS: AdnlLimits = {
  incoming: 300,
  signedPerHost: { burst: 75, perSecond: 3 },
  signedInAll: { burst: 300, perSecond: 200 },
  incomingPerHost: { burst: 60, perSecond: 1 },
}

/** Datagrams, and why some were dropped. */
export interface AdnlCounts {
  sent: number
  received: number
  /** Of these, in channels; most others cost a key exchange and a signature check. */
  inChannel: number
  /** Addressed to another id or an unknown channel. */
  unknown: number
  /** Undecryptable, damaged, or not signed by their sender. */
  damaged: number
  /** Repeated, too old, or of an earlier incarnation. */
  stale: number
  /** Beyond a limit. */
  limited: number
}

const noCounts = (): AdnlCounts => ({
  sent: 0,
  received: 0,
  inChannel: 0,
  unknown: 0,
  damaged: 0,
  stale: 0,
  limited: 0,
})

/** Hosts, and how long an answer of one is awaited. */
const MAX_WRITTEN = 4_096
const AWAITED_MS = 10_000
/** Seconds from now at which nobody may have begun. Source: ton-blockchain/ton, adnl/adnl-peer.cpp. */
const MAX_AHEAD = 60
/** Upper limit of the packets sent to one peer. */
const SEQNOS_PER_MS = 1_000

const nameOf = (id: Buffer): string => id.toString('latin1')

/**
 * A node among others, without its socket: datagrams in, datagrams out. `receive` never throws, whatever
 * arrives. Needs `tick` several times per second.
 */
export class AdnlNode {
  readonly id: Buffer
  readonly counts = noCounts()
  /** Bytes of datagrams. */
  readonly bytes = { in: 0, out: 0 }
  private readonly peers = new Map<string, AdnlPeer>()
  /** Peers that contacted us, in the order of their arrival. */
  private readonly incoming = new Map<string, AdnlPeer>()
  private readonly byChannel = new Map<string, AdnlPeer>()
  private readonly channelOf = new Map<AdnlPeer, string>()
  private readonly context: PeerContext
  private startedAt: number
  /** Whether any peer has believed that this node began then. */
  private isBelieved = false
  private readonly limits: AdnlLimits
  private readonly signedPerHost: TokenBuckets
  private readonly signedInAll: TokenBucket
  private readonly incomingPerHost: TokenBuckets
  /** Time of the last packet to each host of a peer that this node contacted first. */
  private readonly writtenAt = new Map<string, number>()

  constructor(private readonly options: AdnlNodeOptions) {
    const { key, clock, random } = options
    this.startedAt = options.startedAt ?? Math.floor(clock.unixTime())
    this.id = shortId(key.publicKey)
    this.limits = { ...LIMITS, ...options.limits }
    this.signedPerHost = new TokenBuckets(this.limits.signedPerHost)
    this.signedInAll = new TokenBucket(this.limits.signedInAll)
    this.incomingPerHost = new TokenBuckets(this.limits.incomingPerHost)
    const createdAt = clock.now()
    this.context = {
      key,
      id: this.id,
      startedAt: () => this.startedAt,
      clock,
      random,
      date: () => this.startedAt + Math.floor((clock.now() - createdAt) / 1_000),
      firstSeqno: () => BigInt(Math.floor((clock.now() - createdAt) * SEQNOS_PER_MS)),
      send: (datagram, peer) => this.send(datagram, peer),
      onMessage: (peer, message) => this.handle(peer, message),
      onChannel: (peer) => this.register(peer),
    }
  }

  /** The peer with this key, remembered until `forget`. `address`: where it may be; see `suggestAddress`. */
  peer(publicKey: Buffer, address: UdpAddress): AdnlPeer {
    const name = nameOf(shortId(publicKey))
    const peer = this.peers.get(name) ?? this.add(name, publicKey, address)
    peer.suggestAddress(address)
    this.incoming.delete(name)
    return peer
  }

  private add(name: string, publicKey: Buffer, address: UdpAddress): AdnlPeer {
    const peer = new AdnlPeer(this.context, publicKey, address)
    this.peers.set(name, peer)
    return peer
  }

  private send(datagram: Buffer, { id, address }: AdnlPeer): void {
    this.counts.sent++
    this.bytes.out += datagram.length
    // A peer that contacted us first is not one that we have asked, even once it is answered.
    if (!this.incoming.has(nameOf(id))) {
      if (this.writtenAt.size >= MAX_WRITTEN) this.writtenAt.clear()
      this.writtenAt.set(address.host, this.context.clock.now())
    }
    this.options.send(datagram, address)
  }

  /** Forgets peers without traffic for this long, unless they are in use. */
  forgetIdle(idleMs: number, isKept: (peer: AdnlPeer) => boolean): void {
    const now = this.context.clock.now()
    for (const peer of [...this.peers.values()])
      if (!peer.isBusy && now - peer.lastUsedAt > idleMs && !isKept(peer)) this.forget(peer)
  }

  forget(peer: AdnlPeer): void {
    const name = nameOf(peer.id)
    if (!this.peers.delete(name)) return
    this.incoming.delete(name)
    this.dropChannel(peer)
    peer.close()
    this.options.onForgotten?.(peer)
  }

  get peerCount(): number {
    return this.peers.size
  }

  get channelCount(): number {
    return this.byChannel.size
  }

  receive(datagram: Buffer, from: UdpAddress): void {
    this.counts.received++
    this.bytes.in += datagram.length
    const addressee = addresseeOf(datagram)
    if (!addressee) return void this.counts.damaged++
    try {
      if (addressee.equals(this.id)) return void this.receiveSigned(datagram, from)
      const peer = this.byChannel.get(nameOf(addressee))
      if (!peer) return void this.counts.unknown++
      this.receiveInChannel(datagram, peer, from)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      this.counts.damaged++
    }
  }

  private receiveInChannel(datagram: Buffer, peer: AdnlPeer, from: UdpAddress): void {
    this.counts.inChannel++
    const contents = openForChannel(peer.incoming!, datagram)
    if (!contents) return void this.counts.damaged++
    if (!peer.receiveInChannel(readPacket(contents), from)) this.counts.stale++
  }

  private receiveSigned(datagram: Buffer, from: UdpAddress): void {
    const now = this.context.clock.now()
    // A flood of unknown peers must not keep out those that we have asked.
    const isAwaited = now - (this.writtenAt.get(from.host) ?? Number.NEGATIVE_INFINITY) < AWAITED_MS
    if (!this.signedPerHost.take(from.host, now) || !(isAwaited || this.signedInAll.take(now)))
      return void this.counts.limited++
    const contents = openForNode(this.options.key, datagram)
    const packet = contents && readPacket(contents)
    const key = packet && this.senderKey(packet)
    if (!key || !isSignedBy(key, packet)) return void this.counts.damaged++
    const peer = this.peers.get(nameOf(shortId(key))) ?? this.admit(key, from, now)
    if (!peer) return void this.counts.limited++
    if (!peer.receiveSigned(packet, from)) return void this.counts.stale++
    // One that has not taken any packet of this node names no date.
    if (packet.dstReinitDate === this.startedAt) this.isBelieved = true
  }

  /** A sender that is named by its id alone must be known. */
  private senderKey({ from, fromShort }: Packet): Buffer | undefined {
    if (from) return from.kind === 'pub.ed25519' ? from.key : undefined
    return fromShort && this.peers.get(nameOf(fromShort.id))?.publicKey
  }

  private admit(publicKey: Buffer, from: UdpAddress, now: number): AdnlPeer | undefined {
    if (!this.incomingPerHost.take(from.host, now) || !isUsableKey(publicKey)) return undefined
    if (this.incoming.size >= this.limits.incoming) this.forget(this.leastRecentIncoming())
    const name = nameOf(shortId(publicKey))
    const peer = this.add(name, publicKey, from)
    this.incoming.set(name, peer)
    return peer
  }

  private leastRecentIncoming(): AdnlPeer {
    const receivedAt = (peer: AdnlPeer) => peer.lastReceivedAt ?? 0
    return [...this.incoming.values()].reduce((a, b) => (receivedAt(b) < receivedAt(a) ? b : a))
  }

  private register(peer: AdnlPeer): void {
    this.dropChannel(peer)
    const id = peer.incoming && nameOf(peer.incoming.id)
    if (id === undefined) return
    this.byChannel.set(id, peer)
    this.channelOf.set(peer, id)
  }

  private dropChannel(peer: AdnlPeer): void {
    const id = this.channelOf.get(peer)
    if (id !== undefined) this.byChannel.delete(id)
    this.channelOf.delete(peer)
  }

  private handle(peer: AdnlPeer, message: PeerMessage): void {
    if (message.kind === 'adnl.message.custom') this.options.onCustom?.(message.data, peer)
    if (message.kind === 'adnl.message.query') void this.answer(peer, message)
  }

  private async answer(
    peer: AdnlPeer,
    { queryId, query }: Extract<PeerMessage, { kind: 'adnl.message.query' }>,
  ): Promise<void> {
    // What goes wrong with a query is answered with silence, as everywhere in this protocol.
    const answer = await this.options.onQuery?.(query, peer).catch(() => undefined)
    if (answer && answer.length <= MAX_ANSWER) peer.send({ kind: 'adnl.message.answer', queryId, answer })
  }

  tick(): void {
    this.correctStart()
    for (const peer of this.peers.values()) peer.tick()
  }

  /** Where the clock was ahead until it was set, peers have refused the date, and would until it is past. */
  private correctStart(): void {
    const now = Math.floor(this.context.clock.unixTime())
    if (!this.isBelieved && this.startedAt > now + MAX_AHEAD) this.startedAt = now
  }

  /** Ends everything; queries reject. */
  close(): void {
    for (const peer of [...this.peers.values()]) this.forget(peer)
  }
}

/** Nodes put together no longer messages. Source: ton-blockchain/ton, adnl/adnl-peer.h. */
const MAX_ANSWER = 8_192

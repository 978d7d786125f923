import { TokenBucket } from '@shardwalk/model'
import type { PacketContents, PeerMessage } from '@shardwalk/tl'
import type { NodeClock, RandomBytes } from '../clock.ts'
import { sealForChannel, sealForNode } from '../datagram.ts'
import { AdnlKey, shortId } from '../keys.ts'
import { cutMessage, MessageParts } from '../message-parts.ts'
import { type Packet, plainPacket, signedPacket } from '../packet.ts'
import { SeqnoWindow } from '../seqno-window.ts'
import { ChannelNegotiation } from './channel-negotiation.ts'
import { type OnLate, OpenQueries } from './open-queries.ts'
import type { UdpAddress } from './udp-address.ts'

/** The part of a node that its peers use. */
export interface PeerContext {
  readonly key: AdnlKey
  readonly id: Buffer
  /** Unix seconds at which this process began. */
  startedAt(): number
  readonly clock: NodeClock
  readonly random: RandomBytes
  /**
   * Unix seconds that are never set back, as the clock may be: peers ignore what is not newer than what they
   * have.
   */
  date(): number
  /** More than the number of any packet so far. */
  firstSeqno(): bigint
  send(datagram: Buffer, to: AdnlPeer): void
  onMessage(peer: AdnlPeer, message: PeerMessage): void
  /** The peer's channel was opened, replaced or closed. */
  onChannel(peer: AdnlPeer): void
}

/** Silence after which a peer may have lost the channel. */
const SUSPECT_MS = 5_000
/** How often a suspect peer is sent a packet outside of the channel. */
const PROBE_MS = 1_000
/** A packet is confirmed after this if nothing else is sent. */
const CONFIRM_MS = 1_000
const SIGNED_PACKETS = { burst: 50, perSecond: 2 }
/** Clocks of peers may be ahead by this many seconds. */
const MAX_CLOCK_SKEW = 60
/** Largest message that shares a datagram with an offer of a channel. */
const MAX_WITH_OFFER = 1_072
const PADDING = 7
/**
 * A router may give us another address at any time. Peers send to where the newest version of our list came
 * from, so a new one is made at this interval. Seconds.
 */
const LIST_EVERY = 180

/** State of the connection to one other node: channel, packet numbers, open queries. */
export class AdnlPeer {
  readonly id: Buffer
  /** Monotonic milliseconds; undefined before its first packet. */
  lastReceivedAt: number | undefined
  /** Monotonic milliseconds of the last packet sent or received. */
  lastUsedAt: number
  private readonly negotiation: ChannelNegotiation
  private readonly queries = new OpenQueries()
  private readonly signedPackets = new TokenBucket(SIGNED_PACKETS)
  private window = new SeqnoWindow()
  private parts = new MessageParts()
  private seqno: bigint
  /** Unix seconds at which the peer began; 0: unknown. */
  private reinitDate = 0
  private addressVersion = 0
  /** Version of our address list that the peer has. */
  private knownVersion = 0
  /** Since when packets to the peer have not been answered. */
  private unansweredSince: number | undefined
  private probedAt = Number.NEGATIVE_INFINITY
  private unconfirmedSince: number | undefined

  constructor(
    private readonly context: PeerContext,
    readonly publicKey: Buffer,
    public address: UdpAddress,
  ) {
    this.id = shortId(publicKey)
    this.lastUsedAt = context.clock.now()
    // Higher than before: the peer may remember a packet number of ours from before we forgot the peer.
    this.seqno = context.firstSeqno()
    this.negotiation = new ChannelNegotiation({
      ownId: context.id,
      peerId: this.id,
      ownKey: new AdnlKey(context.random(32)),
      ownDate: context.date(),
    })
  }

  /** Id and key of the channel's direction to us; undefined without a channel. */
  get incoming() {
    return this.negotiation.channel?.incoming
  }

  get hasChannel(): boolean {
    return this.negotiation.isReady
  }

  /** Records another address of the peer, to be used when it does not answer at the present one. */
  suggestAddress(address: UdpAddress): void {
    const { lastReceivedAt, unansweredSince } = this
    const now = this.context.clock.now()
    const isSilent = unansweredSince !== undefined && now - unansweredSince > SUSPECT_MS
    if (lastReceivedAt === undefined || isSilent) this.address = address
  }

  /** The answer. Rejects with `NoAnswer`. */
  query(query: Buffer, timeoutMs: number, onLate?: OnLate): Promise<Buffer> {
    const id = this.context.random(32)
    const answer = this.queries.add({ id, bytes: query, onLate }, this.context.clock.now(), timeoutMs)
    this.sendQuery(id, query)
    return answer
  }

  private sendQuery(queryId: Buffer, query: Buffer): void {
    this.send({ kind: 'adnl.message.query', queryId, query })
  }

  sendCustom(data: Buffer): void {
    this.send({ kind: 'adnl.message.custom', data })
  }

  /** Throws `RangeError` if the message is too long to be received. */
  send(message: PeerMessage): void {
    this.lastUsedAt = this.context.clock.now()
    for (const part of cutMessage(message)) this.sendWhole(part)
  }

  private sendWhole(message: PeerMessage): void {
    const now = this.context.clock.now()
    // Peers confirm everything else within two seconds.
    if (message.kind !== 'adnl.message.nop') this.unansweredSince ??= now
    if (this.negotiation.isReady && !this.isProbeDue(now)) return void this.sendInChannel(message)
    this.probedAt = now
    const offer = this.negotiation.offer()
    if (sizeOf(message) <= MAX_WITH_OFFER) return void this.sendSigned([offer, message], now)
    this.sendSigned([offer], now)
    this.sendSigned([message], now)
  }

  private isProbeDue(now: number): boolean {
    const { unansweredSince } = this
    return (
      unansweredSince !== undefined && now - unansweredSince > SUSPECT_MS && now - this.probedAt > PROBE_MS
    )
  }

  private sendInChannel(message: PeerMessage): void {
    const contents = plainPacket({ ...this.numbers(), ...this.addresses(), message })
    this.context.send(sealForChannel(this.negotiation.channel!.outgoing, contents), this)
  }

  private sendSigned(messages: readonly PeerMessage[], now: number): void {
    if (!this.signedPackets.take(now)) return
    const { key, random } = this.context
    const contents = signedPacket(key, {
      ...this.numbers(),
      ...this.addresses(),
      from: { kind: 'pub.ed25519', key: key.publicKey },
      messages,
      reinitDate: this.context.startedAt(),
      dstReinitDate: this.reinitDate,
    })
    const datagram = sealForNode(this.publicKey, new AdnlKey(random(32)), contents)
    if (datagram) this.context.send(datagram, this)
  }

  /** What every packet has: padding and the numbers of this packet and of the newest of the peer. */
  private numbers() {
    const padding = this.context.random(2 * PADDING)
    this.unconfirmedSince = undefined
    this.seqno++
    return {
      rand1: padding.subarray(0, PADDING),
      flags: 0,
      seqno: this.seqno,
      confirmSeqno: this.window.highest,
      ...(this.addressVersion > 0 && { recvAddrListVersion: this.addressVersion }),
      rand2: padding.subarray(PADDING),
    }
  }

  /** An empty list, until the peer has it: it answers to where our packets come from. */
  private addresses(): Pick<PacketContents, 'address'> {
    const startedAt = this.context.startedAt()
    const lists = Math.floor((this.context.date() - startedAt) / LIST_EVERY)
    const version = startedAt + lists * LIST_EVERY
    if (this.knownVersion >= version) return {}
    return { address: { addrs: [], version, reinitDate: startedAt, priority: 0, expireAt: 0 } }
  }

  /** Takes a packet of its channel. */
  receiveInChannel(packet: Packet, from: UdpAddress): boolean {
    this.negotiation.isReady = true
    return this.receive(packet, from)
  }

  /** Takes a packet that it has signed; false if it is to be dropped. */
  receiveSigned(packet: Packet, from: UdpAddress): boolean {
    const { reinitDate = 0, dstReinitDate = 0 } = packet
    const startedAt = this.context.startedAt()
    const latest = Math.max(this.context.clock.unixTime(), this.context.date()) + MAX_CLOCK_SKEW
    if (dstReinitDate > startedAt || reinitDate > latest) return false
    // A packet without dates may be of any process.
    if (reinitDate > 0 && reinitDate < this.reinitDate) return false
    const isRestart = this.reinitDate !== 0 && reinitDate > this.reinitDate
    if (isRestart) this.restart()
    this.reinitDate = Math.max(this.reinitDate, reinitDate)
    // It addresses an earlier process of ours, and repeats its packet when it gets our date.
    if (dstReinitDate > 0 && dstReinitDate < startedAt) {
      // Once it has addressed this process, such a packet is a replay.
      if (this.window.highest > 0n) return false
      this.noteReceived(packet, from)
      this.sendWhole({ kind: 'adnl.message.nop' })
      return true
    }
    const isTaken = this.receive(packet, from)
    if (isTaken && isRestart) for (const { id, bytes } of this.queries.list()) this.sendQuery(id, bytes)
    return isTaken
  }

  private restart(): void {
    this.window = new SeqnoWindow()
    this.parts = new MessageParts()
    this.seqno = 0n
    this.addressVersion = 0
    this.knownVersion = 0
    this.negotiation.reset()
    this.context.onChannel(this)
  }

  private receive(packet: Packet, from: UdpAddress): boolean {
    const { seqno, confirmSeqno } = packet
    if (confirmSeqno !== undefined && confirmSeqno > this.seqno) return false
    if (seqno !== undefined && !this.window.accept(seqno)) return false
    this.noteReceived(packet, from)
    const now = this.context.clock.now()
    // Packets that only confirm are not confirmed, or it would never end.
    if (packet.all.some(({ kind }) => kind !== 'adnl.message.nop')) this.unconfirmedSince ??= now
    for (const message of packet.all) this.handle(message, now)
    return true
  }

  private noteReceived(packet: Packet, from: UdpAddress): void {
    this.lastReceivedAt = this.context.clock.now()
    this.lastUsedAt = this.lastReceivedAt
    this.unansweredSince = undefined
    this.address = from
    this.addressVersion = Math.max(this.addressVersion, packet.address?.version ?? 0)
    this.knownVersion = Math.max(this.knownVersion, packet.recvAddrListVersion ?? 0)
  }

  private handle(message: PeerMessage, now: number): void {
    switch (message.kind) {
      case 'adnl.message.createChannel':
      case 'adnl.message.confirmChannel':
        return void this.negotiate(message)
      case 'adnl.message.answer':
        return void this.queries.answer(message.queryId, message.answer, now)
      case 'adnl.message.part': {
        const whole = this.parts.add(message, now)
        if (whole && whole.kind !== 'adnl.message.part') this.handle(whole, now)
        return
      }
      case 'adnl.message.nop':
      case 'adnl.message.reinit':
        return
      default:
        this.context.onMessage(this, message)
    }
  }

  private negotiate(message: Parameters<ChannelNegotiation['receive']>[0]): void {
    const { channel, isReady } = this.negotiation
    this.negotiation.receive(message)
    if (this.negotiation.channel !== channel) this.context.onChannel(this)
    // The peer may use the channel as soon as it gets something in it.
    if (this.negotiation.isReady && !isReady) this.sendInChannel({ kind: 'adnl.message.nop' })
  }

  /** Confirms what arrived, repeats queries and gives them up. Call it a few times per second. */
  tick(): void {
    const now = this.context.clock.now()
    this.queries.expire(now)
    for (const { id, bytes } of this.queries.takeLost(now)) this.sendQuery(id, bytes)
    if (this.unconfirmedSince !== undefined && now - this.unconfirmedSince > CONFIRM_MS)
      this.sendWhole({ kind: 'adnl.message.nop' })
  }

  /** Whether a query waits for an answer. */
  get isBusy(): boolean {
    return this.queries.size > 0
  }

  close(): void {
    this.queries.close()
  }
}

const sizeOf = (message: PeerMessage): number => {
  if (message.kind === 'adnl.message.query') return message.query.length + 44
  if (message.kind === 'adnl.message.answer') return message.answer.length + 44
  if (message.kind === 'adnl.message.custom') return message.data.length + 12
  return message.kind === 'adnl.message.part' ? message.data.length + 48 : 0
}

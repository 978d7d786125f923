import type { PeerMessage } from '@shardwalk/tl'
import { type Channel, openChannel } from '../channel.ts'
import type { AdnlKey } from '../keys.ts'

/** The two nodes, and the key that this one made for their channel. */
export interface NegotiationEnds {
  readonly ownId: Buffer
  readonly peerId: Buffer
  /** Key made for this channel. */
  readonly ownKey: AdnlKey
  /** Unix seconds at which it was made. */
  readonly ownDate: number
}

type ChannelMessage = Extract<
  PeerMessage,
  { kind: 'adnl.message.createChannel' | 'adnl.message.confirmChannel' }
>

/** Agrees with a peer on a channel. Source: ton-blockchain/ton, adnl/adnl-peer.cpp. */
export class ChannelNegotiation {
  /** Datagrams in it can be read. */
  channel: Channel | undefined
  /** The peer can read them too. */
  isReady = false
  private peerKey: Buffer | undefined
  private peerDate = 0

  constructor(private readonly ends: NegotiationEnds) {}

  /** What packets outside of the channel say as long as it is not ready. */
  offer(): ChannelMessage {
    const { ownKey, ownDate: date } = this.ends
    const key = ownKey.publicKey
    return this.peerKey
      ? { kind: 'adnl.message.confirmChannel', key, peerKey: this.peerKey, date }
      : { kind: 'adnl.message.createChannel', key, date }
  }

  /** Takes an offer or a confirmation of the peer. */
  receive(message: ChannelMessage): void {
    const { ownKey } = this.ends
    const confirms = message.kind === 'adnl.message.confirmChannel'
    if (confirms && !message.peerKey.equals(ownKey.publicKey)) return
    if (!this.peerKey?.equals(message.key) && !this.adopt(message.key, message.date)) return
    if (confirms) this.isReady = true
  }

  private adopt(peerKey: Buffer, date: number): boolean {
    if (this.peerKey && date <= this.peerDate) return false
    try {
      this.channel = openChannel({ ...this.ends, peerKey })
    } catch {
      // A point of small order.
      return false
    }
    this.peerKey = peerKey
    this.peerDate = date
    this.isReady = false
    return true
  }

  /** The peer has restarted or lost the channel. */
  reset(): void {
    this.channel = undefined
    this.peerKey = undefined
    this.peerDate = 0
    this.isReady = false
  }
}

import type { AdnlPeer } from '@shardwalk/adnl'
import { DecodeError } from '@shardwalk/model'
import { overlayMessageOf, withoutOverlayPrefix } from '@shardwalk/overlay'
import { decodeUnion, type TonNodeFunction, tonNodeFunction } from '@shardwalk/tl'
import { JoinedOverlay, type OnBroadcast } from './joined-overlay.ts'
import { UdpNode, type UdpNodeOptions } from './udp-node.ts'

export interface OverlayNodeOptions
  extends Pick<UdpNodeOptions, 'seed' | 'startedAt' | 'host' | 'port' | 'line' | 'clock'> {
  /** File hash of the network's masterchain zerostate. */
  readonly zeroStateFileHash: Buffer
  /** Answers queries of other nodes; undefined: silence. Default: silence. */
  readonly serve?: (query: TonNodeFunction) => Promise<Buffer | undefined>
  /** Answers queries outside of overlays. Default: silence. */
  readonly serveOther?: (query: Buffer) => Promise<Buffer | undefined>
  readonly onBroadcast?: OnBroadcast
}

/**
 * A node that is a member of overlays: it answers queries of other members and receives their broadcasts.
 */
export class OverlayNode {
  readonly udp: UdpNode
  private readonly joined = new Map<string, JoinedOverlay>()

  constructor(private readonly options: OverlayNodeOptions) {
    this.udp = new UdpNode({
      ...options,
      onQuery: (query, peer) => this.answer(query, peer),
      onMessage: (data, peer) => this.receive(data, peer),
    })
  }

  /** Joins the overlay of a shard, or returns the joined one. */
  join(workchain: number, shard: bigint): JoinedOverlay {
    const overlay = new JoinedOverlay({
      workchain,
      shard,
      zeroStateFileHash: this.options.zeroStateFileHash,
      ownKey: this.udp.key,
      restoreBlock: this.udp.restoreBlock,
      clock: this.udp.clock,
      onBroadcast: (broadcast, authority) => this.options.onBroadcast?.(broadcast, authority),
    })
    this.joined.set(overlay.id.toString('latin1'), overlay)
    return overlay
  }

  /** Sends a message of an overlay to a peer. */
  send(overlay: JoinedOverlay, peer: AdnlPeer, message: Buffer): void {
    peer.sendCustom(overlayMessageOf(overlay.id, message))
  }

  private async answer(query: Buffer, peer: AdnlPeer): Promise<Buffer | undefined> {
    const prefixed = withoutOverlayPrefix(query)
    if (!prefixed) return this.options.serveOther?.(query)
    const overlay = this.joined.get(prefixed.overlay.toString('latin1'))
    if (!overlay) return undefined
    try {
      const answer = overlay.members.answer(prefixed.rest, peer.address.host)
      // From now on it is a peer that others cannot displace.
      if (overlay.add(peer)) this.udp.peer(peer.publicKey, peer.address)
      return answer
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
    }
    return this.options.serve?.(decodeUnion(tonNodeFunction, prefixed.rest))
  }

  private receive(data: Buffer, peer: AdnlPeer): void {
    const prefixed = withoutOverlayPrefix(data)
    if (!prefixed) return
    this.joined.get(prefixed.overlay.toString('latin1'))?.receive(prefixed.rest, peer)
  }

  close(): Promise<void> {
    return this.udp.close()
  }
}

import { randomInt } from 'node:crypto'
import type { AdnlKey, AdnlPeer, NodeClock } from '@shardwalk/adnl'
import { type AuthorisedKeys, Broadcasts, Members, shardOverlay } from '@shardwalk/overlay'
import type { RestoreBlock } from '@shardwalk/raptorq'
import { decodeUnion, isForgetPeer, type TonNodeBroadcast, tonNodeBroadcast } from '@shardwalk/tl'
import { FullNodePeer } from './full-node-peer.ts'
import { systemClock } from './udp-node.ts'

/** `authority`: id of the validator's key that authorised the sender, see `Broadcast`. */
export type OnBroadcast = (broadcast: TonNodeBroadcast, authority: string | undefined) => void

export interface JoinOptions {
  readonly workchain: number
  readonly shard: bigint
  readonly zeroStateFileHash: Buffer
  readonly ownKey: AdnlKey
  readonly restoreBlock: RestoreBlock
  readonly onBroadcast: OnBroadcast
  /** Default: the clocks of the process. */
  readonly clock?: NodeClock
}

/** Most peers of an overlay that are known at a time: in all, at one host, and banned. */
const MAX_PEERS = 300
const MAX_OF_HOST = 32
const MAX_BANNED = 150

/** The overlay of a shard, as one of its members sees it. */
export class JoinedOverlay {
  readonly id: Buffer
  readonly members: Members
  readonly broadcasts: Broadcasts
  /** Full nodes that have answered, by their ADNL ids. */
  readonly peers = new Map<string, FullNodePeer>()
  /**
   * Keys of validators: large broadcasts are accepted from them and from senders that they have certified
   * only. Undefined while they are not known.
   */
  authorised: AuthorisedKeys | undefined
  private readonly clock: NodeClock
  private readonly listeners = new Set<() => void>()

  constructor(options: JoinOptions) {
    const { ownKey, restoreBlock, onBroadcast, clock = systemClock } = options
    this.clock = clock
    this.id = shardOverlay(options).id
    this.members = new Members({
      overlay: this.id,
      ownKey,
      randomIndex: (limit) => randomInt(limit),
      unixTime: () => clock.unixTime(),
    })
    this.broadcasts = new Broadcasts({
      overlay: this.id,
      clock,
      restoreBlock,
      authorised: () => this.authorised,
      onBroadcast: ({ payload, authority }) => {
        const broadcast = readBroadcast(payload)
        if (broadcast) onBroadcast(broadcast, authority)
      },
    })
  }

  /**
   * Adds a peer, or returns the known one. Undefined when it is refused or there is no room. `restore`
   * applies the measurements of an earlier start.
   */
  add(peer: AdnlPeer, restore: (peer: FullNodePeer) => void = () => {}): FullNodePeer | undefined {
    const name = peer.id.toString('latin1')
    const known = this.peers.get(name)
    if (known) restore(known)
    if (known || this.isRefused(peer) || !this.hasRoom()) return known
    const added = new FullNodePeer(peer)
    restore(added)
    this.peers.set(name, added)
    for (const listener of [...this.listeners]) listener()
    return added
  }

  /** Calls the listener whenever there is a new peer; returns a function that unsubscribes. */
  onAdded(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** A banned process cannot return under another id, and one host cannot take all places. */
  private isRefused({ address: { host, port } }: AdnlPeer): boolean {
    const now = this.clock.now()
    const ofHost = [...this.peers.values()].filter(({ adnl }) => adnl.address.host === host)
    return (
      ofHost.length >= MAX_OF_HOST ||
      ofHost.some((peer) => peer.isBanned(now) && peer.adnl.address.port === port)
    )
  }

  /** Any node may introduce itself; a peer that answers is not removed for a new one. */
  private hasRoom(): boolean {
    if (this.peers.size < MAX_PEERS) return true
    const now = this.clock.now()
    // Banned peers are remembered, so that they do not return as new ones, but must not fill all places.
    const banned: string[] = []
    for (const [name, peer] of this.peers)
      if (peer.isBanned(now)) banned.push(name)
      else if (peer.isResting(now)) return this.peers.delete(name)
    return banned.length > MAX_BANNED && this.peers.delete(banned[0]!)
  }

  /** Numbers of peers by state. */
  states(): { readonly ready: number; readonly resting: number; readonly banned: number } {
    const now = this.clock.now()
    const peers = [...this.peers.values()]
    const banned = peers.filter((peer) => peer.isBanned(now)).length
    const resting = peers.filter((peer) => !peer.isBanned(now) && peer.isResting(now)).length
    return { ready: peers.length - banned - resting, resting, banned }
  }

  /**
   * Handles a broadcast from a member, or its message that it does not serve this overlay. Throws
   * `DecodeError`.
   */
  receive(message: Buffer, from: AdnlPeer): void {
    if (isForgetPeer(message)) this.forget(from.id.toString('latin1'))
    else this.broadcasts.receive(message)
  }

  /** Removes a node that does not serve this overlay. A banned one stays, or it would be asked again. */
  private forget(name: string): void {
    if (!this.peers.get(name)?.isBanned(this.clock.now())) this.peers.delete(name)
  }
}

/** Undefined for kinds that we do not use, such as candidates. */
function readBroadcast(payload: Buffer): TonNodeBroadcast | undefined {
  try {
    return decodeUnion(tonNodeBroadcast, payload)
  } catch {
    return undefined
  }
}

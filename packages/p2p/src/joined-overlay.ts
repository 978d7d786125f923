import { randomInt } from 'node:crypto'
import type { AdnlKey, AdnlPeer } from '@shardwalk/adnl'
import { Broadcasts, Members, shardOverlay } from '@shardwalk/overlay'
import type { RestoreBlock } from '@shardwalk/raptorq'
import { decodeUnion, isForgetPeer, type TonNodeBroadcast, tonNodeBroadcast } from '@shardwalk/tl'
import { FullNodePeer } from './full-node-peer.ts'
import { systemClock } from './udp-node.ts'

export interface JoinOptions {
  readonly workchain: number
  readonly shard: bigint
  readonly zeroStateFileHash: Buffer
  readonly ownKey: AdnlKey
  readonly restoreBlock: RestoreBlock
  readonly onBroadcast: (broadcast: TonNodeBroadcast) => void
}

/** Peers of an overlay that are known at a time. */
const MAX_PEERS = 300

/** The overlay of a shard, as one of its members sees it. */
export class JoinedOverlay {
  readonly id: Buffer
  readonly members: Members
  readonly broadcasts: Broadcasts
  /** Full nodes that have answered, by their ADNL ids. */
  readonly peers = new Map<string, FullNodePeer>()
  private readonly listeners = new Set<() => void>()

  constructor(options: JoinOptions) {
    const { ownKey, restoreBlock, onBroadcast } = options
    this.id = shardOverlay(options).id
    this.members = new Members({
      overlay: this.id,
      ownKey,
      randomIndex: (limit) => randomInt(limit),
      unixTime: systemClock.unixTime,
    })
    this.broadcasts = new Broadcasts({
      overlay: this.id,
      clock: systemClock,
      restoreBlock,
      onBroadcast: ({ payload }) => {
        const broadcast = readBroadcast(payload)
        if (broadcast) onBroadcast(broadcast)
      },
    })
  }

  /**
   * Takes a peer among those that are asked, unless there is no room for it. `restore` gives it what is
   * remembered of it.
   */
  add(peer: AdnlPeer, restore: (peer: FullNodePeer) => void = () => {}): FullNodePeer | undefined {
    const name = peer.id.toString('latin1')
    const known = this.peers.get(name)
    if (known) restore(known)
    if (known || this.isOfLiar(peer) || !this.hasRoom()) return known
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

  /** A process that has lied does not come back under another id. */
  private isOfLiar({ address: { host, port } }: AdnlPeer): boolean {
    const now = systemClock.now()
    return [...this.peers.values()].some(
      (peer) => peer.isBanned(now) && peer.adnl.address.host === host && peer.adnl.address.port === port,
    )
  }

  /** Anybody may introduce himself; those that answer are not given up for strangers. */
  private hasRoom(): boolean {
    if (this.peers.size < MAX_PEERS) return true
    const now = systemClock.now()
    // Banned ones stay, lest they come back as new ones.
    for (const [name, peer] of this.peers)
      if (peer.isResting(now) && !peer.isBanned(now)) return this.peers.delete(name)
    return false
  }

  /** Peers by whether they are asked. */
  states(): { readonly ready: number; readonly resting: number; readonly banned: number } {
    const now = systemClock.now()
    const peers = [...this.peers.values()]
    const banned = peers.filter((peer) => peer.isBanned(now)).length
    const resting = peers.filter((peer) => !peer.isBanned(now) && peer.isResting(now)).length
    return { ready: peers.length - banned - resting, resting, banned }
  }

  /** Takes what a member sends to all. Throws `DecodeError`. */
  receive(message: Buffer, from: AdnlPeer): void {
    // A node that does not serve this overlay.
    if (isForgetPeer(message)) this.peers.delete(from.id.toString('latin1'))
    else this.broadcasts.receive(message)
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

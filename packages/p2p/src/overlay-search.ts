import { type AdnlPeer, type NodeClock, publicKeyId, shortId, type UdpAddress } from '@shardwalk/adnl'
import type { DhtClient } from '@shardwalk/dht'
import { RecentMap } from '@shardwalk/model'
import { overlayQueryOf } from '@shardwalk/overlay'
import type { OverlayNode as Membership } from '@shardwalk/tl'
import type { JoinedOverlay } from './joined-overlay.ts'

/** The part of a node that the search uses. */
export interface SearchingNode {
  readonly clock: NodeClock
  peer(publicKey: Buffer, address: UdpAddress): AdnlPeer
  ask(peer: AdnlPeer, query: Buffer, timeoutMs: number): Promise<Buffer>
}

export interface OverlaySearchOptions {
  readonly overlay: JoinedOverlay
  readonly node: SearchingNode
  readonly dht: Pick<DhtClient, 'findMembers' | 'findAddress' | 'addressFailed'>
  /** Number of peers from which on `pauseMs` is long. */
  readonly wantedPeers: number
  /** Called with the time, in Unix seconds, at which a node claims to have signed its answer to us. */
  readonly onSigned?: (at: UdpAddress, unixTime: number) => void
}

const ANSWER_MS = 3_000
/** Until one looks again, by the peers that are known. */
const PAUSE_MS = { none: 500, some: 2_000, enough: 60_000 }
/** Members that are contacted at a time. */
const CONTACTED = 16
/**
 * The same with one of those that each server of the hash table names: else servers that make up new members
 * all the time would take all places.
 */
const CONTACTED_IN_ALL = 64
/** Peers that are asked for members each time. */
const ASKED_AGAIN = 4
/** After this a member that did not answer is contacted again, and then ever later. */
const AGAIN_MS = { first: 1_000, most: 60_000 }
const MAX_MISSED = 2_000

interface Missed {
  count: number
  until: number
}

/** Finds full nodes of an overlay: members are named by servers of the hash table and by each other. */
export class OverlaySearch {
  private readonly contacting = new Map<string, Promise<void>>()
  private readonly missed = new RecentMap<string, Missed>(MAX_MISSED)
  private isClosed = false

  constructor(private readonly options: OverlaySearchOptions) {}

  /** Banned and silent peers do not count. */
  private get hasEnough(): boolean {
    return this.options.overlay.states().ready >= this.options.wantedPeers
  }

  /** Milliseconds until the next call of `run`. */
  get pauseMs(): number {
    if (this.hasEnough) return PAUSE_MS.enough
    return this.options.overlay.peers.size > 0 ? PAUSE_MS.some : PAUSE_MS.none
  }

  /**
   * Asks servers of the hash table and some peers for members. Members that they name are contacted at once,
   * without waiting for them.
   */
  async run(): Promise<void> {
    const { overlay, dht } = this.options
    this.askAgain()
    this.contactMore()
    await dht.findMembers(overlay.id, (members) => {
      overlay.members.learn(members)
      this.contactMore()
      this.contactOneOf(new Set(members.map(({ id }) => publicKeyId(id).toString('latin1'))))
    })
  }

  /** Memberships expire: ours with the peers, and theirs with us. */
  private askAgain(): void {
    const { overlay } = this.options
    const known = overlay.members.newestFirst().flatMap(([name]) => overlay.peers.get(name)?.adnl ?? [])
    for (const peer of known.slice(0, ASKED_AGAIN)) this.introduce(peer).catch(() => {})
  }

  private contactMore(): void {
    for (const [name, member] of this.options.overlay.members.newestFirst()) {
      if (this.isClosed || this.contacting.size >= CONTACTED) return
      if (this.isWanted(name)) this.contact(name, member)
    }
  }

  private contactOneOf(names: ReadonlySet<string>): void {
    if (this.isClosed || this.hasEnough || this.contacting.size >= CONTACTED_IN_ALL) return
    const members = this.options.overlay.members.newestFirst()
    const wanted = members.find(([name]) => names.has(name) && this.isWanted(name))
    if (wanted) this.contact(...wanted)
  }

  private isWanted(name: string): boolean {
    if (this.isKnown(name) || this.contacting.has(name)) return false
    return (this.missed.get(name)?.until ?? 0) <= this.options.node.clock.now()
  }

  /** A peer that does not answer at its address may have moved to another. */
  private isKnown(name: string): boolean {
    const now = this.options.node.clock.now()
    const peer = this.options.overlay.peers.get(name)
    return peer !== undefined && (peer.isBanned(now) || !peer.isResting(now))
  }

  private contact(name: string, member: Membership): void {
    const contact = this.introduceTo(member)
      .then(
        // One without a place, or that is resting, is not contacted again and again.
        () => void (this.isKnown(name) ? this.missed.delete(name) : this.miss(name)),
        () => this.miss(name),
      )
      .then(() => {
        this.contacting.delete(name)
        if (!this.hasEnough) this.contactMore()
      })
    this.contacting.set(name, contact)
  }

  /** Contacts a member and asks it for others. Rejects if it does not answer. */
  private async introduceTo({ id }: Membership): Promise<void> {
    const { overlay, node, dht } = this.options
    if (id.kind !== 'pub.ed25519') return
    const address = await dht.findAddress(shortId(id.key))
    if (!address) throw new Error('no server knows where the member is')
    const peer = node.peer(id.key, address)
    await this.introduce(peer).catch((error) => {
      dht.addressFailed(peer.id)
      throw error
    })
    overlay.add(peer)
  }

  private miss(name: string): void {
    const count = this.missed.get(name)?.count ?? 0
    const pauseMs = Math.min(AGAIN_MS.most, AGAIN_MS.first * 2 ** count)
    this.missed.set(name, { count: count + 1, until: this.options.node.clock.now() + pauseMs })
  }

  /** Sends the own membership to a peer and asks it for others. Rejects if it does not answer. */
  async introduce(peer: AdnlPeer): Promise<void> {
    const { overlay, node, onSigned } = this.options
    const question = overlayQueryOf(overlay.id, overlay.members.question())
    const named = overlay.members.learnAnswer(await node.ask(peer, question, ANSWER_MS))
    // Of itself a node says when it has signed that: now.
    const own = named.find(({ id }) => id.kind === 'pub.ed25519' && id.key.equals(peer.publicKey))
    if (own) onSigned?.(peer.address, own.version)
  }

  /** Resolves when no query is open; close the node first, which ends them. */
  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all(this.contacting.values())
  }
}

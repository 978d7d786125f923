import { type AdnlKey, publicKeyId } from '@shardwalk/adnl'
import { RecentMap } from '@shardwalk/model'
import { decodeUnion, encodeUnion, type OverlayNode, overlayAnswer, overlayFunction } from '@shardwalk/tl'
import { isMembership, signMembership } from './membership.ts'

export interface MemberOptions {
  /** Id of the overlay, 32 bytes. */
  readonly overlay: Buffer
  readonly ownKey: AdnlKey
  /** A number from 0 up to but excluding `limit`. */
  readonly randomIndex: (limit: number) => number
  /** Unix seconds. */
  readonly unixTime: () => number
  /** Members that are remembered. Default: 2,000. */
  readonly maxMembers?: number
}

/** Members that an answer names, so that it fits one datagram. */
const SHARED_MEMBERS = 5
/** Most memberships of one message that are read. */
const MAX_LISTED = 16

/**
 * New members that nodes name to us unasked within a minute: one host, and all. Anybody can make up any
 * number of them, and each costs a search.
 */
const UNASKED = { ofHost: 8, ofAll: 64, seconds: 60 }

/** Query that a member answers if it is running. */
export const PING = encodeUnion(overlayFunction, { kind: 'overlay.ping' })

/** The known members of one overlay, each with its newest signed membership. */
export class Members {
  private readonly known: RecentMap<string, OverlayNode>
  private readonly ownName: string
  private unasked = { since: 0, count: 0, byHost: new Map<string, number>() }

  constructor(private readonly options: MemberOptions) {
    const { publicKey: key } = options.ownKey
    this.ownName = publicKeyId({ kind: 'pub.ed25519', key }).toString('latin1')
    this.known = new RecentMap(options.maxMembers ?? 2_000)
  }

  get size(): number {
    return this.known.size
  }

  /** By ADNL ids, those first that were learned last. */
  newestFirst(): readonly (readonly [name: string, member: OverlayNode])[] {
    return [...this.known].reverse()
  }

  /** Adds memberships received from a node. Unsigned ones and those of another overlay are ignored. */
  learn(nodes: readonly OverlayNode[]): void {
    for (const node of nodes.slice(0, MAX_LISTED)) this.learnOne(node)
  }

  private learnUnasked(nodes: readonly OverlayNode[], host: string): void {
    const now = this.options.unixTime()
    if (Math.abs(now - this.unasked.since) >= UNASKED.seconds)
      this.unasked = { since: now, count: 0, byHost: new Map() }
    const { byHost } = this.unasked
    for (const node of nodes.slice(0, MAX_LISTED)) {
      const ofHost = byHost.get(host) ?? 0
      const isKnown = this.known.has(publicKeyId(node.id).toString('latin1'))
      if (!isKnown && (ofHost >= UNASKED.ofHost || this.unasked.count >= UNASKED.ofAll)) continue
      if (!this.learnOne(node) || isKnown) continue
      byHost.set(host, ofHost + 1)
      this.unasked.count++
    }
  }

  private learnOne(node: OverlayNode): boolean {
    const name = publicKeyId(node.id).toString('latin1')
    const known = this.known.get(name)
    // Its signature has been checked.
    if (name === this.ownName || (known && known.version >= node.version)) return false
    const { overlay } = this.options
    if (!isMembership(node, { overlay, unixTime: this.options.unixTime() })) return false
    this.known.set(name, node)
    return true
  }

  /** Our own membership and a few random others. */
  sample(): readonly OverlayNode[] {
    const { ownKey, overlay, unixTime, randomIndex } = this.options
    const others = [...this.known.values()].filter((node) => node.version > unixTime() - 600)
    const chosen: OverlayNode[] = [signMembership(ownKey, overlay, unixTime())]
    while (chosen.length < SHARED_MEMBERS && others.length > 0)
      chosen.push(...others.splice(randomIndex(others.length), 1))
    return chosen
  }

  /** Query that sends the own membership and asks for others. */
  question(): Buffer {
    const nodes = this.sample().slice(0, 1)
    return encodeUnion(overlayFunction, { kind: 'overlay.getRandomPeers', peers: { nodes } })
  }

  /** Takes the answer to `question`; the members that it names, unchecked. Throws `DecodeError`. */
  learnAnswer(answer: Buffer): readonly OverlayNode[] {
    const decoded = decodeUnion(overlayAnswer, answer)
    if (decoded.kind !== 'overlay.nodes') return []
    this.learn(decoded.nodes)
    return decoded.nodes
  }

  /** Answers what members ask about the overlay, from a host. Throws `DecodeError` for any other query. */
  answer(query: Buffer, host: string): Buffer {
    const asked = decodeUnion(overlayFunction, query)
    if (asked.kind === 'overlay.ping') return encodeUnion(overlayAnswer, { kind: 'overlay.pong' })
    this.learnUnasked(asked.peers.nodes, host)
    return encodeUnion(overlayAnswer, { kind: 'overlay.nodes', nodes: this.sample() })
  }
}

import { type NodeClock, type RandomBytes, type UdpAddress, udpAddressOf } from '@shardwalk/adnl'
import { DecodeError, RecentMap } from '@shardwalk/model'
import {
  addressList,
  type DhtAnswer,
  type DhtFunction,
  type DhtNode,
  type DhtValue,
  decodePrefix,
  decodeUnion,
  dhtAnswer,
  dhtFunction,
  encodeUnion,
  type OverlayNode,
  overlayNodes,
} from '@shardwalk/tl'
import type { DhtConfig } from './config.ts'
import { addressKey, dhtKeyId, overlayNodesKey } from './keys.ts'
import { Lookup, type LookupOptions } from './lookup.ts'
import { type DhtServer, serversOf } from './server.ts'
import { ServerTable } from './server-table.ts'
import { checkValue } from './value.ts'

/** A look-up that has ended. */
export interface DhtLookup {
  readonly what: 'address' | 'members'
  readonly isFound: boolean
  readonly tookMs: number
}

export interface DhtClientOptions {
  readonly config: DhtConfig
  readonly clock: NodeClock
  readonly random: RandomBytes
  /** Sends a query to a server; rejects without an answer in time. Calls `onLate` when it takes long. */
  readonly ask: (server: DhtServer, query: Buffer, onLate: () => void) => Promise<Buffer>
  /** Servers that are remembered. Default: 500. */
  readonly maxServers?: number
  readonly onLookup?: (lookup: DhtLookup) => void
}

/** How long an address that was found is used. Nodes publish theirs every one or two minutes. */
const CACHE_MS = 600_000
/** The same where the node does not answer. */
const DOUBTED_MS = 60_000
/** How long a node counts as not found: at first it may only be that answers were lost. */
const ABSENT_MS = { first: 1_000, most: 60_000 }
const MAX_CACHED = 5_000
const absentMs = (misses: number): number => Math.min(ABSENT_MS.most, ABSENT_MS.first * 4 ** misses)
/** Entries of one answer that are looked at: each costs a signature check. */
const MAX_LISTED = 20

interface CachedAddress {
  readonly found: Promise<UdpAddress | undefined>
  /** When the look-up began. */
  readonly since: number
  until: number
  /** Look-ups in a row that have found nothing. */
  misses: number
}

/** Finds nodes and members of overlays in the hash table, starting from the global config alone. */
export class DhtClient {
  private readonly servers: ServerTable
  private readonly addresses = new RecentMap<string, CachedAddress>(MAX_CACHED)

  constructor(private readonly options: DhtClientOptions) {
    const { config, clock, maxServers = 500 } = options
    this.servers = new ServerTable(serversOf(config.staticNodes, clock.unixTime()), maxServers)
  }

  /** Number of servers that have not failed repeatedly. */
  get serverCount(): number {
    return this.servers.alive
  }

  /** Discovers servers near the own id and near a random key. */
  async refresh(ownId: Buffer): Promise<void> {
    await Promise.all([this.findServers(ownId), this.findServers(this.options.random(32))])
  }

  private findServers(keyId: Buffer): Promise<void> {
    const { k } = this.options.config
    return this.lookUp(keyId, async (server, onLate) => {
      const answer = await this.ask(server, { kind: 'dht.findNode', key: keyId, k }, onLate)
      return answer.kind === 'dht.nodes' ? this.learn(answer.nodes) : []
    })
  }

  /** Where a node can be reached; undefined if no server knows it. Remembered for ten minutes. */
  findAddress(id: Buffer): Promise<UdpAddress | undefined> {
    const name = id.toString('latin1')
    const now = this.options.clock.now()
    const cached = this.addresses.get(name)
    if (cached && cached.until > now) return cached.found
    const found = this.lookUpAddress(id)
    const entry: CachedAddress = { found, since: now, until: now + CACHE_MS, misses: cached?.misses ?? 0 }
    this.addresses.set(name, entry)
    void found.then((address) => {
      if (address) entry.misses = 0
      else entry.until = this.options.clock.now() + absentMs(entry.misses++)
    })
    return found
  }

  /**
   * Records that a node does not answer at the address found, so that the next search is made in a minute.
   */
  addressFailed(id: Buffer): void {
    const cached = this.addresses.get(id.toString('latin1'))
    if (cached) cached.until = Math.min(cached.until, cached.since + DOUBTED_MS)
  }

  private async lookUpAddress(id: Buffer): Promise<UdpAddress | undefined> {
    let best: UdpAddress | undefined
    const ended = this.lookupBegins('address')
    await this.findValue(dhtKeyId(addressKey(id)), (value) => {
      const list = decodePrefix(addressList, value.value)
      best = list && udpAddressOf(list.value, this.options.clock.unixTime())
      return best !== undefined
    })
    ended(best !== undefined)
    return best
  }

  /**
   * Calls `take` with members of an overlay as servers name them; each server names a few. Their memberships
   * are not checked yet. Resolves when no server is left to ask.
   */
  async findMembers(overlay: Buffer, take: (members: readonly OverlayNode[]) => void): Promise<void> {
    let isFound = false
    const ended = this.lookupBegins('members')
    await this.findValue(dhtKeyId(overlayNodesKey(overlay)), (value) => {
      const members = decodePrefix(overlayNodes, value.value)?.value.nodes.slice(0, MAX_LISTED) ?? []
      isFound ||= members.length > 0
      take(members)
      return false
    })
    ended(isFound)
  }

  /** Records the start of a look-up; returns the function to call at its end. */
  private lookupBegins(what: DhtLookup['what']): (isFound: boolean) => void {
    const { clock, onLookup } = this.options
    const startedAt = clock.now()
    return (isFound) => onLookup?.({ what, isFound, tookMs: clock.now() - startedAt })
  }

  /** `take` gets every valid value, until it returns true. */
  private findValue(keyId: Buffer, take: (value: DhtValue) => boolean): Promise<void> {
    const { config, clock } = this.options
    return this.lookUp(keyId, async (server, onLate) => {
      const query = { kind: 'dht.findValue', key: keyId, k: config.k } as const
      const answer = await this.ask(server, query, onLate)
      if (answer.kind === 'dht.valueNotFound') return this.learn(answer.nodes.nodes)
      if (answer.kind !== 'dht.valueFound') return []
      if (!checkValue(answer.value, keyId, clock.unixTime()))
        throw new DecodeError('dht.value', 'is not valid')
      return take(answer.value) ? undefined : []
    })
  }

  private lookUp(keyId: Buffer, ask: LookupOptions['ask']): Promise<void> {
    const { k, a } = this.options.config
    return new Lookup({ keyId, k, a, start: this.servers.closest(keyId, 2 * k), ask }).run()
  }

  private async ask(server: DhtServer, query: DhtFunction, onLate: () => void): Promise<DhtAnswer> {
    const { clock } = this.options
    const askedAt = clock.now()
    try {
      const bytes = await this.options.ask(server, encodeUnion(dhtFunction, query), onLate)
      const answer = decodeUnion(dhtAnswer, bytes)
      this.servers.answered(server)
      return answer
    } catch (error) {
      this.servers.failed(server, { askedAt, now: clock.now() })
      throw error
    }
  }

  private learn(nodes: readonly DhtNode[]): readonly DhtServer[] {
    const unixTime = this.options.clock.unixTime()
    const servers = serversOf(nodes.slice(0, MAX_LISTED), unixTime)
    for (const server of servers) this.servers.add(server)
    return servers
  }
}

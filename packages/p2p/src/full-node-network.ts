import { randomBytes } from 'node:crypto'
import { type AdnlPeer, shortId } from '@shardwalk/adnl'
import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { DhtClient, type DhtConfig, type DhtLookup } from '@shardwalk/dht'
import { BASECHAIN, FULL_SHARD, MASTERCHAIN } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { overlayQueryOf, PING } from '@shardwalk/overlay'
import { ClockOffset } from './clock-offset.ts'
import { ClockQuestions } from './clock-questions.ts'
import { CorrectedClock, isFarOff } from './corrected-clock.ts'
import { DownloadPace } from './download-pace.ts'
import type { JoinedOverlay } from './joined-overlay.ts'
import { OverlayNode, type OverlayNodeOptions } from './overlay-node.ts'
import { OverlaySearch } from './overlay-search.ts'
import type { BookedPeer } from './peer-book.ts'
import { type PeerReport, peerReports } from './peer-report.ts'
import { askServerClocks } from './server-clocks.ts'
import { systemClock } from './udp-node.ts'

export interface FullNodeNetworkOptions extends Omit<OverlayNodeOptions, 'serve' | 'serveOther'> {
  readonly dht: DhtConfig
  readonly log: Logger
  /** Number of peers of each overlay from which on others are searched for less often. Default: 50. */
  readonly wantedPeers?: number
  /** Bytes of archives per second. Default: no limit. */
  readonly downloadLimit?: number | undefined
  /** Peers of an earlier start, which are contacted before others are looked for. */
  readonly booked?: readonly BookedPeer[] | undefined
  readonly onLookup?: ((lookup: DhtLookup) => void) | undefined
  /** Pause between two packets to the same peer. Milliseconds; default: 20,000. */
  readonly keepAliveMs?: number
  /** How long peers may show their clocks before servers are asked for theirs. Default: 10,000. */
  readonly clockPauseMs?: number
}

const DHT_TIMEOUT_MS = 3_000
const PEER_TIMEOUT_MS = 3_000
/** Pause while no server answers. */
const DHT_RETRY_MS = 2_000
const DHT_REFRESH_MS = 600_000
/** Nodes that were asked for members or values, and are not peers, are forgotten after this. */
const IDLE_MS = 120_000
/** Routers drop the mapping of a silent peer after half a minute; its broadcasts are lost then. */
const KEEP_ALIVE_MS = 20_000
/** Every so many times a peer is sent our membership too, which it forgets after ten minutes. */
const INTRODUCED_EVERY = 12
/** Less is no reason to do anything. Seconds. */
const MAX_CLOCK_OFFSET = 5
const WARN_EVERY_MS = 600_000
/** How often the clock is judged, and from when on servers are asked for theirs. */
const CLOCK_MS = { check: 1_000, first: 10_000 }
/** A window of symbols of one transfer. */
const LEAST_BUFFER = 1 << 20

const WANTED_PEERS = 50

/** An overlay, how it is named in the book, and the search for its peers. */
interface Searched {
  readonly bit: number
  readonly overlay: JoinedOverlay
  readonly search: OverlaySearch
}

/** The full nodes of a network, found from its global config alone. */
export class FullNodeNetwork {
  readonly node: OverlayNode
  readonly dht: DhtClient
  readonly masterchain: JoinedOverlay
  /** Today one overlay carries all shards of the basechain. */
  readonly basechain: JoinedOverlay
  readonly traffic: DownloadPace
  readonly clockOffset: ClockOffset
  private readonly serverOffset: ClockOffset
  private readonly clock: CorrectedClock
  private readonly closing = new AbortController()
  private readonly searches: readonly Searched[]
  private work: Promise<unknown> = Promise.resolve()
  private clockWarnedAt = Number.NEGATIVE_INFINITY

  private constructor(private readonly options: FullNodeNetworkOptions) {
    const own = options.clock ?? systemClock
    this.clockOffset = new ClockOffset(own)
    this.serverOffset = new ClockOffset(own)
    this.clock = new CorrectedClock(own, this.serverOffset)
    this.node = new OverlayNode({ ...options, clock: this.clock })
    this.traffic = new DownloadPace(options.downloadLimit)
    const { udp } = this.node
    this.dht = new DhtClient({
      config: options.dht,
      clock: udp.clock,
      random: randomBytes,
      ask: ({ publicKey, address }, query, onLate) =>
        udp.ask(udp.peer(publicKey, address), query, DHT_TIMEOUT_MS, onLate),
      ...(options.onLookup && { onLookup: options.onLookup }),
    })
    this.masterchain = this.node.join(MASTERCHAIN, FULL_SHARD)
    this.basechain = this.node.join(BASECHAIN, FULL_SHARD)
    this.searches = [
      { bit: 1, overlay: this.masterchain, search: this.searchIn(this.masterchain) },
      { bit: 2, overlay: this.basechain, search: this.searchIn(this.basechain) },
    ]
  }

  private searchIn(overlay: JoinedOverlay): OverlaySearch {
    return new OverlaySearch({
      overlay,
      node: this.node.udp,
      dht: this.dht,
      wantedPeers: this.options.wantedPeers ?? WANTED_PEERS,
      onSigned: (at, unixTime) => this.clockOffset.add(at, unixTime),
    })
  }

  /** Binds the socket and begins to look for peers. */
  static async open(options: FullNodeNetworkOptions): Promise<FullNodeNetwork> {
    const network = new FullNodeNetwork(options)
    await network.node.udp.listen()
    network.checkBuffer()
    network.work = Promise.all([
      network.contactBooked(),
      network.keepServers(),
      network.keepSearching(),
      network.keepReachable(),
      network.keepTime(),
    ])
    return network
  }

  /** Peers to store for the next start: those that have answered, and those that are banned. */
  book(): readonly BookedPeer[] {
    const { clock } = this.node.udp
    const [now, unixTime] = [clock.now(), Math.floor(clock.unixTime())]
    const booked = new Map<string, BookedPeer>()
    for (const { bit, overlay } of this.searches)
      for (const [name, peer] of overlay.peers) {
        const { publicKey: key, address } = peer.adnl
        const overlays = bit | (booked.get(name)?.overlays ?? 0)
        const { host, port } = address
        booked.set(name, { key, host, port, overlays, ...peer.measures(now, unixTime) })
      }
    return [...booked.values()]
  }

  /** Restricts large broadcasts to these validators and to senders certified by them. */
  authorise(publicKeys: readonly Buffer[]): void {
    const ids = new Set(publicKeys.map((key) => shortId(key).toString('hex')))
    for (const { overlay } of this.searches) overlay.authorised = ids
  }

  /** One report per known full node. */
  peerReports(): readonly PeerReport[] {
    return peerReports(this, this.node.udp.clock.now())
  }

  private async contactBooked(): Promise<void> {
    const { booked = [] } = this.options
    const { udp } = this.node
    const contacts = booked.flatMap((peer) =>
      this.searches
        .filter(({ bit }) => (peer.overlays & bit) !== 0)
        .map(async ({ overlay, search }) => {
          const { key, host, port } = peer
          const known = udp.peer(key, { host, port })
          const unixTime = udp.clock.unixTime()
          // One with a false answer is not cleared by answering, and is not taken for a new one.
          if (peer.bannedUntil <= unixTime) await search.introduce(known)
          overlay.add(known, (added) => added.restore(peer, udp.clock.now(), unixTime))
        }),
    )
    await Promise.allSettled(contacts)
  }

  private keepSearching(): Promise<void> {
    const { signal } = this.closing
    return loopUntilAborted(
      async () => {
        await Promise.all(this.searches.map(({ search }) => search.run()))
        this.node.udp.forgetIdle(IDLE_MS, (peer) => this.isPeer(peer))
        await sleep(Math.min(...this.searches.map(({ search }) => search.pauseMs)), signal)
      },
      {
        signal,
        onError: (error) => this.options.log.warn('the search for full nodes failed', { error }),
      },
    )
  }

  private isPeer({ id }: AdnlPeer): boolean {
    const name = id.toString('latin1')
    return this.searches.some(({ overlay }) => overlay.peers.has(name))
  }

  /** The search does not wait for this: it asks the servers of the global config until others are known. */
  private keepServers(): Promise<void> {
    const { signal } = this.closing
    return loopUntilAborted(
      async () => {
        await this.dht.refresh(this.node.udp.id)
        await sleep(this.dht.serverCount > 0 ? DHT_REFRESH_MS : DHT_RETRY_MS, signal)
      },
      {
        signal,
        onError: (error) => this.options.log.warn('the search for servers failed', { error }),
      },
    )
  }

  /** Behind a router, only peers to which we have sent something recently can reach us. */
  private keepReachable(): Promise<void> {
    const { signal } = this.closing
    const { keepAliveMs = KEEP_ALIVE_MS } = this.options
    let round = 0
    return loopUntilAborted(
      async () => {
        await sleep(keepAliveMs, signal)
        round++
        for (const searched of this.searches)
          for (const [index, peer] of [...searched.overlay.peers.values()].entries())
            if (!peer.isBanned(this.node.udp.clock.now()))
              this.reach(searched, peer.adnl, (round + index) % INTRODUCED_EVERY === 0)
      },
      {
        signal,
        onError: (error) => this.options.log.warn('our membership was not sent to full nodes', { error }),
      },
    )
  }

  /** A missing answer is ignored here: queries for blocks decide which peers are silent. */
  private reach({ overlay, search }: Searched, peer: AdnlPeer, introduces: boolean): void {
    const ping = () => this.node.udp.ask(peer, overlayQueryOf(overlay.id, PING), PEER_TIMEOUT_MS)
    const asked: Promise<unknown> = introduces ? search.introduce(peer) : ping()
    asked.catch(() => {})
  }

  private checkBuffer(): void {
    const { receiveBuffer: bytes } = this.node.udp
    if (bytes === 0 || bytes >= LEAST_BUFFER) return
    this.options.log.warn(
      'the UDP buffer is small, so that datagrams are lost while this process is busy: ' +
        'sysctl -w net.core.rmem_max=8388608',
      { bytes },
    )
  }

  /**
   * Peers show their clocks when they are asked for members. A clock that is wrong by much keeps all nodes
   * away, so that nobody is left to be asked but the servers of the global config, again and again until the
   * clock is set.
   */
  private keepTime(): Promise<void> {
    const { signal } = this.closing
    const { udp } = this.node
    const questions = new ClockQuestions(this.options.clockPauseMs ?? CLOCK_MS.first, udp.clock.now())
    return loopUntilAborted(
      async () => {
        await sleep(CLOCK_MS.check, signal)
        const { seconds } = this.clockOffset
        const isDoubtful = seconds === undefined || isFarOff(seconds)
        const { isCorrected } = this.clock
        if (questions.isDue(udp.clock.now(), { isDoubtful, isCorrected }))
          questions.asked(udp.clock.now(), await this.askServerClocks())
        this.checkClock()
      },
      {
        signal,
        onError: (error) => this.options.log.warn('the clocks of servers could not be read', { error }),
      },
    )
  }

  /** Returns how many have answered. */
  private async askServerClocks(): Promise<number> {
    const { dht: config, host, line } = this.options
    let answers = 0
    await askServerClocks({
      config,
      clock: this.clock.own,
      signal: this.closing.signal,
      ...(host !== undefined && { host }),
      ...(line && { line }),
      onTime: ({ address }, unixTime) => {
        answers++
        this.clockOffset.add(address, unixTime)
        this.serverOffset.add(address, unixTime)
      },
    })
    return answers
  }

  private checkClock(): void {
    const { seconds } = this.clockOffset
    const now = this.node.udp.clock.now()
    if (seconds === undefined || Math.abs(seconds) <= MAX_CLOCK_OFFSET) return
    if (now - this.clockWarnedAt < WARN_EVERY_MS) return
    this.clockWarnedAt = now
    this.options.log.warn('the clock of this machine is wrong: set it', {
      seconds_behind_full_nodes: Math.round(seconds),
    })
  }

  async close(): Promise<void> {
    this.closing.abort()
    await this.node.close()
    await Promise.all([this.work, ...this.searches.map(({ search }) => search.close())])
  }
}

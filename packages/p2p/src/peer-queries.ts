import { overlayQueryOf } from '@shardwalk/overlay'
import { encodeUnion, type TonNodeFunction, tonNodeFunction } from '@shardwalk/tl'
import { isFalseData, isUnknownForm } from './errors.ts'
import { FirstAnswer } from './first-answer.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import type { FullNodePeer, QueryClass } from './full-node-peer.ts'
import type { JoinedOverlay } from './joined-overlay.ts'
import { PeerTurns } from './peer-turns.ts'

/** Parameters of a kind of query. Times in milliseconds, sizes in bytes. */
export interface Manner {
  readonly kind: QueryClass
  /** Peers are chosen by their answers of this kind. Default: `kind`. */
  readonly chosenBy?: QueryClass
  readonly timeoutMs: number
  /** Another peer is asked too after this, or earlier if answers of the first are usually quicker. */
  readonly hedgeMs: number
  readonly peers: number
  /** Present: the answer may be long and is transferred; absent: it fits a few datagrams. */
  readonly maxAnswerSize?: number
  /** Its times decide how many queries the peer gets at a time. */
  readonly isPaced?: boolean
}

/** A query, and how long its answer may take. */
export interface Query {
  readonly overlay: JoinedOverlay
  readonly query: TonNodeFunction
  readonly manner: Manner
}

/** A query to several peers, and what of their answers counts. */
export interface Question<T> extends Query {
  /** Goes before others when peers are busy. */
  readonly urgent?: boolean | undefined
  /** Peers to ask only after all others that answer. */
  readonly last?: ReadonlySet<FullNodePeer>
  /**
   * Undefined: the peer does not have it. Throws an error for which `isFalseData` holds if the answer is
   * wrong, which bans the peer, or one for which `isUnknownForm` holds if a newer version may be able to read
   * it. May send further queries to the peer, with `peerIsLate` as for `one`.
   */
  readonly read: (
    answer: Buffer,
    peer: FullNodePeer,
    peerIsLate: () => void,
  ) => T | undefined | Promise<T | undefined>
}

/** What accompanies a query to one peer. */
export interface OneOptions {
  /** Called when the peer takes longer than its answers usually do. */
  readonly peerIsLate?: () => void
  /** Ends the query, which then says nothing about the peer. */
  readonly signal?: AbortSignal
  /** Ends the query if the peer has begun to answer: another one was quicker. */
  readonly enough?: AbortSignal
}

/** Numbers of queries and outcomes, by kind. */
export type QueryCounts = Readonly<Record<QueryClass, { answered: number; unanswered: number }>>

/** Asked after all that answer, before those that rest after failures. */
const LAST_RANK = 1.5

const none = () => ({ answered: 0, unanswered: 0 })

/** Sends queries to the best peers, to several if one is slow. */
export class PeerQueries {
  readonly counts: QueryCounts = { short: none(), block: none(), archive: none() }
  private readonly turns = new PeerTurns()

  constructor(private readonly network: FullNodeNetwork) {}

  /**
   * The first valid answer of several peers. A peer that is late does not delay it: the next one is asked as
   * well, as soon as there is one. Throws `NoPeerAnswered`.
   */
  first<T>(question: Question<T>): Promise<T> {
    return new FirstAnswer({
      question,
      turns: this.turns,
      choose: (asked) => this.choose(question, asked),
      tryPeer: (peer, peerIsLate, enough) => this.tryPeer(peer, question, { peerIsLate, enough }),
    }).wait()
  }

  private async tryPeer<T>(
    peer: FullNodePeer,
    question: Question<T>,
    options: Required<Pick<OneOptions, 'peerIsLate' | 'enough'>>,
  ): Promise<T | undefined> {
    const answer = await this.one(peer, question, options)
    try {
      return await question.read(answer, peer, options.peerIsLate)
    } catch (error) {
      const now = this.network.node.udp.clock.now()
      if (isFalseData(error)) peer.ban(now)
      // The form may be made up rather than newer, so other peers are asked first.
      else if (isUnknownForm(error)) peer.failed(now)
      throw error
    }
  }

  /** A peer's answer. */
  async one(
    peer: FullNodePeer,
    { overlay, query, manner }: Query,
    { peerIsLate = () => {}, signal, enough }: OneOptions = {},
  ): Promise<Buffer> {
    const { kind, timeoutMs, hedgeMs, maxAnswerSize, isPaced } = manner
    const { udp } = this.network.node
    const bytes = overlayQueryOf(overlay.id, encodeUnion(tonNodeFunction, query))
    const end = peer.begin(kind)
    const keptMs = isPaced ? peer.window.delayMs(udp.clock.now()) : 0
    if (keptMs > 0) await new Promise((resolve) => setTimeout(resolve, keptMs))
    const startedAt = udp.clock.now()
    let inTime = () => {}
    const patience = setTimeout(
      () => {
        inTime = peer.isLate()
        peerIsLate()
      },
      Math.min(hedgeMs, peer.patienceMs(kind)),
    )
    try {
      const answer =
        maxAnswerSize === undefined
          ? await udp.ask(peer.adnl, bytes, timeoutMs)
          : await udp.download(peer.adnl, bytes, { timeoutMs, maxAnswerSize, signal, enough })
      const now = udp.clock.now()
      peer.answered(kind, now - startedAt, answer.length)
      if (isPaced) peer.window.answered(now - startedAt, now)
      this.counts[kind].answered++
      return answer
    } catch (error) {
      if (signal?.aborted) throw error
      if (error === enough?.reason) {
        peer.outrun(kind, udp.clock.now() - startedAt)
        throw error
      }
      this.counts[kind].unanswered++
      if (isPaced) peer.window.failed(startedAt, udp.clock.now())
      peer.failed(udp.clock.now())
      throw error
    } finally {
      clearTimeout(patience)
      inTime()
      end()
      this.turns.next()
      // It may get more at a time than before.
      if (peer.hasRoom(false)) this.turns.next()
    }
  }

  /**
   * The cheapest peer of those not `asked` yet, with some chance for the others. Those that rest come last,
   * and not because others are busy; where there are few peers, or the line is bad, they are better than
   * none.
   */
  private choose(
    { overlay, manner: { kind, chosenBy = kind }, last, urgent = false }: Question<unknown>,
    asked: ReadonlySet<FullNodePeer>,
  ): FullNodePeer | 'busy' | undefined {
    const now = this.network.node.udp.clock.now()
    const left = [...overlay.peers.values()].filter((peer) => !asked.has(peer) && !peer.isBanned(now))
    if (left.length === 0) return undefined
    const ranked = left.map((peer) => ({
      peer,
      rank: Math.max(peer.rank(now), last?.has(peer) ? LAST_RANK : 0),
      cost: peer.cost(chosenBy) * (0.5 + Math.random()),
    }))
    const others = ranked.filter(({ rank }) => rank < LAST_RANK)
    const best = (others.length > 0 ? others : ranked)
      .filter(({ peer }) => peer.hasRoom(urgent))
      .sort((a, b) => a.rank - b.rank || a.cost - b.cost)[0]
    return best?.peer ?? 'busy'
  }
}

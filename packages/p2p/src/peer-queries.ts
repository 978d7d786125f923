import { overlayQueryOf } from '@shardwalk/overlay'
import { encodeUnion, type TonNodeFunction, tonNodeFunction } from '@shardwalk/tl'
import { isFalseData, isUnknownForm, NoPeerAnswered } from './errors.ts'
import type { FullNodeNetwork } from './full-node-network.ts'
import type { FullNodePeer, QueryClass } from './full-node-peer.ts'
import type { JoinedOverlay } from './joined-overlay.ts'

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
}

/** A query, and how long its answer may take. */
export interface Query {
  readonly overlay: JoinedOverlay
  readonly query: TonNodeFunction
  readonly manner: Manner
}

/** A query to several peers, and what of their answers counts. */
export interface Question<T> extends Query {
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
}

/** Numbers of queries and outcomes, by kind. */
export type QueryCounts = Readonly<Record<QueryClass, { answered: number; unanswered: number }>>

/** Asked after all that answer, before those that rest after failures. */
const LAST_RANK = 1.5

const none = () => ({ answered: 0, unanswered: 0 })

/** Sends queries to the best peers, to several if one is slow. */
export class PeerQueries {
  readonly counts: QueryCounts = { short: none(), block: none(), archive: none() }

  constructor(private readonly network: FullNodeNetwork) {}

  /**
   * The first valid answer of several peers. A peer that is late does not delay it: the next one is asked as
   * well, as soon as there is one. Throws `NoPeerAnswered`.
   */
  first<T>(question: Question<T>): Promise<T> {
    return new FirstAnswer(
      question,
      (asked) => this.choose(question, asked),
      (peer, peerIsLate) => this.tryPeer(peer, question, peerIsLate),
    ).wait()
  }

  private async tryPeer<T>(
    peer: FullNodePeer,
    question: Question<T>,
    peerIsLate: () => void,
  ): Promise<T | undefined> {
    const answer = await this.one(peer, question, { peerIsLate })
    try {
      return await question.read(answer, peer, peerIsLate)
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
    { peerIsLate = () => {}, signal }: OneOptions = {},
  ): Promise<Buffer> {
    const { kind, timeoutMs, hedgeMs, maxAnswerSize } = manner
    const { udp } = this.network.node
    const bytes = overlayQueryOf(overlay.id, encodeUnion(tonNodeFunction, query))
    const startedAt = udp.clock.now()
    let inTime = () => {}
    const patience = setTimeout(
      () => {
        inTime = peer.isLate()
        peerIsLate()
      },
      Math.min(hedgeMs, peer.patienceMs(kind)),
    )
    const end = peer.begin(kind)
    try {
      const answer =
        maxAnswerSize === undefined
          ? await udp.ask(peer.adnl, bytes, timeoutMs)
          : await udp.download(peer.adnl, bytes, { timeoutMs, maxAnswerSize, ...(signal && { signal }) })
      peer.answered(kind, udp.clock.now() - startedAt, answer.length)
      this.counts[kind].answered++
      return answer
    } catch (error) {
      if (signal?.aborted) throw error
      this.counts[kind].unanswered++
      peer.failed(udp.clock.now())
      throw error
    } finally {
      clearTimeout(patience)
      inTime()
      end()
    }
  }

  /**
   * The cheapest peer of those not `asked` yet, with some chance for the others. Those that rest come last:
   * where there are few peers, or the line is bad, they are better than none.
   */
  private choose(
    { overlay, manner: { kind, chosenBy = kind }, last }: Question<unknown>,
    asked: ReadonlySet<FullNodePeer>,
  ): FullNodePeer | undefined {
    const now = this.network.node.udp.clock.now()
    return [...overlay.peers.values()]
      .filter((peer) => !asked.has(peer) && !peer.isBanned(now))
      .map((peer) => ({
        peer,
        rank: Math.max(peer.rank(now), last?.has(peer) ? LAST_RANK : 0),
        cost: peer.cost(chosenBy) * (0.5 + Math.random()),
      }))
      .sort((a, b) => a.rank - b.rank || a.cost - b.cost)[0]?.peer
  }
}

/** One question to peers in turn, until one has answered or all have failed. */
class FirstAnswer<T> {
  private readonly asked = new Set<FullNodePeer>()
  private running = 0
  private notFound = 0
  private isDone = false
  /** Whether peers are late and no other one can be asked. */
  private wantsOthers = false
  private stopListening = () => {}
  private lastError: unknown
  private settle!: { resolve(answer: T): void; reject(error: Error): void }

  constructor(
    private readonly question: Question<T>,
    private readonly choose: (asked: ReadonlySet<FullNodePeer>) => FullNodePeer | undefined,
    private readonly tryPeer: (peer: FullNodePeer, peerIsLate: () => void) => Promise<T | undefined>,
  ) {}

  wait(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject }
      this.stopListening = this.question.overlay.onAdded(() => {
        if (this.wantsOthers) this.askNext()
      })
      this.askNext()
    })
  }

  private askNext(): void {
    if (this.isDone) return
    const peer = this.asked.size < this.question.manner.peers ? this.choose(this.asked) : undefined
    this.wantsOthers = !peer
    if (!peer) {
      if (this.running === 0) this.fail()
      return
    }
    this.asked.add(peer)
    this.running++
    const goOn = () => {
      this.running--
      this.askNext()
    }
    this.tryPeer(peer, () => this.askNext())
      .then(
        (answer) => {
          if (answer !== undefined) this.succeed(answer)
          else this.notFound++
        },
        (error) => {
          this.lastError = error
        },
      )
      .finally(goOn)
  }

  private succeed(answer: T): void {
    this.end()
    this.settle.resolve(answer)
  }

  private end(): void {
    this.isDone = true
    this.stopListening()
  }

  private fail(): void {
    this.end()
    const text = `${this.question.query.kind}: ${this.asked.size} nodes asked`
    this.settle.reject(new NoPeerAnswered(text, { cause: this.lastError, notFound: this.notFound }))
  }
}

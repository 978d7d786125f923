import { NoPeerAnswered } from './errors.ts'
import type { FullNodePeer } from './full-node-peer.ts'
import type { Question } from './peer-queries.ts'
import type { PeerTurns } from './peer-turns.ts'

/**
 * Longer waits for a peer end with an error. At the head another block is wanted by then; history keeps its
 * place among the others, because what asks again goes behind all that came meanwhile.
 */
const MAX_WAIT_MS = { urgent: 10_000, history: 60_000 }

/** What a question needs of the peers that can be asked. */
export interface Asking<T> {
  readonly question: Question<T>
  readonly turns: PeerTurns
  /** The best peer of those not `asked`; `busy` if all have enough to do; undefined if there are none. */
  choose(asked: ReadonlySet<FullNodePeer>): FullNodePeer | 'busy' | undefined
  /** `enough` aborts when another peer has answered. */
  tryPeer(peer: FullNodePeer, peerIsLate: () => void, enough: AbortSignal): Promise<T | undefined>
}

/** The answer to one question: peers are asked in turn, until one has answered or all have failed. */
export class FirstAnswer<T> {
  private readonly asked = new Set<FullNodePeer>()
  private readonly enough = new AbortController()
  private running = 0
  private notFound = 0
  private isDone = false
  /** Whether another peer is wanted, and none can be asked now. */
  private wantsOthers = false
  /** Peers beyond `peers` that may be asked because those before take long. */
  private further = 0
  private furtherLater: NodeJS.Timeout | undefined
  private stopListening = () => {}
  private lastError: unknown
  private settle!: { resolve(answer: T): void; reject(error: Error): void }

  constructor(private readonly asking: Asking<T>) {}

  wait(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject }
      this.stopListening = this.asking.question.overlay.onAdded(() => {
        if (this.wantsOthers) this.askNext()
      })
      this.askNext()
    })
  }

  /** Questions of lower rank are asked first: those at the head, and those that nobody answers yet. */
  get rank(): number {
    return (this.running > 0 ? 2 : 0) + (this.asking.question.urgent ? 0 : 1)
  }

  get maxWaitMs(): number {
    return this.asking.question.urgent ? MAX_WAIT_MS.urgent : MAX_WAIT_MS.history
  }

  /** Asks another peer. Returns whether one is asked; if all have enough to do, it waits for its turn. */
  askNext(): boolean {
    if (this.isDone) return false
    const { question, turns, choose } = this.asking
    const hasLeft = this.asked.size < question.manner.peers + this.further
    const chosen = hasLeft ? choose(this.asked) : undefined
    const isAsked = chosen !== undefined && chosen !== 'busy'
    this.wantsOthers = !isAsked
    if (chosen === 'busy') turns.wait(this)
    else turns.leave(this)
    if (isAsked) this.ask(chosen)
    else if (!chosen && this.running === 0) this.fail(`${this.asked.size} nodes asked`, this.notFound)
    else if (!hasLeft) this.askFurtherLater()
    return isAsked
  }

  /**
   * All may be slow on purpose. Each further one is asked after twice the time, because it may be the own
   * line that is slow.
   */
  private askFurtherLater(): void {
    this.furtherLater ??= setTimeout(
      () => {
        this.furtherLater = undefined
        this.further++
        this.askNext()
      },
      this.asking.question.manner.hedgeMs * 2 ** this.further,
    )
  }

  /** Called when it has waited for too long. Those that were not asked may have what others have not. */
  giveUpWaiting(): void {
    if (this.running > 0) this.asking.turns.wait(this)
    else this.fail('all nodes are busy with other queries', 0)
  }

  private ask(peer: FullNodePeer): void {
    this.asked.add(peer)
    this.running++
    this.asking
      .tryPeer(peer, () => this.askNext(), this.enough.signal)
      .then(
        (answer) => {
          if (answer !== undefined) this.succeed(answer)
          else this.notFound++
        },
        (error) => {
          this.lastError = error
        },
      )
      .finally(() => {
        this.running--
        this.askNext()
      })
  }

  private succeed(answer: T): void {
    this.end()
    this.settle.resolve(answer)
    this.enough.abort(new NoPeerAnswered('another node has answered'))
  }

  private fail(why: string, notFound: number): void {
    this.end()
    const text = `${this.asking.question.query.kind}: ${why}`
    this.settle.reject(new NoPeerAnswered(text, { cause: this.lastError, notFound }))
  }

  private end(): void {
    this.isDone = true
    clearTimeout(this.furtherLater)
    this.asking.turns.leave(this)
    this.stopListening()
  }
}

/** A question that waits until a peer has less to do. */
interface Waiting {
  /** Lower ranks go first. */
  readonly rank: number
  /** Milliseconds after which it is asked whether it gives up. */
  readonly maxWaitMs: number
  /** Whether a peer is asked now. */
  askNext(): boolean
  giveUpWaiting(): void
}

/**
 * Questions that wait because all peers have enough to do. Asked all at once, each would get so small a share
 * of a slow line or a busy processor that none is answered in time.
 */
export class PeerTurns {
  /** In the order in which they came. */
  private readonly waiting = new Map<Waiting, NodeJS.Timeout>()

  /** One that waits already keeps its place. */
  wait(question: Waiting): void {
    if (this.waiting.has(question)) return
    const late = () => {
      this.waiting.delete(question)
      question.giveUpWaiting()
    }
    this.waiting.set(question, setTimeout(late, question.maxWaitMs))
  }

  leave(question: Waiting): void {
    clearTimeout(this.waiting.get(question))
    this.waiting.delete(question)
  }

  /** To be called when a peer has become free: the first question that can use it is asked. */
  next(): void {
    const inOrder = [...this.waiting.keys()].sort((a, b) => a.rank - b.rank)
    for (const question of inOrder) if (question.askNext()) return
  }
}

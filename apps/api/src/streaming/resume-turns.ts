import { FairQueue, sleep } from '@shardwalk/concurrency'

/** How long a read waits for blocks that are being told. Milliseconds. */
const PATIENCE_MS = 250

export interface LiveNews {
  /** Resolves when no block is being told. */
  untilTold(): Promise<void>
}

/**
 * Turns at reading history for connections that resume. One piece is read at a time, and none begins while a
 * block is told, so that live events wait for one piece at most. Clients take turns.
 */
export class ResumeTurns {
  private readonly queue = new FairQueue<() => void>()
  private isTaken = false

  constructor(
    private readonly live: LiveNews,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Pieces that wait. */
  get waiting(): number {
    return this.queue.length
  }

  async take<T>(client: string, read: () => Promise<T>): Promise<T> {
    if (this.isTaken)
      await new Promise<void>((resolve) => {
        this.queue.push(resolve, { client })
      })
    this.isTaken = true
    try {
      await this.untilQuiet()
      return await read()
    } finally {
      const next = this.queue.take()
      if (next) next()
      else this.isTaken = false
    }
  }

  /** Blocks may follow each other without a pause, and then history has to go on as well. */
  private async untilQuiet(): Promise<void> {
    const over = new AbortController()
    await Promise.race([this.live.untilTold(), sleep(this.patienceMs, over.signal)])
    over.abort()
  }
}

import { FairTurns, sleep } from '@shardwalk/concurrency'

/** How long a read waits for blocks that are being published. Milliseconds. */
const PATIENCE_MS = 250

/** Whether live events are being published. */
export interface LiveProgress {
  /** Resolves when no block is being published. */
  untilPublished(): Promise<void>
}

/**
 * Turns at reading history for connections that resume. One piece is read at a time, and none begins while a
 * block is published, so that live events wait for one piece at most. Clients take turns.
 */
export class ResumeTurns {
  private readonly turns = new FairTurns(1)

  constructor(
    private readonly live: LiveProgress,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  /** Pieces that wait. */
  get waiting(): number {
    return this.turns.waiting
  }

  take<T>(client: string, read: () => Promise<T>): Promise<T> {
    const work = async () => {
      await this.untilQuiet()
      return read()
    }
    return this.turns.run(work, { client })
  }

  /** Blocks may follow each other without a pause, and then history has to go on as well. */
  private async untilQuiet(): Promise<void> {
    const over = new AbortController()
    await Promise.race([this.live.untilPublished(), sleep(this.patienceMs, over.signal)])
    over.abort()
  }
}

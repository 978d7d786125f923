import { withDeadline } from '@shardwalk/concurrency'
import { DatabaseSilent, type Db } from '@shardwalk/db'
import type { HeadCache } from '@shardwalk/queries'

/** Whose head does not come within this time is passed over while there are others. Milliseconds. */
const PATIENCE_MS = 400
/** A server may be slow when no other one answers. Milliseconds. */
const LONG_PATIENCE_MS = 2_500

/** One of the databases with the same content, each as far as its replication is. */
export class Replica {
  /** Requests that it answers at the moment. */
  running = 0
  /** False from a failure until it answers again. */
  isUp = true
  /** Newest masterchain block when it was last read; 0: none was seen. */
  newest = 0

  constructor(
    /** Host, port and database, for logs and metrics. */
    readonly name: string,
    readonly db: Db,
    readonly head: HeadCache,
  ) {}

  /**
   * Newest indexed masterchain block, at most 100 ms old; 0: nothing is indexed. Rejects if it is away.
   * `last`: there is no other one to go to.
   */
  newestBlock({ last = false } = {}): Promise<number> {
    return this.note(this.head.read(), last ? LONG_PATIENCE_MS : PATIENCE_MS)
  }

  /** The same at this moment. The only way back for a replica that was away. */
  async probe(): Promise<number> {
    const newest = await this.note(this.head.readNow(), LONG_PATIENCE_MS)
    this.isUp = true
    return newest
  }

  private async note(reading: ReturnType<HeadCache['read']>, patienceMs: number): Promise<number> {
    try {
      const { range } = await withDeadline(reading, patienceMs, () => new DatabaseSilent(patienceMs))
      this.newest = range?.to ?? 0
      return this.newest
    } catch (error) {
      this.isUp = false
      throw error
    }
  }
}

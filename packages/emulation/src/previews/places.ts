import { FairTurns } from '@shardwalk/concurrency'
import { IndexerError } from '@shardwalk/model'

/** How long a place is waited for: longer than a machine that stalls takes to catch up. Milliseconds. */
const WAIT_MS = 2_000
/** Requests that wait, for each place. */
const WAITING_PER_PLACE = 16

/** As many emulations are in progress as there may be: of the client, or of all clients together. */
export class NoPlaceFree extends IndexerError {
  readonly code = 'no_place_free'
  readonly retry = 'later'

  constructor(readonly whose: 'client' | 'all') {
    super('too many emulations in progress')
  }
}

/**
 * Bounds the emulations in progress: all of them, and to half of that those of one client. They share the
 * threads run by run, so that more of them would only be slower together. Others wait for a while.
 */
export class Places {
  /** Also those that wait. */
  private readonly taken = new Map<string, number>()
  private readonly turns: FairTurns

  constructor(private readonly most: number) {
    const refusal = () => new NoPlaceFree('all')
    this.turns = new FairTurns(most, { waiting: WAITING_PER_PLACE * most, ms: WAIT_MS, refusal })
  }

  /** Emulations in progress. */
  get count(): number {
    return this.turns.running
  }

  /** Rejects with `NoPlaceFree` when no place gets free in time, or the client has all of its own. */
  async hold<T>(client: string, work: () => Promise<T>): Promise<T> {
    const own = this.taken.get(client) ?? 0
    if (own >= Math.ceil(this.most / 2)) throw new NoPlaceFree('client')
    this.taken.set(client, own + 1)
    try {
      return await this.turns.run(work, { client })
    } finally {
      const left = this.taken.get(client)! - 1
      if (left > 0) this.taken.set(client, left)
      else this.taken.delete(client)
    }
  }
}

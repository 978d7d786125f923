import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import {
  applyWatch,
  type DatabaseHandle,
  decideTraces,
  queueStoredTraces,
  type WatchSubject,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'

interface ForgettingOptions {
  readonly database: DatabaseHandle
  /** Undefined: everything is kept. */
  readonly watch?: readonly WatchSubject[] | undefined
  readonly log: Logger
}

/** Traces decided in one transaction. */
const TRACES = 500
const IDLE_MS = 1_000

/** Forgets traces that concern nothing that `WATCH` names. */
export class Forgetting implements Part {
  private constructor(private readonly options: ForgettingOptions) {}

  /** Before anything is indexed: puts the setting into force. Undefined if everything is kept. */
  static async begin(options: ForgettingOptions): Promise<Forgetting | undefined> {
    const { database, watch = [], log } = options
    const { added, removed } = await applyWatch(database.pool, watch)
    if (added.length + removed.length > 0)
      log.info('WATCH changed: "shardwalk status" says which blocks lack what is new', { added, removed })
    return watch.length > 0 ? new Forgetting(options) : undefined
  }

  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.options
    const onError = (error: unknown) => log.warn('deciding what to keep failed', { error })
    const step = async () => {
      const { looked } = await decideTraces(database.pool, { limit: TRACES })
      if (looked > 0) return
      if (!(await queueStoredTraces(database.pool))) await sleep(IDLE_MS, signal)
    }
    await loopUntilAborted(step, { signal, onError })
  }
}

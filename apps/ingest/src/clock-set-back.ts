import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { DatabaseClock, type DatabaseHandle, makeDueAfterSetBack, moveDueTimes } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'

interface ClockSetBackOptions {
  readonly database: DatabaseHandle
  readonly log: Logger
}

const CHECK_EVERY_MS = 60_000

/** Makes queued work due again after the clock of the database was set back. */
export class ClockSetBack implements Part {
  constructor(private readonly options: ClockSetBackOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.options
    const onError = (error: unknown) => log.warn('looking for a clock that was set back failed', { error })
    const clock = new DatabaseClock(database.pool)
    let seconds = 0
    const step = async () => {
      seconds += await clock.setBackSeconds()
      const moved = seconds > 0 ? await moveDueTimes(database.pool, seconds) : 0
      seconds = 0
      const entries = moved + (await makeDueAfterSetBack(database.pool))
      if (entries > 0) log.warn('the clock of PostgreSQL was set back; its queues go on', { entries })
      await sleep(CHECK_EVERY_MS, signal)
    }
    await loopUntilAborted(step, { signal, onError })
  }
}

import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { type DatabaseHandle, findMasterchainTime, findProvedBlock } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'

interface ClockBehindChainOptions {
  readonly database: Pick<DatabaseHandle, 'db'>
  readonly log: Logger
  /** Default: the clock of this machine. Unix seconds. */
  readonly unixTime?: () => number
  /** Default: 30 seconds. */
  readonly everyMs?: number
}

const EVERY_MS = 30_000
const WARN_EVERY_MS = 600_000
/** Clocks of validators differ by less. Seconds. */
const TOLERATED = 5

/**
 * Reports a clock that is behind the time of a block that validators have signed, which no source of blocks
 * could make up. By how much more it is behind cannot be known from that.
 */
export class ClockBehindChain implements Part {
  constructor(private readonly options: ClockBehindChainOptions) {}

  run(signal: AbortSignal): Promise<void> {
    const { database, log, everyMs = EVERY_MS, unixTime = () => Date.now() / 1_000 } = this.options
    let warnedAt = Number.NEGATIVE_INFINITY
    const step = async () => {
      const proved = await findProvedBlock(database.db)
      const time = await findMasterchainTime(database.db, proved?.seqno)
      const behind = time === undefined ? 0 : time - unixTime()
      if (behind > TOLERATED && performance.now() - warnedAt >= WARN_EVERY_MS) {
        warnedAt = performance.now()
        log.warn('the clock of this machine is behind the chain: set it', {
          seconds_at_least: Math.floor(behind),
        })
      }
      await sleep(everyMs, signal)
    }
    const onError = (error: unknown) => log.warn('the clock was not compared with the chain', { error })
    return loopUntilAborted(step, { signal, onError })
  }
}

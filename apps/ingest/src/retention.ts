import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import {
  type DatabaseHandle,
  enforceRetention,
  forgetRetention,
  oneAtATime,
  type RetentionRule,
  readRetainedFrom,
} from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { Part } from './part.ts'

export interface RetentionOptions {
  readonly database: DatabaseHandle
  /** Undefined: everything is kept. */
  readonly rule: RetentionRule | undefined
  readonly log: Logger
}

const PASS_EVERY_MS = 60_000
/** Milliseconds between passes while it is not known what is kept. */
const CHECK_EVERY_MS = 2_000

/** Drops what `RETENTION` does not keep, in one process at a time. */
export class Retention implements Part {
  /** First masterchain block to index; undefined: all of them, or that is not known yet. */
  first: number | undefined

  constructor(private readonly options: RetentionOptions) {}

  async run(signal: AbortSignal): Promise<void> {
    const { log, rule } = this.options
    const onError = (error: unknown) => log.warn('retention failed', { error })
    let isForgotten = false
    const step = async () => {
      if (rule) return this.pass(rule, signal)
      if (!isForgotten) isForgotten = await this.forget(signal)
      await sleep(PASS_EVERY_MS, signal)
    }
    await loopUntilAborted(step, { signal, onError })
  }

  /** Until what was being dropped is gone, nothing of it is indexed. */
  private async forget(signal: AbortSignal): Promise<boolean> {
    const { database } = this.options
    this.first = await readRetainedFrom(database.db)
    const isForgotten = await oneAtATime(database.pool, 'retention', () => forgetRetention(database, signal))
    if (isForgotten) this.first = undefined
    return isForgotten ?? false
  }

  private async pass(rule: RetentionRule, signal: AbortSignal): Promise<void> {
    const { database, log } = this.options
    this.first ??= await readRetainedFrom(database.db)
    const result = await oneAtATime(database.pool, 'retention', () =>
      enforceRetention(database, rule, signal),
    )
    if (result && (result.cutAt !== undefined || result.deleted > 0))
      log.info('old blocks dropped', { first_kept: result.cutAt, rows_deleted: result.deleted })
    this.first = await readRetainedFrom(database.db)
    await sleep(this.first === undefined ? CHECK_EVERY_MS : PASS_EVERY_MS, signal)
  }
}

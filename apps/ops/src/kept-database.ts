import { sleep } from '@shardwalk/concurrency'
import { lacksSpace, takesNoWrites } from '@shardwalk/embedded-postgres'
import type { Logger } from '@shardwalk/observability'
import { type DatabasePlace, type OpenDatabase, openDatabase } from './database.ts'
import { FullDisk } from './full-disk.ts'
import { RestartPolicy } from './restart-policy.ts'
import { untilSpace } from './until-space.ts'

export interface KeptDatabaseOptions {
  readonly log: Logger
  readonly signal: AbortSignal
}

/** How often free space is checked. */
const CHECK_MS = 5_000

/** A database that stays open as long as the process runs: an embedded server that exits is started again. */
export class KeptDatabase {
  private current: OpenDatabase | undefined
  private readonly fullDisk: FullDisk
  private fail: (error: unknown) => void = () => {}

  /** Rejects when the server ended and cannot be started again. */
  readonly lost = new Promise<never>((_, reject) => {
    this.fail = reject
  })

  constructor(
    private readonly place: DatabasePlace,
    private readonly options: KeptDatabaseOptions,
  ) {
    this.fullDisk = new FullDisk(place.dataDir, options.log)
  }

  /** Opens it; waits while the disk is full. */
  async open(): Promise<OpenDatabase> {
    const policy = new RestartPolicy()
    const first = await this.start(policy, undefined, false)
    this.current = first
    if (first.embedded) {
      this.keepRunning(policy, Number(new URL(first.url).port)).catch(this.fail)
      void this.watchSpace()
    }
    return first
  }

  async stop(): Promise<void> {
    await this.current?.stop()
  }

  /** Runs idempotent work on the open database; repeats it while the disk is full. */
  untilSpace<T>(work: () => Promise<T>): Promise<T> {
    const isEmbedded = this.current?.embedded ?? false
    return untilSpace(work, {
      // A server without space ends, and its clients only see that it is gone.
      isFull: async (error) => takesNoWrites(error) || (isEmbedded && (await lacksSpace(this.place.dataDir))),
      onFull: (error) => this.fullDisk.report(error),
      signal: this.options.signal,
    })
  }

  private async keepRunning(policy: RestartPolicy, port: number): Promise<void> {
    const { log, signal } = this.options
    for (;;) {
      const startedAt = performance.now()
      await this.current?.exited
      if (signal.aborted) return
      const delayMs = policy.afterEnd(performance.now() - startedAt)
      log.warn('embedded PostgreSQL ended', { restart_in_ms: delayMs })
      // Release the old server's lock, which this process holds, so that the new one can take it.
      await this.current?.stop().catch(() => {})
      await sleep(delayMs, signal)
      if (signal.aborted) return
      this.current = await this.start(policy, port, true)
    }
  }

  /** Retries, because the server may be killed while it starts, or the disk may be full or read-only. */
  private async start(
    policy: RestartPolicy,
    port: number | undefined,
    again: boolean,
  ): Promise<OpenDatabase> {
    const { log, signal } = this.options
    const onNotice = (text: string) => log.warn('embedded PostgreSQL', { notice: text })
    for (;;)
      try {
        return await openDatabase(this.place, { ...(port && { port }), again, onNotice, log, signal })
      } catch (error) {
        const diskFull = takesNoWrites(error)
        const delayMs = diskFull || again ? policy.afterFailure({ diskFull }) : undefined
        if (delayMs === undefined || signal.aborted) throw error
        if (diskFull) await this.fullDisk.report(error)
        else log.warn('embedded PostgreSQL did not start', { error })
        await sleep(delayMs, signal)
      }
  }

  /** The server reports a full disk only in its log; to clients it appears unavailable. */
  private async watchSpace(): Promise<void> {
    const { signal } = this.options
    for (; !signal.aborted; await sleep(CHECK_MS, signal))
      if (await lacksSpace(this.place.dataDir)) await this.fullDisk.report()
  }
}

import { realTime, type Time } from '@shardwalk/concurrency'
import type { HeadFirst } from '@shardwalk/exports/head-first'
import type { Response } from 'express'
import { breakOff } from './break-off.ts'
import { HttpError } from './errors.ts'

/** Rows that an export reads at a time: alone, and while there are other requests, which wait behind it. */
export const EXPORT_ROWS = 500
const FEWER_ROWS = 100
/** As long after a request others are expected. Milliseconds. */
const BUSY_MS = 1_000
/** Longest export: it is broken off. Milliseconds. */
const MOST_MS = 600_000
/** After this time an export whose reader looks for its end comes to one. Milliseconds. */
export const ENOUGH_MS = 480_000
const RETRY_SECONDS = 10

export interface ExportPaceOptions {
  readonly head: Pick<HeadFirst, 'turn'>
  /** False: exports read on whatever else there is to do. */
  readonly givesWay: boolean
}

/** Exports leave time to indexing and to other requests. */
export class ExportPace {
  private lastAt = Number.NEGATIVE_INFINITY
  private previousAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly options: ExportPaceOptions,
    private readonly time: Time = realTime,
  ) {}

  /** There is a request. */
  note(): void {
    this.previousAt = this.lastAt
    this.lastAt = this.time.now()
  }

  /** The request that was noted is an export, which does not give way to itself. */
  noteExport(): void {
    this.lastAt = this.previousAt
  }

  /** Rows to read next. */
  get rows(): number {
    return this.isBusy() ? FEWER_ROWS : EXPORT_ROWS
  }

  /** Between two reads, of which the first one took `ms`. Rejects when `signal` is aborted. */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    if (this.isBusy()) await this.time.sleep(Math.min(ms, BUSY_MS), signal)
    await this.options.head.turn(signal)
    signal.throwIfAborted()
  }

  private isBusy(): boolean {
    return this.options.givesWay && this.time.now() - this.lastAt < BUSY_MS
  }
}

/** Few exports run at once in a process, and none for ever. */
export class ExportPlaces {
  private taken = 0

  constructor(private readonly places: number) {}

  /** Throws `HttpError` 429 if all places are taken. An export that takes too long is broken off. */
  async hold(response: Response, work: () => Promise<void>): Promise<void> {
    if (this.taken >= this.places)
      throw new HttpError(429, `${this.places} exports are running; try again later`, {
        'Retry-After': String(RETRY_SECONDS),
      })
    this.taken++
    const timer = setTimeout(() => breakOff(response), MOST_MS)
    try {
      await work()
    } finally {
      clearTimeout(timer)
      this.taken--
    }
  }
}

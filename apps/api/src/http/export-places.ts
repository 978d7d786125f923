import type { Response } from 'express'
import { HttpError } from './errors.ts'

/** Longest export. Milliseconds. */
const MOST_MS = 600_000
const RETRY_SECONDS = 10

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
    const timer = setTimeout(() => response.destroy(), MOST_MS)
    try {
      await work()
    } finally {
      clearTimeout(timer)
      this.taken--
    }
  }
}

import { IndexerError } from '@shardwalk/model'
import { RoundTrip } from './round-trip.ts'

/** The peer has not answered. Nodes answer what they refuse or do not know with silence. */
class NoAnswer extends IndexerError {
  readonly code = 'adnl_no_answer'
  readonly retry = 'later'
}

/** Queries to one peer that wait at a time. */
const MAX_OPEN = 256
/**
 * Least number of times, roughly, that a query is sent before its end, even if the round trip is
 * overestimated, as it is at first, when both sides are busy with keys. With 30 % loss in both directions,
 * one query in 200 gets no answer.
 */
const LEAST_ATTEMPTS = 8
/** A query is repeated only after this multiple of the usual round trip. */
const USUAL = 1.5
/** What is waited for an answer that shows how long answers take now. */
const PATIENT = 1.25
const MAX_PATIENCE_MS = 2_000

/**
 * A query that is about to be sent. `id`: 32 random bytes, which the answer repeats. `bytes`: without its id.
 */
export interface NewQuery {
  readonly id: Buffer
  readonly bytes: Buffer
  readonly onLate?: OnLate | undefined
}

interface OpenQuery {
  readonly id: Buffer
  readonly bytes: Buffer
  readonly sentAt: number
  readonly timeoutMs: number
  readonly expiresAt: number
  /** How often it was sent. */
  attempts: number
  againAt: number
  readonly onLate: () => void
  resolve(answer: Buffer): void
  reject(error: Error): void
}

/** Called once, when an answer is late: by then others have usually answered. */
export type OnLate = () => void

/**
 * Queries to one peer that wait for answers. Datagrams are lost: a query is sent again when answers have
 * usually arrived, and then ever later.
 */
export class OpenQueries {
  private readonly open = new Map<string, OpenQuery>()
  private readonly roundTrip = new RoundTrip()
  /** How long a repeated query took at most; undefined once another has waited for that. */
  private guessMs: number | undefined

  get size(): number {
    return this.open.size
  }

  /** Rejects with `NoAnswer` after `timeoutMs`. `now`: monotonic milliseconds. */
  add({ id, bytes, onLate = () => {} }: NewQuery, now: number, timeoutMs: number): Promise<Buffer> {
    if (this.open.size >= MAX_OPEN) return Promise.reject(new NoAnswer('too many queries wait for this peer'))
    return new Promise((resolve, reject) => {
      const againAt = now + this.firstPauseMs(timeoutMs)
      const expiresAt = now + timeoutMs
      const ends = { onLate, resolve, reject }
      const query = { id, bytes, sentAt: now, timeoutMs, expiresAt, attempts: 1, againAt, ...ends }
      this.open.set(id.toString('latin1'), query)
    })
  }

  /**
   * Answers to repeated queries measure nothing. So that a line that has become slow is measured at all, one
   * query after such an answer waits as long as that took.
   */
  private firstPauseMs(timeoutMs: number): number {
    const { guessMs = 0 } = this
    this.guessMs = undefined
    return Math.max(this.pauseMs(timeoutMs, 0), Math.min(MAX_PATIENCE_MS, guessMs * PATIENT))
  }

  /** Milliseconds from one attempt to the next, if there were `repeats` before. */
  private pauseMs(timeoutMs: number, repeats: number): number {
    const { timeoutMs: lateMs, meanMs = 0 } = this.roundTrip
    return Math.min(lateMs * 2 ** repeats, Math.max(timeoutMs / LEAST_ATTEMPTS, meanMs * USUAL))
  }

  answer(id: Buffer, answer: Buffer, now: number): void {
    const key = id.toString('latin1')
    const query = this.open.get(key)
    if (!query) return
    this.open.delete(key)
    // With more attempts it is unknown which one was answered.
    if (query.attempts === 1) this.roundTrip.sample(now - query.sentAt)
    else this.guessMs = now - query.sentAt
    query.resolve(answer)
  }

  /** Queries that wait, to be sent again. */
  list(): readonly Pick<OpenQuery, 'id' | 'bytes'>[] {
    return [...this.open.values()]
  }

  /** Queries whose datagram or answer is probably lost. They count as sent again. */
  takeLost(now: number): readonly Pick<OpenQuery, 'id' | 'bytes'>[] {
    if (this.open.size === 0) return []
    const lost = [...this.open.values()].filter(({ againAt }) => now >= againAt)
    for (const query of lost) {
      if (query.attempts === 1) query.onLate()
      query.againAt = now + this.pauseMs(query.timeoutMs, query.attempts++)
    }
    return lost
  }

  expire(now: number): void {
    for (const [key, { expiresAt, reject }] of this.open)
      if (now >= expiresAt) {
        this.open.delete(key)
        reject(new NoAnswer('no answer in time'))
      }
  }

  close(): void {
    this.expire(Number.POSITIVE_INFINITY)
  }
}

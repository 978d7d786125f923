import { IndexerError } from '@shardwalk/model'
import { RoundTrip } from './round-trip.ts'

/** The peer has not answered. Nodes answer what they refuse or do not know with silence. */
export class NoAnswer extends IndexerError {
  readonly code = 'adnl_no_answer'
  readonly retry = 'later'
}

/** Queries to one peer that wait at a time. */
const MAX_OPEN = 256

interface OpenQuery {
  readonly id: Buffer
  readonly bytes: Buffer
  readonly sentAt: number
  readonly expiresAt: number
  /** How often it was sent. */
  attempts: number
  againAt: number
  resolve(answer: Buffer): void
  reject(error: Error): void
}

/**
 * Queries to one peer that wait for answers. Datagrams are lost: a query is sent again when answers have
 * usually arrived, and then ever later.
 */
export class OpenQueries {
  private readonly open = new Map<string, OpenQuery>()
  private readonly roundTrip = new RoundTrip()

  get size(): number {
    return this.open.size
  }

  /** Rejects with `NoAnswer` after `timeoutMs`. `now`: monotonic milliseconds. */
  add(id: Buffer, bytes: Buffer, now: number, timeoutMs: number): Promise<Buffer> {
    if (this.open.size >= MAX_OPEN) return Promise.reject(new NoAnswer('too many queries wait for this peer'))
    return new Promise((resolve, reject) => {
      const againAt = now + this.roundTrip.timeoutMs
      const expiresAt = now + timeoutMs
      const query = { id, bytes, sentAt: now, expiresAt, attempts: 1, againAt, resolve, reject }
      this.open.set(id.toString('latin1'), query)
    })
  }

  answer(id: Buffer, answer: Buffer, now: number): void {
    const key = id.toString('latin1')
    const query = this.open.get(key)
    if (!query) return
    this.open.delete(key)
    // Of the others nobody knows which attempt was answered.
    if (query.attempts === 1) this.roundTrip.sample(now - query.sentAt)
    query.resolve(answer)
  }

  /** Those that wait, to be sent again. */
  list(): readonly Pick<OpenQuery, 'id' | 'bytes'>[] {
    return [...this.open.values()]
  }

  /** Those of which the datagram, or its answer, is probably lost. They count as sent again. */
  takeLost(now: number): readonly Pick<OpenQuery, 'id' | 'bytes'>[] {
    if (this.open.size === 0) return []
    const lost = [...this.open.values()].filter(({ againAt }) => now >= againAt)
    for (const query of lost) query.againAt = now + this.roundTrip.timeoutMs * 2 ** query.attempts++
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

import { IndexerError } from '@shardwalk/model'

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
  readonly expiresAt: number
  resolve(answer: Buffer): void
  reject(error: Error): void
}

/** Queries to one peer that wait for answers. */
export class OpenQueries {
  private readonly open = new Map<string, OpenQuery>()

  get size(): number {
    return this.open.size
  }

  /** Rejects with `NoAnswer` at `expiresAt`, in monotonic milliseconds. */
  add(id: Buffer, bytes: Buffer, expiresAt: number): Promise<Buffer> {
    if (this.open.size >= MAX_OPEN) return Promise.reject(new NoAnswer('too many queries wait for this peer'))
    return new Promise((resolve, reject) => {
      this.open.set(id.toString('latin1'), { id, bytes, expiresAt, resolve, reject })
    })
  }

  answer(id: Buffer, answer: Buffer): void {
    const key = id.toString('latin1')
    const query = this.open.get(key)
    this.open.delete(key)
    query?.resolve(answer)
  }

  /** Those that wait, to be sent again. */
  list(): readonly Pick<OpenQuery, 'id' | 'bytes'>[] {
    return [...this.open.values()]
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

import { HttpError } from '../http/errors.ts'

/**
 * Bounds the emulations in progress: all of them, and to half of that those of one client. They share the
 * threads run by run, so that more of them would only be slower together.
 */
export class Places {
  private readonly taken = new Map<string, number>()
  private all = 0

  constructor(private readonly most: number) {}

  /** Emulations in progress. */
  get count(): number {
    return this.all
  }

  /** Throws `HttpError` 503 when there is no place, 429 when the client has all of its own. */
  async hold<T>(client: string, work: () => Promise<T>): Promise<T> {
    const own = this.taken.get(client) ?? 0
    if (this.all >= this.most) throw refused(503)
    if (own >= Math.ceil(this.most / 2)) throw refused(429)
    this.all++
    this.taken.set(client, own + 1)
    try {
      return await work()
    } finally {
      this.all--
      const left = this.taken.get(client)! - 1
      if (left > 0) this.taken.set(client, left)
      else this.taken.delete(client)
    }
  }
}

const refused = (status: 429 | 503): HttpError =>
  new HttpError(status, 'too many emulations in progress', { 'Retry-After': '1' })

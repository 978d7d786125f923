import { compareDistance } from './keys.ts'
import type { DhtServer } from './server.ts'

export interface LookupOptions {
  /** Of what is looked for: 32 bytes. */
  readonly keyId: Buffer
  /** Closest servers that must have been asked before the lookup ends. */
  readonly k: number
  /** Servers asked at a time, besides those that are late. */
  readonly a: number
  readonly start: readonly DhtServer[]
  /**
   * Asks a server; the closer servers it knows. Undefined: enough is found, the lookup ends. `onLate` is to
   * be called when the answer takes long.
   */
  readonly ask: (server: DhtServer, onLate: () => void) => Promise<readonly DhtServer[] | undefined>
}

interface Candidate {
  readonly server: DhtServer
  state: 'known' | 'asked' | 'answered' | 'failed'
}

/** Candidates that are kept, as multiples of k. */
const KEPT = 4

/**
 * Asks ever closer servers. Errors of a server only exclude it, and the next closest takes the place of one
 * that is late: many servers are silent.
 */
export class Lookup {
  private readonly candidates: Candidate[] = []
  private readonly names = new Set<string>()
  private running = 0
  /** Of these, those that are not waited for with others. */
  private readonly late = new Set<Candidate>()
  private isOver = false
  private end!: () => void

  constructor(private readonly options: LookupOptions) {
    this.add(options.start)
  }

  /** Resolves when `ask` has ended the look-up, or no server is left to ask or to wait for. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      this.end = resolve
      this.goOn()
    })
  }

  private goOn(): void {
    for (let next = this.next(); next; next = this.next()) void this.askOne(next)
    if (this.running === 0) this.finish()
  }

  private finish(): void {
    this.isOver = true
    this.end()
  }

  /** The closest that was not asked, among the k closest that may answer soon. */
  private next(): Candidate | undefined {
    if (this.isOver || this.running - this.late.size >= this.options.a) return undefined
    return this.candidates
      .filter((candidate) => candidate.state !== 'failed' && !this.late.has(candidate))
      .slice(0, this.options.k)
      .find(({ state }) => state === 'known')
  }

  private async askOne(candidate: Candidate): Promise<void> {
    candidate.state = 'asked'
    this.running++
    candidate.state = await this.outcome(candidate)
    this.late.delete(candidate)
    this.running--
    this.goOn()
  }

  private async outcome(candidate: Candidate): Promise<'answered' | 'failed'> {
    try {
      const closer = await this.options.ask(candidate.server, () => this.isLate(candidate))
      if (closer) this.add(closer)
      else this.finish()
      return 'answered'
    } catch {
      // No answer or an invalid one: the next closest takes its place.
      return 'failed'
    }
  }

  private isLate(candidate: Candidate): void {
    this.late.add(candidate)
    this.goOn()
  }

  private add(servers: readonly DhtServer[]): void {
    const { keyId, k } = this.options
    for (const server of servers) {
      const name = server.id.toString('latin1')
      if (this.names.has(name)) continue
      this.names.add(name)
      this.candidates.push({ server, state: 'known' })
    }
    this.candidates.sort((a, b) => compareDistance(keyId, a.server.id, b.server.id))
    this.candidates.splice(Math.max(KEPT * k, this.options.start.length))
  }
}

import { compareDistance } from './keys.ts'
import type { DhtServer } from './server.ts'

export interface LookupOptions {
  readonly keyId: Buffer
  /** Closest servers that must have been asked before the lookup ends. */
  readonly k: number
  /** Servers asked at a time. */
  readonly a: number
  readonly start: readonly DhtServer[]
  /** Asks a server; the closer servers it knows. Undefined: enough is found, the lookup ends. */
  readonly ask: (server: DhtServer) => Promise<readonly DhtServer[] | undefined>
}

interface Candidate {
  readonly server: DhtServer
  state: 'known' | 'asked' | 'failed'
}

/** Candidates that are kept, as multiples of k. */
const KEPT = 4

/** Asks ever closer servers. Errors of a server only exclude it. */
export class Lookup {
  private readonly candidates: Candidate[] = []
  private readonly names = new Set<string>()
  private running = 0
  private isEnough = false
  private changed!: Promise<void>
  private signalChange!: () => void

  constructor(private readonly options: LookupOptions) {
    this.renewChange()
    this.add(options.start)
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.options.a }, () => this.work()))
  }

  private async work(): Promise<void> {
    for (;;) {
      const next = this.next()
      if (next) await this.askOne(next)
      else if (this.isEnough || this.running === 0) return
      else await this.changed
    }
  }

  /** The closest that was not asked, among the k closest that may answer. */
  private next(): Candidate | undefined {
    if (this.isEnough) return undefined
    const hopeful = this.candidates.filter(({ state }) => state !== 'failed').slice(0, this.options.k)
    return hopeful.find(({ state }) => state === 'known')
  }

  private async askOne(candidate: Candidate): Promise<void> {
    this.running++
    candidate.state = 'asked'
    try {
      const closer = await this.options.ask(candidate.server)
      if (closer) this.add(closer)
      else this.isEnough = true
    } catch {
      // Silence or nonsense: the next closest takes its place.
      candidate.state = 'failed'
    } finally {
      this.running--
      this.signalChange()
      this.renewChange()
    }
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

  private renewChange(): void {
    this.changed = new Promise((resolve) => {
      this.signalChange = resolve
    })
  }
}

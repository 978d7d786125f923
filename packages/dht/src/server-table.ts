import { compareDistance } from './keys.ts'
import type { DhtServer } from './server.ts'

interface Entry {
  readonly server: DhtServer
  /** Queries in a row without an answer; those that were open at the same time count once. */
  failures: number
  /** When the last one was counted. */
  failedAt: number
}

const NEVER_FAILED = { failures: 0, failedAt: Number.NEGATIVE_INFINITY } as const

const MAX_FAILURES = 3

/** The known servers of the hash table. Those of the global config are never removed. */
export class ServerTable {
  private readonly entries = new Map<string, Entry>()
  private readonly permanent = new Set<string>()

  constructor(
    fixed: readonly DhtServer[],
    private readonly max: number,
  ) {
    for (const server of fixed) {
      this.permanent.add(nameOf(server))
      this.entries.set(nameOf(server), { server, ...NEVER_FAILED })
    }
  }

  /** Servers that have not failed repeatedly. */
  get alive(): number {
    return [...this.entries.values()].filter(({ failures }) => failures < MAX_FAILURES).length
  }

  /** The closest to a key, closest first. */
  closest(keyId: Buffer, count: number): DhtServer[] {
    // If none answers, we were offline rather than all of them; those of the config may be gone for ever.
    const isOffline = this.alive === 0
    const isAsked = ({ server, failures }: Entry) =>
      isOffline || failures < MAX_FAILURES || this.permanent.has(nameOf(server))
    return [...this.entries.values()]
      .filter(isAsked)
      .map(({ server }) => server)
      .sort((a, b) => compareDistance(keyId, a.id, b.id))
      .slice(0, count)
  }

  add(server: DhtServer): void {
    const name = nameOf(server)
    const known = this.entries.get(name)
    if (known) {
      // A newer entry may have another address.
      if (server.version > known.server.version) this.entries.set(name, { server, ...NEVER_FAILED })
      return
    }
    if (this.entries.size >= this.max && !this.makeRoom()) return
    this.entries.set(name, { server, ...NEVER_FAILED })
  }

  /** Removes a server that does not answer; false if there is none. */
  private makeRoom(): boolean {
    for (const [name, { failures }] of this.entries)
      if (failures > 0 && !this.permanent.has(name)) return this.entries.delete(name)
    return false
  }

  answered(server: DhtServer): void {
    const entry = this.entries.get(nameOf(server))
    if (entry) entry.failures = 0
  }

  /**
   * Counts a query without an answer that was sent at `askedAt`. Times are milliseconds of one clock. If this
   * process or the line stands still for a moment, all open queries end, which counts once.
   */
  failed(server: DhtServer, { askedAt, now }: { readonly askedAt: number; readonly now: number }): void {
    const entry = this.entries.get(nameOf(server))
    if (!entry || askedAt < entry.failedAt) return
    entry.failures++
    entry.failedAt = now
  }
}

const nameOf = ({ id }: DhtServer): string => id.toString('latin1')

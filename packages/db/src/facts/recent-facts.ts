import type { AccountFacts, Address, OpenTrace } from '@shardwalk/actions'
import type { DnsZone } from '@shardwalk/contracts'
import { RecentMap } from '@shardwalk/model'
import type { Db } from '../database.ts'
import { AddressBook } from './address-book.ts'
import { readDnsZones } from './dns-zones.ts'
import { type KnownFacts, loadFacts, type ReadFacts } from './facts.ts'
import { readerOf } from './facts-of-trace.ts'

/** The tables are seconds behind the chain anyway, so facts of this age are as good. Milliseconds. */
const KEPT_MS = 2_000
const MAX_ACCOUNTS = 5_000
const MAX_ADDRESSES = 20_000

interface Recent {
  /** Undefined: there are none. */
  readonly facts: AccountFacts | undefined
  readonly until: number
}

/** Like `factsOfTrace`, from a cache of facts read a moment ago: for previews of many traces. */
export class RecentFacts {
  private readonly recent = new RecentMap<Address, Recent>(MAX_ACCOUNTS)
  private readonly fromTables: ReadFacts
  private zones: { readonly found: readonly DnsZone[]; readonly until: number } | undefined

  constructor(
    private readonly db: Db,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.fromTables = readerOf(db, new AddressBook(MAX_ADDRESSES))
  }

  of(trace: OpenTrace, known: KnownFacts): Promise<ReadonlyMap<Address, AccountFacts>> {
    return loadFacts(this.read, [trace], known)
  }

  /** As `readDnsZones`. */
  async dnsZones(): Promise<readonly DnsZone[]> {
    const now = this.now()
    if (!this.zones || this.zones.until <= now)
      this.zones = { found: await readDnsZones(this.db), until: now + KEPT_MS }
    return this.zones.found
  }

  private readonly read: ReadFacts = async (addresses, withData) => {
    const now = this.now()
    const found = new Map<Address, AccountFacts>()
    const missing: Address[] = []
    for (const address of addresses) {
      const known = this.recent.get(address)
      // Data cells may be large, and few traces need them.
      if (!known || known.until <= now || withData.has(address)) missing.push(address)
      else if (known.facts) found.set(address, known.facts)
    }
    if (missing.length === 0) return found
    const read = await this.fromTables(missing, withData)
    for (const address of missing) {
      const facts = read.get(address)
      if (facts) found.set(address, facts)
      if (!withData.has(address)) this.recent.set(address, { facts, until: now + KEPT_MS })
    }
    return found
  }
}

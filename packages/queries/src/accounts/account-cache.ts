import { interfacesOf } from '@shardwalk/contracts'
import type { Db } from '@shardwalk/db'
import {
  type AccountId,
  deriveAccountId,
  formatRawAddress,
  type RawAddress,
  RecentMap,
} from '@shardwalk/model'
import { sql } from 'kysely'
import { BOOK_EXPRESSIONS, BOOK_TABLES, BOOK_TYPES, type BookRow } from '../address-book/book-rows.ts'
import { KEEP_PLAN, selected, statement } from '../idiom/index.ts'

/** Number of addresses kept per process; about 30 MB. An id is never given to another address. */
const MAX_CACHED = 100_000
/**
 * When the id derived for a new account is taken, it gets one of the next ids. Happens only when an address
 * is generated to collide.
 */
const COLLISION_REACH = 16n
/** From here on the ids within reach end with the last one. */
const LAST_REACHING = 2n ** 63n - 1n - COLLISION_REACH

/** An address in both forms, so that printing it needs no conversion. */
export interface KnownAddress {
  readonly address: RawAddress
  /** `<workchain>:<64 upper-case hex>`. */
  readonly raw: string
}

/** Facts about an account for the address book. */
export interface AccountFacts {
  readonly address: RawAddress
  /** Of the newest state; null for an account without code or one that was never seen. */
  readonly codeHash: Buffer | null
  /** Shortest domain that the account owns and that resolves to it. */
  readonly domain?: string | null
  readonly interfaces?: readonly string[]
}

/** The accounts that the rows of a reply refer to. */
export interface AddressDirectory {
  /** Throws when the id has not been loaded. */
  get(id: AccountId): KnownAddress
  /** Returns facts only for ids loaded with states. */
  entry(id: AccountId): AccountFacts
}

interface StoredAddress {
  readonly id: AccountId
  readonly workchain: number
  readonly address: Buffer
}

interface Identified extends Pick<KnownAddress, 'raw'> {
  readonly id: AccountId
}

const BOOK = statement<BookRow>('address book', BOOK_TYPES)
const BOOK_COLUMNS = selected('a', BOOK_TYPES, BOOK_EXPRESSIONS)
const HOLDERS = statement<StoredAddress>('holders of derived ids', {
  id: 'int8',
  workchain: 'int4',
  address: 'bytea',
})

/** Accounts by id and by address, cached. */
export class AccountCache {
  private readonly byId = new RecentMap<AccountId, KnownAddress>(MAX_CACHED)
  private readonly byAddress = new RecentMap<string, AccountId>(MAX_CACHED)

  /**
   * Ids of those addresses that have been seen, in the order given, without duplicates. Index: primary key.
   */
  async idsOf(db: Db, addresses: readonly RawAddress[]): Promise<AccountId[]> {
    // Loading the unknown ones may evict the others from the cache.
    const found = new Map<string, AccountId>()
    const unknown = new Map<string, RawAddress>()
    const texts = addresses.map(formatRawAddress)
    for (const [index, raw] of texts.entries()) {
      const id = this.byAddress.get(raw)
      if (id === undefined) unknown.set(raw, addresses[index]!)
      else found.set(raw, id)
    }
    if (unknown.size > 0) for (const { id, raw } of await this.resolve(db, unknown)) found.set(raw, id)
    const ids = texts.map((raw) => found.get(raw))
    return [...new Set(ids.filter((id) => id !== undefined))]
  }

  async idOf(db: Db, address: RawAddress): Promise<AccountId | undefined> {
    return (await this.idsOf(db, [address]))[0]
  }

  /**
   * Loads the addresses of ids, and with `states` also the facts for an address book. Index: that of
   * `BOOK_TABLES`.
   */
  async load(
    db: Db,
    ids: Iterable<AccountId>,
    options: { readonly states: boolean },
  ): Promise<AddressDirectory> {
    const unique = new Set(ids)
    const cached = options.states ? NONE : this.cached(unique)
    const wanted = [...unique].filter((id) => !cached.has(id))
    if (wanted.length === 0) return this.directory([], cached)
    // Raw: an array of ids is a single parameter whatever its length, so that the plan is kept.
    const rows = await BOOK.rows(
      db,
      sql`${KEEP_PLAN} with ids as (select unnest(${wanted}::int8[]) as id)
        select ${BOOK_COLUMNS} from ${BOOK_TABLES}`,
    )
    return this.directory(rows, cached)
  }

  /** The same without facts; undefined if the database must be asked. */
  known(ids: ReadonlySet<AccountId>): AddressDirectory | undefined {
    const cached = this.cached(ids)
    return cached.size === ids.size ? this.directory([], cached) : undefined
  }

  private cached(ids: ReadonlySet<AccountId>): Map<AccountId, KnownAddress> {
    const found = new Map<AccountId, KnownAddress>()
    for (const id of ids) {
      const known = this.byId.get(id)
      if (known) found.set(id, known)
    }
    return found
  }

  /** A directory over rows read by another statement. Ids that are not among them must be in the cache. */
  directory(rows: readonly BookRow[], cached: ReadonlyMap<AccountId, KnownAddress> = NONE): AddressDirectory {
    // Other requests may evict entries from the cache, so a reply keeps its own.
    const known = new Map(cached)
    const facts = new Map<AccountId, Omit<AccountFacts, 'address'>>()
    for (const row of rows) {
      known.set(row.id, this.add(row.id, { workchain: row.workchain, hash: row.address }))
      facts.set(row.id, factsOf(row))
    }
    const get = (id: AccountId) => known.get(id) ?? this.byId.get(id) ?? missing(id)
    return { get, entry: (id) => ({ address: get(id).address, ...(facts.get(id) ?? UNSEEN) }) }
  }

  /** `wanted`: by raw form. */
  private async resolve(db: Db, wanted: ReadonlyMap<string, RawAddress>): Promise<Identified[]> {
    const derived = [...wanted.values()].map(deriveAccountId)
    // Raw for the same reason as `load`.
    const rows = await HOLDERS.rows(
      db,
      sql`${KEEP_PLAN} select a.id, a.workchain, a.address from unnest(${derived}::int8[]) as d(id)
        join accounts a on a.id between d.id
          and least(d.id, ${LAST_REACHING}::int8) + ${COLLISION_REACH}::int8`,
    )
    const found: Identified[] = []
    for (const { id, workchain, address: hash } of rows) {
      const address = { workchain, hash }
      const raw = formatRawAddress(address)
      if (!wanted.has(raw)) continue
      this.add(id, address)
      found.push({ id, raw })
    }
    return found
  }

  private add(id: AccountId, address: RawAddress): KnownAddress {
    const cached = this.byId.get(id)
    if (cached) return cached
    const known = { address, raw: formatRawAddress(address) }
    this.byId.set(id, known)
    this.byAddress.set(known.raw, id)
    return known
  }
}

const NONE: ReadonlyMap<AccountId, KnownAddress> = new Map()
const UNSEEN = { codeHash: null }

const factsOf = ({ code_hash: codeHash, methods, domain }: BookRow): Omit<AccountFacts, 'address'> => ({
  codeHash,
  domain,
  interfaces: codeHash ? interfacesOf({ codeHash, methods: methods ?? [] }) : [],
})

function missing(id: AccountId): never {
  throw new Error(`account ${id} is referred to and has no row`)
}

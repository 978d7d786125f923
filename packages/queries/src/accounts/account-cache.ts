import { interfacesOf } from '@shardwalk/contracts'
import type { Db } from '@shardwalk/db'
import {
  type AccountId,
  deriveAccountId,
  formatRawAddress,
  type RawAddress,
  sameAddress,
} from '@shardwalk/model'
import { sql } from 'kysely'
import { BOOK_EXPRESSIONS, BOOK_JOINS, BOOK_TYPES, type BookRow } from '../address-book/book-rows.ts'
import { KEEP_PLAN, selected, statement } from '../idiom/index.ts'

/**
 * Addresses that a process keeps, both ways: some 30 MB at most. An address never changes once it has an id.
 */
const MAX_CACHED = 100_000
/** An account whose derived id is taken has one of the next ids: somebody generated a colliding address. */
const COLLISION_REACH = 16n

export interface KnownAddress {
  readonly address: RawAddress
  /** `<workchain>:<64 upper-case hex>`. */
  readonly raw: string
}

/** What an address book says of an account. */
export interface AccountFacts {
  readonly address: RawAddress
  /** Of the newest state; null: no code, or never seen. */
  readonly codeHash: Buffer | null
  /** Shortest domain that the account owns and that resolves to it. */
  readonly domain?: string | null
  readonly interfaces?: readonly string[]
}

/** The accounts that rows refer to. */
export interface AddressDirectory {
  /** Throws when the id was not loaded. */
  get(id: AccountId): KnownAddress
  /** Facts only of ids that were loaded with states. */
  entry(id: AccountId): AccountFacts
}

interface StoredAddress {
  readonly id: AccountId
  readonly workchain: number
  readonly address: Buffer
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
  private readonly byId = new Map<AccountId, KnownAddress>()
  private readonly byAddress = new Map<string, AccountId>()

  /** Ids of the addresses that were ever seen, in their order, each once. Index: primary key. */
  async idsOf(db: Db, addresses: readonly RawAddress[]): Promise<AccountId[]> {
    const unknown = addresses.filter((address) => !this.byAddress.has(formatRawAddress(address)))
    if (unknown.length > 0) await this.resolve(db, unknown)
    const ids = addresses.map((address) => this.byAddress.get(formatRawAddress(address)))
    return [...new Set(ids.filter((id) => id !== undefined))]
  }

  async idOf(db: Db, address: RawAddress): Promise<AccountId | undefined> {
    return (await this.idsOf(db, [address]))[0]
  }

  /** Addresses of ids; with `states` also what an address book needs. Index: that of `BOOK_JOINS`. */
  async load(
    db: Db,
    ids: Iterable<AccountId>,
    options: { readonly states: boolean },
  ): Promise<AddressDirectory> {
    const wanted = [...new Set(ids)].filter((id) => options.states || !this.byId.has(id))
    if (wanted.length === 0) return this.directory([])
    // Raw: one array of ids is one parameter, whatever their number, so that the plan is kept.
    const rows = await BOOK.rows(
      db,
      sql`${KEEP_PLAN} select ${BOOK_COLUMNS} from unnest(${wanted}::int8[]) as i(id) ${BOOK_JOINS}`,
    )
    return this.directory(rows)
  }

  /** Over rows that another statement has read; ids that are not among them have to be in the cache. */
  directory(rows: readonly BookRow[]): AddressDirectory {
    // Other requests may push entries out of the cache: a reply keeps its own.
    const known = new Map<AccountId, KnownAddress>()
    const facts = new Map<AccountId, Omit<AccountFacts, 'address'>>()
    for (const row of rows) {
      known.set(row.id, this.add(row.id, { workchain: row.workchain, hash: row.address }))
      facts.set(row.id, factsOf(row))
    }
    const get = (id: AccountId) => known.get(id) ?? this.byId.get(id) ?? missing(id)
    return { get, entry: (id) => ({ address: get(id).address, ...(facts.get(id) ?? UNSEEN) }) }
  }

  private async resolve(db: Db, addresses: readonly RawAddress[]): Promise<void> {
    const derived = addresses.map(deriveAccountId)
    // Raw for the same reason as `load`.
    const rows = await HOLDERS.rows(
      db,
      sql`${KEEP_PLAN} select a.id, a.workchain, a.address from unnest(${derived}::int8[]) as d(id)
        join accounts a on a.id between d.id and d.id + ${COLLISION_REACH}::int8`,
    )
    for (const { id, workchain, address: hash } of rows) {
      const address = { workchain, hash }
      if (addresses.some((wanted) => sameAddress(wanted, address))) this.add(id, address)
    }
  }

  private add(id: AccountId, address: RawAddress): KnownAddress {
    const cached = this.byId.get(id)
    if (cached) return cached
    const known = { address, raw: formatRawAddress(address) }
    this.byId.set(id, known)
    this.byAddress.set(known.raw, id)
    if (this.byId.size > MAX_CACHED) {
      const [oldest, { raw }] = this.byId.entries().next().value!
      this.byId.delete(oldest)
      this.byAddress.delete(raw)
    }
    return known
  }
}

const UNSEEN = { codeHash: null }

const factsOf = ({ code_hash: codeHash, methods, domain }: BookRow): Omit<AccountFacts, 'address'> => ({
  codeHash,
  domain,
  interfaces: codeHash ? interfacesOf({ codeHash, methods: methods ?? [] }) : [],
})

function missing(id: AccountId): never {
  throw new Error(`account ${id} is referred to and has no row`)
}

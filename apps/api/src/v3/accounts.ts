import { type AddressBookEntry, addressKey } from '@shardwalk/api-schema'
import { interfacesOf } from '@shardwalk/contracts'
import type { Db } from '@shardwalk/db'
import { type AccountId, deriveAccountId, type RawAddress, sameAddress } from '@shardwalk/model'
import { BOOK_EXPRESSIONS, BOOK_JOINS, type BookRow } from '@shardwalk/queries'
import { sql } from 'kysely'
import { KEEP_PLAN } from './queries/sql.ts'

/** Addresses remembered by a process, both ways: some 30 MB at most. They never change once they have an id. */
const MAX_REMEMBERED = 100_000
/** An id is the derived one unless someone ground a colliding address; then it is one of the next. */
const COLLISION_REACH = 16n

export interface KnownAddress {
  readonly address: RawAddress
  /** `<workchain>:<64 upper-case hex>`. */
  readonly raw: string
}

/** Addresses of the rows of one reply and what the address book says of them. */
export interface AddressDirectory {
  get(id: AccountId): KnownAddress
  /** Entry for the address book; only of ids that were loaded with states. */
  entry(id: AccountId): AddressBookEntry
}

/** Accounts by id and by address. */
export class Accounts {
  private readonly byId = new Map<AccountId, KnownAddress>()
  private readonly byAddress = new Map<string, AccountId>()

  /** Ids of the addresses that were ever seen, in their order, each once. */
  async idsOf(db: Db, addresses: readonly RawAddress[]): Promise<AccountId[]> {
    const unknown = addresses.filter((address) => !this.byAddress.has(addressKey(address)))
    if (unknown.length > 0) await this.resolve(db, unknown)
    const ids = addresses.map((address) => this.byAddress.get(addressKey(address)))
    return [...new Set(ids.filter((id) => id !== undefined))]
  }

  async idOf(db: Db, address: RawAddress): Promise<AccountId | undefined> {
    return (await this.idsOf(db, [address]))[0]
  }

  /** Addresses of ids; with `states` also what the address book needs. Index: primary keys of both tables. */
  async load(
    db: Db,
    ids: Iterable<AccountId>,
    options: { readonly states: boolean },
  ): Promise<AddressDirectory> {
    const wanted = [...new Set(ids)].filter((id) => options.states || !this.byId.has(id))
    if (wanted.length === 0) return this.directory([])
    const { rows } = await sql<BookRow>`
      ${KEEP_PLAN} select ${BOOK_COLUMNS} from unnest(${wanted}::int8[]) as i(id) ${BOOK_JOINS}`.execute(db)
    return this.directory(rows)
  }

  /** Over rows that another statement has read; ids that are not among them have to be remembered. */
  directory(rows: readonly BookRow[]): AddressDirectory {
    // What was remembered may be forgotten while other requests run: this reply keeps its own.
    const known = new Map<AccountId, KnownAddress>()
    const facts = new Map<AccountId, Omit<AddressBookEntry, 'address'>>()
    for (const row of rows) {
      known.set(row.id, this.remember(row.id, { workchain: row.workchain, hash: row.address }))
      facts.set(row.id, toFacts(row))
    }
    const get = (id: AccountId) => known.get(id) ?? this.byId.get(id) ?? missing(id)
    return { get, entry: (id) => ({ address: get(id).address, ...(facts.get(id) ?? UNSEEN) }) }
  }

  private async resolve(db: Db, addresses: readonly RawAddress[]): Promise<void> {
    const derived = addresses.map(deriveAccountId)
    const { rows } = await sql<{ id: bigint; workchain: number; address: Buffer }>`
      ${KEEP_PLAN} select a.id, a.workchain, a.address from unnest(${derived}::int8[]) as d(id)
      join accounts a on a.id between d.id and d.id + ${COLLISION_REACH}::int8`.execute(db)
    for (const { id, workchain, address: hash } of rows) {
      const address = { workchain, hash }
      if (addresses.some((wanted) => sameAddress(wanted, address))) this.remember(id, address)
    }
  }

  private remember(id: AccountId, address: RawAddress): KnownAddress {
    const remembered = this.byId.get(id)
    if (remembered) return remembered
    const known = { address, raw: addressKey(address) }
    this.byId.set(id, known)
    this.byAddress.set(known.raw, id)
    if (this.byId.size > MAX_REMEMBERED) {
      const [oldest, { raw }] = this.byId.entries().next().value!
      this.byId.delete(oldest)
      this.byAddress.delete(raw)
    }
    return known
  }
}

const BOOK_COLUMNS = sql.raw(
  Object.entries(BOOK_EXPRESSIONS)
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(', '),
)

const UNSEEN = { codeHash: null }

const toFacts = ({ code_hash: codeHash, methods, domain }: BookRow): Omit<AddressBookEntry, 'address'> => ({
  codeHash,
  domain,
  interfaces: codeHash ? interfacesOf({ codeHash, methods: methods ?? [] }) : [],
})

function missing(id: AccountId): never {
  throw new Error(`account ${id} is referred to and has no row`)
}

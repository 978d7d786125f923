import { type AccountId, deriveAccountId, type Lt, type RawAddress } from '@shardwalk/model'

/**
 * Ids that the database assigned to addresses whose derived id belongs to another address. Key: `addressKey`.
 */
export type AccountIdOverrides = ReadonlyMap<string, AccountId>

/** Map key of an address: 32 bytes as Latin-1, then the workchain. Not for people. */
export const addressKey = (address: RawAddress): string =>
  `${address.hash.toString('latin1')}${address.workchain}`

/**
 * Every address that the rows of a batch refer to, and its id. Stored by column, so that moving it between
 * threads is cheap.
 */
export interface AccountList {
  readonly ids: BigInt64Array<ArrayBuffer>
  readonly workchains: Int32Array<ArrayBuffer>
  /** 32 bytes each. */
  readonly hashes: Uint8Array<ArrayBuffer>
  readonly rows: RowPlaces
}

/** Accounts and the lt of rows that name them, without many that are close to each other. */
export interface RowPlaces {
  readonly accounts: BigInt64Array<ArrayBuffer>
  readonly lts: BigInt64Array<ArrayBuffer>
}

/** Of rows of one account that begin in the same of these, one is listed. Periods are multiples of it. */
export const LT_STEP = 1_000_000n

/** An empty list. */
export const noAccounts = (): AccountList => ({
  ids: new BigInt64Array(0),
  workchains: new Int32Array(0),
  hashes: new Uint8Array(0),
  rows: { accounts: new BigInt64Array(0), lts: new BigInt64Array(0) },
})

/** Collects the distinct addresses of a batch and their ids. */
export class AccountIds {
  private readonly seen = new Map<string, { readonly id: AccountId; readonly address: RawAddress }>()
  private readonly lastStep = new Map<AccountId, bigint>()
  private readonly rowAccounts: AccountId[] = []
  private readonly rowLts: Lt[] = []

  constructor(private readonly overrides: AccountIdOverrides) {}

  /** The id that the database assigned, else the one derived from the address. */
  idOf(address: RawAddress): AccountId {
    const key = addressKey(address)
    const known = this.seen.get(key)
    if (known) return known.id
    const id = this.overrides.get(key) ?? deriveAccountId(address)
    this.seen.set(key, { id, address })
    return id
  }

  /** A row of a table with partitions names the account. */
  noteRow(id: AccountId, lt: Lt): void {
    const step = lt / LT_STEP
    if (this.lastStep.get(id) === step) return
    this.lastStep.set(id, step)
    this.rowAccounts.push(id)
    this.rowLts.push(lt)
  }

  /** Ordered by id, so that concurrent writers insert in the same order. */
  list(): AccountList {
    const entries = [...this.seen.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    const hashes = new Uint8Array(entries.length * 32)
    for (const [index, { address }] of entries.entries()) hashes.set(address.hash, index * 32)
    return {
      ids: BigInt64Array.from(entries, ({ id }) => id),
      workchains: Int32Array.from(entries, ({ address }) => address.workchain),
      hashes,
      rows: {
        accounts: BigInt64Array.from(this.rowAccounts),
        lts: BigInt64Array.from(this.rowLts),
      },
    }
  }
}

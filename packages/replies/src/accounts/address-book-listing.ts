import { type Json, toMetadata } from '@shardwalk/api-schema'
import { type Db, requestMetadata } from '@shardwalk/db'
import { tokenInfo } from '@shardwalk/metadata'
import type { AccountId, RawAddress } from '@shardwalk/model'
import {
  type AddressDirectory,
  type ListingRequest,
  type ListingRows,
  loadListing,
  type MessageRow,
  NO_ROWS,
} from '@shardwalk/queries'
import type { RenderContext } from '../render-context.ts'
import { ListedAccounts, loadDirectory } from '../transactions/reply-context.ts'

interface Loading extends Pick<ListingRequest, 'metadata' | 'also'> {
  /** Default: that of the context. */
  readonly db?: Db
}

/** The accounts of a reply: collected first, loaded in one round trip, then printed. */
export class Listing {
  private readonly accounts = new ListedAccounts()
  private cachedDirectory: AddressDirectory | undefined
  private foundRows = NO_ROWS

  constructor(private readonly context: RenderContext) {}

  /** Adds accounts to the address book and the metadata. */
  list(...ids: readonly (AccountId | null | undefined)[]): this {
    for (const id of ids) this.accounts.add(id ?? null, 'listed')
    return this
  }

  /** Same as `list`, for addresses that may never have been seen. */
  async listAddresses(addresses: readonly RawAddress[], db: Db = this.context.db): Promise<this> {
    for (const id of await this.context.accounts.idsOf(db, addresses)) this.accounts.add(id, 'listed')
    for (const address of addresses) this.accounts.name(address)
    return this
  }

  /** Same as `list`, for the source of a message, which external messages lack. */
  listSource(message: MessageRow): this {
    this.accounts.addSource(message)
    return this
  }

  /** Adds accounts of which only the address is printed. */
  print(...ids: readonly (AccountId | null | undefined)[]): this {
    for (const id of ids) this.accounts.add(id ?? null, 'printed')
    return this
  }

  /** Must be called before anything is printed. `also`: selects for the same round trip. */
  async load({ metadata, also = [], db = this.context.db }: Loading): Promise<this> {
    const { settings } = this.context
    const described = metadata && !settings.noMetadata
    if (described || also.length > 0) {
      const { listed, printed } = this.accounts
      this.foundRows = await loadListing(db, { listed, printed, metadata: described, also })
      this.cachedDirectory = this.context.accounts.directory(this.foundRows.accounts)
    } else this.cachedDirectory = await loadDirectory({ ...this.context, db }, this.accounts)
    if (described) this.requestMissing()
    return this
  }

  /**
   * Queues metadata that was never fetched or is outdated, unless no fetcher runs or the API may not write.
   */
  private requestMissing(): void {
    const { writableDb } = this.context
    if (!writableDb) return
    const due = this.foundRows.tokens.filter((row) => row.is_due)
    void requestMetadata(
      writableDb,
      due.map((row) => ({ accountId: row.account_id, type: row.type })),
    ).catch(() => {})
  }

  /** Rows read for `metadata` or `also`. */
  get rows(): ListingRows {
    return this.foundRows
  }

  get directory(): AddressDirectory {
    if (!this.cachedDirectory) throw new Error('the accounts of this reply are not loaded')
    return this.cachedDirectory
  }

  /** The address in raw form. */
  text(id: AccountId): string {
    return this.directory.get(id).raw
  }

  addressBook(): Json {
    return this.cachedDirectory ? this.accounts.addressBook(this.context, this.cachedDirectory) : '{}'
  }

  metadata(): Json {
    const { wallets, tokens } = this.foundRows
    const infos = tokens.map((token) => ({
      id: token.account_id,
      ...tokenInfo(token, this.context.imageProxy),
    }))
    return toMetadata({ wallets, tokens: infos }, (id) => this.text(id))
  }

  /** Keys that follow the rows in the reply. */
  fields(options: { readonly metadata: boolean }): Record<string, Json> {
    const book = { address_book: this.addressBook() }
    return options.metadata ? { ...book, metadata: this.metadata() } : book
  }
}

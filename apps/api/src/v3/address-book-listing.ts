import type { Json } from '@shardwalk/api-schema'
import type { AccountId } from '@shardwalk/model'
import type { RequestContext } from '../http/route.ts'
import type { AddressDirectory } from './accounts.ts'
import { loadTokenRows, metadataText, type TokenRows } from './address-book-metadata.ts'
import type { MessageRow } from './queries/message-rows.ts'
import { ListedAccounts, loadDirectory } from './reply-context.ts'

/** Accounts of a reply: first collected, then loaded at once, then printed. */
export class Listing {
  readonly #accounts = new ListedAccounts()
  #directory: AddressDirectory | undefined
  #tokens: TokenRows | undefined

  constructor(private readonly context: RequestContext) {}

  /** Goes into the address book and the metadata. */
  list(...ids: readonly (AccountId | null | undefined)[]): this {
    for (const id of ids) this.#accounts.add(id ?? null, 'listed')
    return this
  }

  /** As `list`, of the sender of a message, who may be nobody. */
  listSource(message: MessageRow): this {
    this.#accounts.addSource(message)
    return this
  }

  /** Is only printed. */
  print(...ids: readonly (AccountId | null | undefined)[]): this {
    for (const id of ids) this.#accounts.add(id ?? null, 'printed')
    return this
  }

  /** To be awaited before anything is printed. */
  async load(options: { readonly metadata: boolean }): Promise<this> {
    if (options.metadata && !this.context.settings.noMetadata) {
      this.#tokens = await loadTokenRows(this.context.db, [...this.#accounts.listed])
      this.print(...this.#tokens.printed)
    }
    this.#directory = await loadDirectory(this.context, this.#accounts)
    return this
  }

  get directory(): AddressDirectory {
    if (!this.#directory) throw new Error('the accounts of this reply are not loaded')
    return this.#directory
  }

  /** Raw form. */
  text(id: AccountId): string {
    return this.directory.get(id).raw
  }

  maybe(id: AccountId | null): string | null {
    return id === null ? null : this.text(id)
  }

  addressBook(): Json {
    return this.#directory ? this.#accounts.addressBook(this.context, this.#directory) : '{}'
  }

  metadata(): Json {
    return this.#tokens ? metadataText(this.#tokens, (id) => this.text(id), this.context.imageProxy) : '{}'
  }

  /** The keys that follow the rows of a reply. */
  fields(options: { readonly metadata: boolean }): Record<string, Json> {
    const book = { address_book: this.addressBook() }
    return options.metadata ? { ...book, metadata: this.metadata() } : book
  }
}

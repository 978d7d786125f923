import type { AddressOf, Json } from '@shardwalk/api-schema'
import type { AccountId, RawAddress } from '@shardwalk/model'
import type { Page } from '@shardwalk/queries'
import { Listing } from './accounts/address-book-listing.ts'
import type { RenderContext, Page as ReplyPage } from './render-context.ts'

type Ids = readonly (AccountId | null | undefined)[]

/** How rows of one kind are rendered. */
export interface Rendering<Row> {
  /** Accounts of a row that appear in the address book (and the metadata) of the reply. */
  readonly listed: (row: Row) => Ids
  /** Further accounts for the address book. */
  readonly alsoListed?: Ids
  /** Addresses for the address book that may never have been seen. */
  readonly named?: readonly RawAddress[]
  /** Accounts of which only the address is printed. */
  readonly printed?: (row: Row) => Ids
  /** Whether the reply has metadata of tokens besides the address book. */
  readonly metadata: boolean
  readonly toReply: (row: Row, addressOf: AddressOf) => Json
}

/** Renders a page of rows with its address book. */
export async function renderRows<Row>(
  context: RenderContext,
  { rows, next }: Page<Row>,
  { listed, alsoListed = [], named = [], printed = () => [], metadata, toReply }: Rendering<Row>,
): Promise<ReplyPage> {
  const listing = await new Listing(context).list(...alsoListed).listAddresses(named)
  // One by one: a row may have more accounts than a call may have arguments.
  for (const row of rows) {
    for (const id of listed(row)) listing.list(id)
    for (const id of printed(row)) listing.print(id)
  }
  await listing.load({ metadata })
  const items = renderLazily(rows, (row) => toReply(row, (id) => listing.text(id)))
  return { items, fields: listing.fields({ metadata }), next }
}

/** Renders each row when it is requested. */
export function* renderLazily<Row>(rows: Iterable<Row>, toReply: (row: Row) => Json): Generator<Json> {
  for (const row of rows) yield toReply(row)
}
